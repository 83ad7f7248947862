package mathverify

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/mathverify/expr"
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
	return sameFamily(g, a)
}

// mentions reports whether both have a variable whose name ends so.
func mentions(g, a *expr.Node, end string) bool {
	has := func(n *expr.Node) bool {
		return !n.Walk(func(m *expr.Node) bool { return m.Op != expr.Symbol || !strings.HasSuffix(m.Name, end) })
	}
	return has(g) && has(a)
}

// renamed returns an answer with the constant of integration named as in the reference, in a
// capital or a small letter. A constant without an index must be added to the rest.
func renamed(g, a *expr.Node, names ...string) *expr.Node {
	for i, name := range names {
		other := names[1-i]
		if g.Mentions(name) && !g.Mentions(other) && a.Mentions(other) && !a.Mentions(name) && (len(name) > 1 || hasTerm(g, name) && hasTerm(a, other)) {
			return a.Replace(other, expr.Var(name))
		}
	}
	return a
}

// hasTerm reports whether an expression, or the right-hand side of an equation, is a sum with a
// variable as a term.
func hasTerm(n *expr.Node, name string) bool {
	if n.Op == expr.Relation && n.Name == "=" {
		n = n.Args[1]
	}
	return n.Op == expr.Add && slices.ContainsFunc(n.Args, func(arg *expr.Node) bool { return isSymbol(arg) && arg.Name == name })
}

// sameFamily returns a reference and an answer with one name for the whole number in a family of
// solutions, as k in "2kπ, k ∈ ℤ". An answer need not say that it is whole.
func sameFamily(g, a *expr.Node) (*expr.Node, *expr.Node) {
	k := wholeIn(g)
	if k == "" {
		return g, a
	}
	n, without := wholeIn(a), false
	if n == "" {
		n, without = otherWhole(g, a), true
	}
	if n != k && (n == "" || g.Mentions(n) || a.Mentions(k)) {
		return g, a
	}
	if without {
		g = g.Args[0]
	}
	return g, a.Replace(n, expr.Var(k))
}

// wholeIn returns the variable that a list of two says to be whole; "" if n is none.
func wholeIn(n *expr.Node) string {
	if n.Op != expr.List || len(n.Args) != 2 {
		return ""
	}
	r := n.Args[1]
	if r.Op != expr.Relation || r.Name != "∈" || !isSymbol(r.Args[0]) || r.Args[1].Op != expr.Named || r.Args[1].Name != "Z" {
		return ""
	}
	return r.Args[0].Name
}

// otherWhole returns the only variable of an answer, among those for whole numbers, that the
// reference has under another name, or under the same.
func otherWhole(g, a *expr.Node) (name string) {
	for _, n := range []string{"n", "k", "m", "l", "j"} {
		if a.Mentions(n) && (!g.Mentions(n) || n == wholeIn(g)) {
			if name != "" {
				return ""
			}
			name = n
		}
	}
	return name
}
