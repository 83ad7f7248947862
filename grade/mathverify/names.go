package mathverify

import (
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// sameNames returns a reference and an answer with one name for what has no name of its own:
// constants of integration, and the whole number that a family of solutions runs through.
func sameNames(g, a *expr.Node) (*expr.Node, *expr.Node) {
	if !g.Has(expr.Symbol) || !a.Has(expr.Symbol) {
		return g, a
	}
	a = renamed(g, a, "C", "c")
	for _, digit := range []string{"1", "2", "3", "4"} {
		if !mentions(g, a, "_"+digit) {
			break
		}
		a = renamed(g, a, "C_"+digit, "c_"+digit)
	}
	return sameFamily(g, sameArguments(g, a))
}

// mentions reports whether both have a variable whose name ends so.
func mentions(g, a *expr.Node, end string) bool {
	has := func(n *expr.Node) bool {
		return !n.Walk(func(m *expr.Node) bool { return m.Op != expr.Symbol || !strings.HasSuffix(m.Name, end) })
	}
	return has(g) && has(a)
}

// renamed returns an answer with the constant of integration named as in the reference, in a
// capital or a small letter.
func renamed(g, a *expr.Node, names ...string) *expr.Node {
	for i, name := range names {
		other := names[1-i]
		if g.Mentions(name) && !g.Mentions(other) && a.Mentions(other) && !a.Mentions(name) {
			return a.Replace(other, expr.Var(name))
		}
	}
	return a
}

// sameArguments returns an answer with the name of the reference for the argument of the functions, or
// the index of the sequences, that it defines: f(x) = x for f(z) = z.
func sameArguments(g, a *expr.Node) *expr.Node {
	v, w := argument(g), argument(a)
	if v == w || v == "" || w == "" {
		return a
	}
	return withLetter(withLetter(a, v, v+" "), w, v)
}

// argument returns the only variable of the functions and sequences that equations define; "" if there are
// none, or several.
func argument(n *expr.Node) string {
	letters := expr.New(expr.List)
	define := func(left *expr.Node) bool {
		base, index, _ := strings.Cut(left.Name, "_")
		switch last := len(left.Args) - 1; {
		case left.Op == expr.Apply && !known(left.Name) && last == 0, left.Op == expr.Mul && last == 1 && isSymbol(left.Args[0]) && left.Args[1].Paren:
			letters.Args = append(letters.Args, left.Args[last])
		case left.Op == expr.Symbol && len(base) == 1 && listed(" n k m i j ", index):
			letters.Args = append(letters.Args, expr.Var(index))
		}
		return true
	}
	n.Walk(func(m *expr.Node) bool { return m.Op != expr.Relation || m.Name != "=" || m.Args[0].Walk(define) })
	return subjectOf(letters)
}

// withLetter returns n with another letter for a variable and an index.
func withLetter(n *expr.Node, from, to string) *expr.Node {
	return n.Map(func(m *expr.Node) *expr.Node {
		base, ok := strings.CutSuffix(m.Name, from)
		if m.Op != expr.Symbol || !ok || base != "" && !strings.HasSuffix(base, "_") {
			return m
		}
		twin := *m
		twin.Name = base + to
		return &twin
	})
}

// A family is a set of solutions for each member of a set of numbers.
type family struct {
	letter string // "": it is none
	set    string // whose members the letter stands for, if it is told
	rest   *expr.Node
}

// sameFamily returns a reference and an answer with one name for the number in a family of solutions, as k
// in "2kπ, k ∈ ℤ". That it is whole goes without saying beside π, and if one of both says so.
func sameFamily(g, a *expr.Node) (*expr.Node, *expr.Node) {
	f, h := familyOf(g), familyOf(a)
	switch {
	case f.set == "" && h.set == "":
	case f.set == "":
		f.letter = onlyLetter(g)
	case h.set == "":
		h.letter = onlyLetter(a)
	case f.set != h.set:
		return g, a
	}
	switch {
	case f.letter == "" || h.letter == "" || f.set+h.set != "" && !listed(" Z ZZ NN ", f.set+h.set):
		return g, a
	case f.letter == h.letter:
		return f.rest, h.rest
	case f.rest.Mentions(h.letter) || h.rest.Mentions(f.letter):
		return g, a
	}
	return f.rest, withLetter(h.rest, h.letter, f.letter)
}

// familyOf returns the letter that the last member of a list says to be a whole number, or one that stands
// beside π, or the parameter of a point.
func familyOf(n *expr.Node) family {
	if last := len(n.Args) - 1; n.Op == expr.List && last > 0 {
		r := n.Args[last]
		if r.Op == expr.Relation && r.Name == "∈" && isSymbol(r.Args[0]) && r.Args[1].Op == expr.Named {
			rest := n.Args[0]
			if last > 1 {
				rest = &expr.Node{Op: expr.List, Name: n.Name, Args: n.Args[:last]}
			}
			return family{r.Args[0].Name, r.Args[1].Name, rest}
		}
	}
	f := family{rest: n}
	for _, letter := range []string{"n", "k", "m", "l", "j"} {
		if !n.Mentions(letter) {
			continue
		}
		if f.letter != "" || withoutTurns(n, letter).Mentions(letter) {
			return family{rest: n}
		}
		f.letter = letter
	}
	if only := onlyLetter(n); f.letter == "" && listed(" t s u lambda mu ", only) && n.Has(expr.Tuple) {
		f.letter = only
	}
	return f
}

// withoutTurns returns n with 0 for the products of a letter with π and numbers, as 2kπ or (2k+1)π/2.
func withoutTurns(n *expr.Node, letter string) *expr.Node {
	return n.Map(func(m *expr.Node) *expr.Node {
		plain := m.Walk(func(part *expr.Node) bool {
			return part.Op == expr.Number || part.Name == letter || part.Name == "pi" || part.Op >= expr.Add && part.Op <= expr.Neg
		})
		if (m.Op == expr.Mul || m.Op == expr.Div) && plain && m.Mentions(letter) && m.Has(expr.Constant) {
			return expr.Int(0)
		}
		return m
	})
}

// onlyLetter returns the only variable of an answer beside the names that its equations define.
func onlyLetter(n *expr.Node) string {
	return subjectOf(n.Map(func(m *expr.Node) *expr.Node {
		if _, value := named(m); value != nil {
			return value
		}
		return m
	}))
}
