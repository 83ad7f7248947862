package starlark

import "slices"

// A parser reads a program and makes closures of it.
type parser struct {
	cursor
	scope *scope
	refs  []*ref
	loops int // around the statement, in its function
}

func newParser(tokens []token) *parser {
	return &parser{cursor: cursor{tokens: tokens}, scope: &scope{owner: &code{name: "the top level"}, slots: map[string]int{}}}
}

// use notes the use of a name.
func (p *parser) use(t token) *ref {
	r := &ref{token: t, from: p.scope}
	p.refs = append(p.refs, r)
	return r
}

// program reads all of the source.
func (p *parser) program() *Program {
	program := &Program{main: p.scope.owner, params: map[string][]string{}, slots: p.scope.slots}
	var body []stmt
	for p.now().kind != endToken {
		t := p.now()
		if t.is("def") {
			name := p.tokens[p.next+1].text
			s, params := p.function()
			body = append(body, s)
			program.params[name] = params
			continue
		}
		if t.kind == keywordToken && slices.Contains([]string{"if", "for", "return"}, t.text) {
			p.fail(t, "unexpected %s outside of a function", t)
		}
		body = append(body, p.simple())
	}
	for _, r := range p.refs {
		if !r.resolve() {
			p.fail(r.token, "the name %.100s is not defined", r.text)
		}
	}
	program.main.body = sequence(body)
	return program
}

// function reads a def.
func (p *parser) function() (stmt, []string) {
	def := p.take()
	name := p.wantKind(nameToken, "the name of a function")
	p.scope.declare(name.text)
	target := p.use(name)
	c := &code{name: name.text}
	outer, loops := p.scope, p.loops
	p.scope, p.loops = &scope{up: outer, owner: c, slots: map[string]int{}}, 0
	p.want("(")
	params := p.params(")")
	p.want(")")
	c.params = len(params)
	c.body = p.block()
	p.scope, p.loops = outer, loops
	return defStmt(target, c, def.at), params
}

// params reads the names of parameters up to an operator.
func (p *parser) params(end string) (names []string) {
	for !p.now().is(end) && p.fault == nil {
		name := p.wantKind(nameToken, "the name of a parameter")
		if slices.Contains(names, name.text) {
			p.fail(name, "there are two parameters %.100s", name.text)
		}
		names = append(names, name.text)
		p.scope.declare(name.text)
		if !p.skip(",") {
			break
		}
	}
	return names
}

// block reads the statements after a colon.
func (p *parser) block() stmt {
	p.want(":")
	if p.now().kind != lineToken {
		return p.simple()
	}
	p.take()
	p.wantKind(indentToken, "an indent")
	var body []stmt
	for p.now().kind != dedentToken && p.fault == nil {
		body = append(body, p.statement())
	}
	p.take()
	return sequence(body)
}

// statement reads a statement in a function.
func (p *parser) statement() stmt {
	defer p.shallower()
	if !p.deeper() {
		return passStmt
	}
	switch t := p.now(); {
	case t.is("def"):
		s, _ := p.function()
		return s
	case t.is("if"):
		return p.branches()
	case t.is("for"):
		return p.loop()
	}
	return p.simple()
}

// branches reads an if or elif, and what belongs to it.
func (p *parser) branches() stmt {
	defer p.shallower()
	if !p.deeper() {
		return passStmt
	}
	p.take()
	test := p.expression().eval
	then, other := p.block(), stmt(passStmt)
	if p.now().is("elif") {
		other = p.branches()
	} else if p.skip("else") {
		other = p.block()
	}
	return ifStmt(test, then, other)
}

// loop reads a for.
func (p *parser) loop() stmt {
	at := p.take().at
	assign := p.target(p.targets())
	p.want("in")
	over := p.expressions().eval
	p.loops++
	body := p.block()
	p.loops--
	return forStmt(over, assign, body, at)
}

// simple reads a statement of one line.
func (p *parser) simple() stmt {
	s := p.small()
	p.wantKind(lineToken, "the end of the line")
	return s
}

// small reads a statement without the end of its line.
func (p *parser) small() stmt {
	t := p.now()
	switch {
	case p.skip("pass"):
		return passStmt
	case t.is("break"), t.is("continue"):
		p.take()
		if p.loops == 0 {
			p.fail(t, "unexpected %s outside of a loop", t)
		}
		if t.text == "break" {
			return flowStmt(breaking)
		}
		return flowStmt(continuing)
	case p.skip("return"):
		if p.now().kind == lineToken {
			return returnStmt(constant(nil))
		}
		return returnStmt(p.expressions().eval)
	}
	left := p.expressions()
	switch op := p.now(); {
	case p.skip("="):
		right := p.expressions().eval
		return assignStmt(p.target(left), right)
	case op.kind == opToken && slices.Contains([]string{"+=", "-=", "*=", "//=", "%="}, op.text):
		p.take()
		return p.augmented(left, op, p.expressions().eval)
	}
	return exprStmt(left.eval)
}

// targets reads what is assigned to in a for.
func (p *parser) targets() node {
	first := p.postfix()
	if !p.now().is(",") {
		return first
	}
	items := []node{first}
	for p.skip(",") && !p.now().is("in") {
		items = append(items, p.postfix())
	}
	return node{eval: first.eval, items: items, at: first.at}
}

// target returns what assigns to n.
func (p *parser) target(n node) assign {
	switch {
	case n.name != nil:
		p.scope.declare(n.name.text)
		return assignName(n.name)
	case n.key != nil:
		return assignItem(n)
	case n.items != nil:
		defer p.shallower()
		if !p.deeper() {
			return nil
		}
		var parts []assign
		for _, item := range n.items {
			parts = append(parts, p.target(item))
		}
		return assignItems(parts, n.at)
	}
	p.fail(token{at: n.at}, "this cannot be assigned to")
	return nil
}

// augmented makes an assignment with an operator. What stands on the left is evaluated once.
func (p *parser) augmented(left node, op token, right expr) stmt {
	operator := op.text[:len(op.text)-1]
	switch {
	case left.name != nil:
		p.scope.declare(left.name.text)
		return augmentStmt(left.eval, assignName(left.name), change{operator, right, op.at})
	case left.key != nil:
		return augmentItemStmt(left, change{operator, right, op.at})
	}
	p.fail(token{at: left.at}, "want a name or an item on the left of %s", op.text)
	return passStmt
}
