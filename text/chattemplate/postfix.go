package chattemplate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// subscript compiles an attribute, an item or a slice.
func (p *expressionParser) subscript(of expr) expr {
	t := p.next()
	if t.text == "." {
		part := p.next()
		switch {
		case part.kind == nameToken:
			return attributeExpr(of, part)
		case part.kind == numberToken && pyvalue.TypeName(part.number) == "int":
			return itemExpr(of, constant(part.number), part.at)
		}
		p.fail(part.at, "unexpected %s, want a name or a number", part)
		return of
	}
	var keys []expr
	first := p.now()
	for !p.now().is(opToken, "]") && p.now().kind != endToken {
		if len(keys) > 0 {
			p.want(",")
		}
		if p.now().is(opToken, ":") {
			return p.slice(of, nil, first.at)
		}
		key := p.expression()
		if p.now().is(opToken, ":") {
			return p.slice(of, key, first.at)
		}
		keys = append(keys, key)
	}
	p.want("]")
	if len(keys) == 1 {
		return itemExpr(of, keys[0], first.at)
	}
	return itemExpr(of, listExpr(keys, true), first.at)
}

func attributeExpr(of expr, name token) expr {
	return func(s *scope) (value, error) {
		v, err := of(s)
		if err != nil {
			return nil, err
		}
		if v, err = s.run.member(v, name.text); err != nil {
			return nil, locate(err, name.at)
		}
		return v, nil
	}
}

func itemExpr(of, key expr, place int) expr {
	return func(s *scope) (value, error) {
		v, err := of(s)
		if err != nil {
			return nil, err
		}
		k, err := key(s)
		if err != nil {
			return nil, err
		}
		if v, err = s.run.subscript(v, k); err != nil {
			return nil, locate(err, place)
		}
		return v, nil
	}
}

// slice compiles the rest of [start:stop:step].
func (p *expressionParser) slice(of, start expr, place int) expr {
	bounds := [3]expr{start, nil, nil}
	for i := 1; i < 3 && p.skip(":"); i++ {
		if t := p.now(); !t.is(opToken, "]") && !t.is(opToken, ":") {
			bounds[i] = p.expression()
		}
	}
	p.want("]")
	return at(place, func(s *scope) (value, error) {
		v, err := of(s)
		if err != nil {
			return nil, err
		}
		var c [3]value
		for i, bound := range bounds {
			if bound == nil {
				continue
			}
			if c[i], err = bound(s); err != nil {
				return nil, err
			}
		}
		return s.run.Slice(v, c[0], c[1], c[2])
	})
}

// An arguments holds the compiled arguments of a call.
type arguments struct {
	pos   []expr
	names []string
	named []expr
	star  expr // *args; nil: none
	stars expr // **kwargs; nil: none
}

// arguments compiles arguments, starting at the opening parenthesis.
func (p *expressionParser) arguments() arguments {
	var a arguments
	p.want("(")
	for n := 0; !p.now().is(opToken, ")") && p.now().kind != endToken; n++ {
		if n > 0 {
			p.want(",")
			if p.now().is(opToken, ")") {
				break
			}
		}
		p.argument(&a)
	}
	p.want(")")
	return a
}

func (p *expressionParser) argument(a *arguments) {
	t := p.now()
	var valid bool
	switch {
	case p.skip("*"):
		valid = a.star == nil && a.stars == nil
		a.star = p.expression()
	case p.skip("**"):
		valid = a.stars == nil
		a.stars = p.expression()
	case t.kind == nameToken && p.ahead().is(opToken, "="):
		valid = a.stars == nil
		p.next()
		p.next()
		a.names = append(a.names, t.text)
		a.named = append(a.named, p.expression())
	default:
		valid = a.star == nil && a.stars == nil && a.names == nil
		a.pos = append(a.pos, p.expression())
	}
	if !valid {
		p.fail(t.at, "the order of the arguments is wrong: want positional ones, keywords, * and **")
	}
}

// evaluate returns the values of the arguments.
func (a *arguments) evaluate(s *scope) (v pyvalue.Args, err error) {
	if v.Pos, err = evaluate(s, a.pos); err != nil {
		return v, err
	}
	if v.Named, err = evaluate(s, a.named); err != nil {
		return v, err
	}
	v.Names = a.names[:len(a.names):len(a.names)]
	if a.star != nil {
		star, err := a.star(s)
		if err != nil {
			return v, err
		}
		items, err := s.run.Items(star)
		if err != nil {
			return v, err
		}
		v.Pos = append(v.Pos, items...)
	}
	if a.stars == nil {
		return v, nil
	}
	stars, err := a.stars(s)
	if err != nil {
		return v, err
	}
	return v, spread(&v, stars)
}

// spread adds the members of a dict as keyword arguments.
func spread(a *pyvalue.Args, v value) error {
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return fmt.Errorf("the argument after ** is '%s', want a dict", pyvalue.TypeName(v))
	}
	before := a.Names // the keys of d are distinct
	for key, item := range d.All() {
		name, ok := pyvalue.Text(key)
		if !ok {
			return fmt.Errorf("a key of the argument after ** is '%s', want str", pyvalue.TypeName(key))
		}
		if slices.Contains(before, name) {
			return fmt.Errorf("there are two values for keyword argument '%s'", name)
		}
		a.Names, a.Named = append(a.Names, name), append(a.Named, item)
	}
	return nil
}

func (p *expressionParser) call(of expr) expr {
	place := p.now().at
	return called(of, p.arguments(), place)
}

// called calls the value of an expression.
func called(of expr, a arguments, place int) expr {
	return at(place, func(s *scope) (value, error) {
		f, err := of(s)
		if err != nil {
			return nil, err
		}
		given, err := a.evaluate(s)
		if err != nil {
			return nil, err
		}
		return s.run.call(f, given)
	})
}

// dotted reads the name of a filter or a test.
func (p *expressionParser) dotted() string {
	parts := []string{p.wantName()}
	for p.skip(".") {
		parts = append(parts, p.wantName())
	}
	return strings.Join(parts, ".")
}

// routine looks up a filter or a test. An unknown one fails at once, or in the render like in
// jinja2.
func (p *expressionParser) routine(table map[string]*routine, what, name string, at int) *routine {
	t, err := lookup(table, what, name)
	switch {
	case err != nil && unsupported[name] && what == "filter":
		p.fail(at, "the filter %s is not supported", name)
	case err != nil && !p.soft && p.unknown == nil:
		p.unknown = locate(err, at)
	}
	if err != nil {
		return &routine{raw: func(*rendering, value, pyvalue.Args) (value, error) { return nil, err }}
	}
	return t
}

// filter compiles a filter, starting at its name.
func (p *expressionParser) filter(of expr) expr {
	place := p.now().at
	name := p.dotted()
	t := p.routine(p.lib.filters, "filter", name, place)
	var a arguments
	if p.now().is(opToken, "(") {
		a = p.arguments()
	}
	return applied(of, t, a, token{text: name, at: place})
}

// applied applies a filter or a test.
func applied(of expr, t *routine, a arguments, name token) expr {
	return func(s *scope) (value, error) {
		v, err := of(s)
		if err != nil {
			return nil, err
		}
		given, err := a.evaluate(s)
		if err != nil {
			return nil, err
		}
		if v, err = t.apply(s.run, name.text, v, given); err != nil {
			return nil, locate(err, name.at)
		}
		return v, nil
	}
}

// test compiles a test, starting at the word is.
func (p *expressionParser) test(of expr) expr {
	p.next()
	negated := p.skipName("not")
	place := p.now().at
	name := p.dotted()
	var a arguments
	switch t := p.now(); {
	case t.is(opToken, "("):
		a = p.arguments()
	case t.is(nameToken, "is"):
		p.fail(t.at, "tests cannot be chained: write 'and' between them")
	case t.kind == stringToken, t.kind == numberToken, t.is(opToken, "["), t.is(opToken, "{"),
		t.kind == nameToken && t.text != "else" && t.text != "or" && t.text != "and":
		a.pos = []expr{p.postfix(p.primary())}
	}
	e := applied(of, p.routine(p.lib.tests, "test", name, place), a, token{text: name, at: place})
	return func(s *scope) (value, error) {
		v, err := e(s)
		if err != nil {
			return nil, err
		}
		return pyvalue.Truth(v) != negated, nil
	}
}

// lastCall compiles an expression that ends with a call, and returns its callee and arguments.
func (p *expressionParser) lastCall() (of expr, a arguments) {
	place := p.now().at
	e := p.primary()
	for {
		switch t := p.now(); {
		case t.is(opToken, "."), t.is(opToken, "["):
			e = p.subscript(e)
			continue
		case t.is(opToken, "("):
			of, a = e, p.arguments()
			if p.now().kind == blockEnd || p.fault != nil {
				return of, a
			}
			e = called(of, a, place)
			continue
		}
		p.fail(place, "want a call")
		return e, a
	}
}
