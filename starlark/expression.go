package starlark

import (
	"math/big"
	"slices"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A node is an expression, and what is known of it in case that it is assigned to.
type node struct {
	eval  expr
	name  *ref   // of a name
	of    expr   // of an item
	key   expr   // of an item
	items []node // of a list or tuple
	at    place
}

// expressions reads one expression, or several with commas between them, which are a tuple.
func (p *parser) expressions() node {
	first := p.expression()
	if !p.now().is(",") {
		return first
	}
	items := []node{first}
	for p.skip(",") && p.starts() {
		items = append(items, p.expression())
	}
	return node{eval: listExpr(evals(items), true), items: items, at: first.at}
}

// starts reports whether an expression may begin here.
func (p *parser) starts() bool {
	t := p.now()
	return t.kind == nameToken || t.kind == intToken || t.kind == textToken ||
		slices.ContainsFunc([]string{"(", "[", "{", "-", "+", "not", "lambda", "None", "True", "False"}, t.is)
}

func evals(nodes []node) []expr {
	list := make([]expr, len(nodes))
	for i, n := range nodes {
		list[i] = n.eval
	}
	return list
}

// expression reads an expression without commas.
func (p *parser) expression() node {
	defer p.shallower()
	if !p.deeper() {
		return node{eval: constant(nil)}
	}
	if p.now().is("lambda") {
		return p.lambda()
	}
	then := p.disjunction()
	if !p.skip("if") {
		return then
	}
	test := p.disjunction()
	p.want("else")
	return node{eval: choiceExpr(test.eval, then.eval, p.expression().eval), at: then.at}
}

// lambda reads a function without a name.
func (p *parser) lambda() node {
	at := p.take().at
	c := &code{name: "lambda"}
	outer := p.scope
	p.scope = &scope{up: outer, owner: c, slots: map[string]int{}}
	c.params = len(p.params(":"))
	p.want(":")
	c.body = returnStmt(p.expression().eval)
	p.scope = outer
	return node{eval: func(f *frame) (value, error) { return &function{c, f}, nil }, at: at}
}

func (p *parser) disjunction() node {
	left := p.conjunction()
	for p.skip("or") {
		left = node{eval: shortExpr(left.eval, p.conjunction().eval, true), at: left.at}
	}
	return left
}

func (p *parser) conjunction() node {
	left := p.negation()
	for p.skip("and") {
		left = node{eval: shortExpr(left.eval, p.negation().eval, false), at: left.at}
	}
	return left
}

func (p *parser) negation() node {
	t := p.now()
	if !p.skip("not") {
		return p.comparison()
	}
	defer p.shallower()
	if !p.deeper() {
		return node{eval: constant(nil)}
	}
	return node{eval: notExpr(p.negation().eval), at: t.at}
}

// comparison reads at most one comparison: Starlark has no a < b < c.
func (p *parser) comparison() node {
	left := p.sum()
	op, is := p.comparator()
	if !is {
		return left
	}
	right := p.sum()
	if again, is := p.comparator(); is {
		p.fail(again, "unexpected %s: only two values are compared at once", again)
	}
	return node{eval: compareExpr(op, left.eval, right.eval), at: left.at}
}

// comparator takes the operator of a comparison, if one is next.
func (p *parser) comparator() (op token, is bool) {
	op = p.now()
	switch {
	case op.is("not") && p.tokens[p.next+1].is("in"):
		p.next += 2
		op.text = "not in"
		return op, true
	case slices.ContainsFunc([]string{"==", "!=", "<=", ">=", "<", ">", "in"}, op.is):
		p.next++
		return op, true
	}
	return op, false
}

func (p *parser) sum() node {
	left := p.product()
	for op := p.now(); p.skip("+") || p.skip("-"); op = p.now() {
		left = node{eval: arithmeticExpr(op, left.eval, p.product().eval), at: left.at}
	}
	return left
}

func (p *parser) product() node {
	left := p.sign()
	for op := p.now(); p.skip("*") || p.skip("//") || p.skip("%"); op = p.now() {
		left = node{eval: arithmeticExpr(op, left.eval, p.sign().eval), at: left.at}
	}
	return left
}

func (p *parser) sign() node {
	op := p.now()
	if !p.skip("-") && !p.skip("+") {
		return p.postfix()
	}
	defer p.shallower()
	if !p.deeper() {
		return node{eval: constant(nil)}
	}
	return node{eval: signExpr(op, p.sign().eval), at: op.at}
}

// postfix reads an operand with its calls, items and methods.
func (p *parser) postfix() node {
	n := p.operand()
	for p.fault == nil {
		t := p.now()
		switch {
		case p.skip("("):
			n = node{eval: callExpr(n.eval, p.arguments(), t.at), at: n.at}
		case p.skip("["):
			n = p.subscript(n)
		case p.skip("."):
			name := p.wantKind(nameToken, "the name of a method")
			p.want("(")
			n = node{eval: methodExpr(n.eval, name, p.arguments()), at: n.at}
		default:
			return n
		}
	}
	return n
}

// arguments reads the arguments of a call, and the bracket that ends them.
func (p *parser) arguments() (a arguments) {
	for !p.now().is(")") && p.fault == nil {
		if t := p.now(); t.kind == nameToken && p.tokens[p.next+1].is("=") {
			p.next += 2
			if slices.Contains(a.names, t.text) {
				p.fail(t, "there are two arguments %.100s", t.text)
			}
			a.names = append(a.names, t.text)
		} else if len(a.names) > 0 {
			p.fail(t, "unexpected %s, want an argument with a name after the others", t)
		}
		a.values = append(a.values, p.expression().eval)
		if !p.skip(",") {
			break
		}
	}
	p.want(")")
	return a
}

// subscript reads an item or a slice of a value.
func (p *parser) subscript(of node) node {
	at := p.now().at
	var bounds [3]expr
	n := 0
	for ; n < 3; n++ {
		if !p.now().is(":") && !p.now().is("]") {
			bounds[n] = p.expression().eval
		}
		if !p.skip(":") {
			break
		}
	}
	p.want("]")
	if n > 0 {
		return node{eval: sliceExpr(of.eval, bounds, at), at: of.at}
	}
	if bounds[0] == nil {
		p.fail(token{at: at}, "want an index")
		return of
	}
	return node{eval: itemExpr(of.eval, bounds[0], at), of: of.eval, key: bounds[0], at: at}
}

// operand reads a value without operators.
func (p *parser) operand() node {
	t := p.now()
	switch {
	case t.kind == nameToken:
		p.take()
		r := p.use(t)
		return node{eval: nameExpr(r), name: r, at: t.at}
	case t.kind == intToken:
		p.take()
		n, _ := new(big.Int).SetString(t.text, 10) // which are digits
		if n.IsInt64() {
			return node{eval: constant(n.Int64()), at: t.at}
		}
		return node{eval: constant(n), at: t.at}
	case t.kind == textToken:
		p.take()
		return node{eval: constant(t.text), at: t.at}
	case p.skip("None"):
		return node{eval: constant(nil), at: t.at}
	case p.skip("True"):
		return node{eval: constant(true), at: t.at}
	case p.skip("False"):
		return node{eval: constant(false), at: t.at}
	case p.skip("("):
		return p.round(t)
	case p.skip("["):
		return p.square(t)
	case p.skip("{"):
		return p.curly(t)
	}
	p.fail(t, "unexpected %s, want an expression", t)
	return node{eval: constant(nil), at: t.at}
}

// round reads what is between round brackets: an expression or a tuple.
func (p *parser) round(open token) node {
	if p.skip(")") {
		return node{eval: listExpr(nil, true), at: open.at}
	}
	n := p.expressions()
	p.want(")")
	return n
}

// square reads a list, or a comprehension that makes one.
func (p *parser) square(open token) node {
	if p.skip("]") {
		return node{eval: listExpr(nil, false), at: open.at}
	}
	outer := p.inside()
	first := p.expression()
	if p.now().is("for") {
		each := p.clauses(outer)
		p.want("]")
		p.scope = outer
		return node{eval: listComprehension(first.eval, each), at: open.at}
	}
	items := []node{first}
	for p.skip(",") && !p.now().is("]") {
		items = append(items, p.expression())
	}
	p.want("]")
	p.scope = outer
	return node{eval: listExpr(evals(items), false), items: items, at: open.at}
}

// inside enters a scope for the names of a comprehension, and returns the one around it.
func (p *parser) inside() *scope {
	outer := p.scope
	p.scope = &scope{up: outer, owner: outer.owner, slots: map[string]int{}}
	return outer
}

// curly reads a dict, or a comprehension that makes one.
func (p *parser) curly(open token) node {
	if p.skip("}") {
		return node{eval: dictExpr(nil, open.at), at: open.at}
	}
	outer := p.inside()
	pairs := [][2]expr{p.pair()}
	if p.now().is("for") {
		each := p.clauses(outer)
		p.want("}")
		p.scope = outer
		return node{eval: dictComprehension(pairs[0], each, open.at), at: open.at}
	}
	for p.skip(",") && !p.now().is("}") {
		pairs = append(pairs, p.pair())
	}
	p.want("}")
	p.scope = outer
	return node{eval: dictExpr(pairs, open.at), at: open.at}
}

func (p *parser) pair() [2]expr {
	key := p.expression().eval
	p.want(":")
	return [2]expr{key, p.expression().eval}
}

// clauses reads the for and if of a comprehension. What the first goes through is looked up
// in the scope around it, as in Python.
func (p *parser) clauses(outer *scope) clause {
	inner := p.scope
	var list []clause
	for first := true; p.fault == nil; first = false {
		t := p.now()
		switch {
		case p.skip("for"):
			assign := p.target(p.targets())
			p.want("in")
			if first {
				p.scope = outer
			}
			over := p.disjunction().eval
			p.scope = inner
			list = append(list, forClause(over, assign, t.at))
		case p.skip("if"):
			list = append(list, ifClause(p.disjunction().eval))
		default:
			return nest(list)
		}
	}
	return nest(nil)
}

// constant is a value that is known.
func constant(v pyvalue.Value) expr { return func(*frame) (value, error) { return v, nil } }
