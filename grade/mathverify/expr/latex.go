package expr

import (
	"slices"
	"strings"
)

// A latex reads LaTeX commands and functions with their arguments.
type latex struct{ *parser }

// command reads a LaTeX command with its arguments.
func (p latex) command() *Node {
	switch name := p.take().text; name {
	case "frac":
		return p.fraction()
	case "sqrt":
		return p.root()
	case "binom":
		return Call("binom", p.short(), p.short())
	case "sum", "prod":
		return p.series(name)
	case "int":
		return p.integral()
	case "lim":
		return p.limit()
	case "root":
		index := p.short()
		p.expect("of")
		return New(Pow, p.short(), New(Div, Int(1), index))
	case "brace":
		n := p.short()
		for p.accept("_") || p.accept("^") {
			p.skip()
		}
		return n
	default:
		return Call(name, p.short())
	}
}

// skip passes over a group in braces, or one token.
func (p latex) skip() {
	for depth := 0; p.peek().kind != kEnd; {
		switch t := p.take(); {
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		}
		if depth <= 0 {
			return
		}
	}
}

// short reads an argument of a command: a group in braces, or one digit or letter.
func (p latex) short() *Node {
	t := p.peek()
	if first := p.firstLetter(); first != nil {
		return first
	}
	if t.kind != kNumber || len(t.text) == 1 {
		return p.primary()
	}
	p.tokens[p.at].text = t.text[1:]
	if t.text[1] == '.' {
		p.tokens[p.at].text = "0" + t.text[1:]
	}
	return Int(int64(t.text[0] - '0'))
}

// fraction reads a fraction, or a derivative.
func (p latex) fraction() *Node {
	over := p.short()
	under := p.short()
	if over.Op == Symbol && over.Name == "d" && under.Op == Mul && len(under.Args) == 2 &&
		under.Args[0].Op == Symbol && under.Args[0].Name == "d" && under.Args[1].Op == Symbol {
		return &Node{Op: Big, Name: "diff", Args: []*Node{under.Args[1], p.factors()}}
	}
	return New(Div, over, under)
}

// root reads \sqrt[n]{x}.
func (p latex) root() *Node {
	index := Int(2)
	if p.accept("[") {
		index = p.sum()
		p.expect("]")
	}
	return New(Pow, p.primary(), New(Div, Int(1), index))
}

// function reads a function with its exponent, its base, and its arguments.
func (p latex) function() *Node {
	name := p.take().text
	var exponent, base *Node
	for more := true; more && p.err == nil; {
		switch {
		case p.accept("^"):
			exponent = p.exponent()
		case p.accept("_"):
			base = p.base()
		default:
			more = false
		}
	}
	inverse, hasInverse := inverses[name]
	if exponent != nil && isMinusOne(exponent) && hasInverse {
		name, exponent = inverse, nil
	}
	p.angle++
	args := p.arguments()
	p.angle--
	n := meant(name, args, base)
	if exponent != nil {
		n = New(Pow, n, exponent)
	}
	return n
}

// base reads the base of a logarithm: a group, one digit, or 10.
func (p latex) base() *Node {
	if t := p.peek(); t.kind == kNumber && t.text == "10" {
		return p.number()
	}
	return p.short()
}

// inverses maps functions to their inverses, for an exponent of -1.
var inverses = map[string]string{
	"sin": "arcsin", "cos": "arccos", "tan": "arctan", "cot": "arccot", "sec": "arcsec", "csc": "arccsc",
	"sinh": "arsinh", "cosh": "arcosh", "tanh": "artanh",
}

func isMinusOne(n *Node) bool { return n.Op == Neg && n.Args[0].IsInt(1) }

// meant returns the node of a function.
func meant(name string, args []*Node, base *Node) *Node {
	x := args[0]
	switch {
	case name == "exp":
		return New(Pow, &Node{Op: Constant, Name: "e"}, x)
	case name == "sqrt":
		return New(Pow, x, New(Div, Int(1), Int(2)))
	case name == "cbrt":
		return New(Pow, x, New(Div, Int(1), Int(3)))
	case name == "log" && len(args) == 2:
		return New(Div, Call("ln", x), Call("ln", args[1]))
	case name == "log" && base == nil:
		return New(Div, Call("ln", x), Call("ln", Int(10)))
	case name == "log":
		return New(Div, Call("ln", x), Call("ln", base))
	case name == "cis":
		return New(Add, Call("cos", x), New(Mul, &Node{Op: Constant, Name: "i"}, Call("sin", x)))
	}
	return Call(name, args...)
}

// arguments reads the arguments of a function: those in brackets, or the factors up to
// the next function.
func (p latex) arguments() []*Node {
	if t := p.peek(); t.is("(") || t.is("{") || t.is("[") || t.is("set{") {
		arg := p.primary()
		if arg.Op == Tuple || arg.Op == List || t.is("set{") && arg.Op == Set && len(arg.Args) > 0 {
			return arg.Args
		}
		return []*Node{arg}
	}
	if p.accept("-") {
		return []*Node{New(Neg, p.arguments()[0])}
	}
	factors := []*Node{p.power()}
	for p.err == nil && p.peek().kind != kFunc && !p.peek().is("(") && p.factorStarts(factors[len(factors)-1]) {
		factors = append(factors, p.power())
	}
	arg := factors[0]
	if len(factors) > 1 {
		arg = New(Mul, factors...)
	}
	if p.peek().is("/") && p.peekAt(1).kind == kNumber && arg.Has(Constant) { // sin pi/6
		p.at++
		arg = New(Div, arg, p.number())
	}
	return []*Node{arg}
}

// bounds reads the bounds below and above a sign, in either order.
func (p latex) bounds() (below, above *Node) {
	for p.err == nil {
		switch {
		case p.accept("_"):
			below = p.bound()
		case p.accept("^"):
			above = p.bound()
		default:
			return below, above
		}
	}
	return below, above
}

func (p latex) bound() *Node {
	if p.accept("-") {
		return New(Neg, p.primary())
	}
	return p.primary()
}

// series reads a sum or a product over a range.
func (p latex) series(name string) *Node {
	below, above := p.bounds()
	if below != nil && above == nil && below.Op == Relation && below.Name == "≤≤" { // 1 ≤ k ≤ 4
		above = below.Args[2]
		below = &Node{Op: Relation, Name: "=", Args: []*Node{below.Args[1], below.Args[0]}}
	}
	if below == nil || above == nil || below.Op != Relation || below.Name != "=" || below.Args[0].Op != Symbol && below.Args[0].Op != Constant {
		return p.fail("follows a %s without bounds", name)
	}
	body := p.product()
	variable := below.Args[0]
	if variable.Op == Constant { // i counts here
		old := variable.Name
		variable = Var(old)
		body = body.Map(func(n *Node) *Node {
			if n.Op == Constant && n.Name == old {
				return variable
			}
			return n
		})
	}
	return &Node{Op: Big, Name: name, Args: []*Node{variable, below.Args[1], above, body}}
}

// integral reads an integral up to its differential.
func (p latex) integral() *Node {
	below, above := p.bounds()
	end, name := p.differential()
	if end < 0 {
		return p.fail("follows an integral without dx")
	}
	inner := &parser{cursor: cursor{tokens: append(p.tokens[p.at:end:end], token{kind: kEnd}), depth: p.depth}}
	body := Int(1)
	if end > p.at {
		body = inner.sum()
		if inner.peek().kind != kEnd {
			inner.fail("does not belong in an integral")
		}
	}
	p.at = end + 1
	if p.tokens[end].kind == kSymbol {
		p.at++
	}
	if inner.err != nil {
		p.err = inner.err
		return Int(0)
	}
	args := []*Node{Var(name), body}
	if below != nil && above != nil {
		args = []*Node{Var(name), below, above, body}
	}
	return &Node{Op: Big, Name: "int", Args: args}
}

// differential finds the dx of an integral and returns the index of its token, or -1.
func (p latex) differential() (index int, name string) {
	depth := 0
	for i := p.at; i < len(p.tokens); i++ {
		t := p.tokens[i]
		switch {
		case t.is("(") || t.is("{") || t.is("["):
			depth++
		case t.is(")") || t.is("}") || t.is("]"):
			depth--
		case depth == 0 && t.kind == kWord && len(t.text) == 2 && t.text[0] == 'd':
			return i, t.text[1:]
		case depth == 0 && t.kind == kSymbol && t.text == "d" && p.tokens[i+1].kind == kSymbol:
			return i, p.tokens[i+1].text
		}
		if depth < 0 {
			break
		}
	}
	return -1, ""
}

// limit reads \lim_{x \to a} and the factors after it.
func (p latex) limit() *Node {
	p.expect("_")
	p.expect("{")
	variable := p.take()
	p.expect("to")
	p.side = "lim"
	target := p.sum()
	name := p.side
	p.side = ""
	p.expect("}")
	if variable.kind != kSymbol {
		return p.fail("follows a limit without a variable")
	}
	return &Node{Op: Big, Name: name, Args: []*Node{Var(variable.text), target, p.product()}}
}

// environment reads a matrix, a determinant, or lines of equations.
func (p latex) environment() *Node {
	name := p.take().text
	bars := p.bars
	p.bars = 0
	defer func() { p.bars = bars }()
	rows := []*Node{New(List)}
	for p.err == nil && p.peek().kind != kFinish {
		switch {
		case p.accept(`\\`):
			if len(rows[len(rows)-1].Args) > 0 {
				rows = append(rows, New(List))
			}
		case !p.accept("&"):
			row := rows[len(rows)-1]
			if len(row.Args) == 1 && listed(" cases dcases rcases ", name) {
				p.conditional()
			}
			row.Args = append(row.Args, p.list())
		}
		if p.peek().kind == kEnd {
			return p.fail("comes before the end of %s", name)
		}
	}
	p.take()
	if len(rows[len(rows)-1].Args) == 0 {
		rows = rows[:len(rows)-1]
	}
	if len(rows) == 0 {
		return p.fail("follows an empty %s", name)
	}
	return p.table(name, rows)
}

// conditional skips the word before the condition of a case.
func (p latex) conditional() {
	if t := p.peek(); (t.kind == kText || t.kind == kWord) && listed(" if for when where ", strings.ToLower(t.text)) {
		p.at++
	}
}

// piecewise returns the cases of a function as pairs of value and condition; nil if the rows are
// none.
func piecewise(rows []*Node) *Node {
	cases := New(List)
	for i, row := range rows {
		if len(row.Args) != 2 || row.Args[0].Op == Relation {
			return nil
		}
		condition := row.Args[1]
		rest := i == len(rows)-1 && condition.Op == Symbol && listed(" otherwise else ", condition.Name)
		if rest {
			condition = Var("otherwise")
		} else if condition.Op != Relation && (condition.Op != List || condition.Args[0].Op != Relation) {
			return nil
		}
		cases.Args = append(cases.Args, &Node{Op: Tuple, Name: "()", Args: []*Node{row.Args[0], condition}})
	}
	return cases
}

// table returns the node of an environment.
func (p latex) table(name string, rows []*Node) *Node {
	switch name {
	case "pmatrix", "bmatrix", "matrix", "array", "smallmatrix", "Bmatrix", "vmatrix", "Vmatrix":
		for _, row := range rows {
			if len(row.Args) != len(rows[0].Args) {
				return p.fail("follows a matrix with rows of different lengths")
			}
		}
		if (name == "array" || name == "matrix") && !slices.ContainsFunc(rows, func(row *Node) bool { return len(row.Args) != 1 || row.Args[0].Op != Relation }) {
			return p.table("cases", rows)
		}
		matrix := New(Matrix, rows...)
		if name == "vmatrix" {
			return Call("det", matrix)
		}
		return matrix
	case "cases", "dcases", "rcases", "aligned", "align", "gathered", "split", "equation", "gather":
		if pieces := piecewise(rows); pieces != nil {
			return pieces
		}
		var lines []*Node
		for _, row := range rows {
			lines = append(lines, row.Args...)
		}
		if len(lines) == 1 {
			return lines[0]
		}
		return New(List, lines...)
	}
	return p.fail("follows the unknown environment %.20q", name)
}
