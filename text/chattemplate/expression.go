package chattemplate

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// An expr is a compiled expression.
type expr func(s *scope) (value, error)

// An expressionParser compiles expressions, in one pass and without a tree.
type expressionParser struct {
	tokenStream
	lib     *library
	uses    []use  // names, in order
	soft    bool   // an unknown filter is an error only when used
	unknown *Error // the first one that is an error at once, unless a condition follows
}

// A use is a read or a write of a name.
type use struct {
	name string
	set  bool
}

// use records that the template reads or sets a name.
func (p *expressionParser) use(name string, set bool) { p.uses = append(p.uses, use{name, set}) }

// reads reports whether the template reads a name after a use, before setting it.
func (p *expressionParser) reads(since int, name string) bool {
	i := slices.IndexFunc(p.uses[since:], func(u use) bool { return u.name == name })
	return i >= 0 && !p.uses[since+i].set
}

// sets reports whether the template sets a name after a use.
func (p *expressionParser) sets(since int, name string) bool {
	return slices.Contains(p.uses[since:], use{name, true})
}

// check fails if there was an unknown filter or test.
func (p *expressionParser) check() {
	if p.fault == nil {
		p.fault = p.unknown
	}
}

// costed compiles an expression that spends one step per token.
func (p *expressionParser) costed(compile func() expr) expr {
	from := p.at
	e := compile()
	cost := p.at - from
	return func(s *scope) (value, error) {
		if err := s.run.Spend(cost); err != nil {
			return nil, err
		}
		return e(s)
	}
}

// at adds a position to the errors of an expression, unless they have one.
func at(place int, e expr) expr {
	return func(s *scope) (value, error) {
		v, err := e(s)
		if err != nil {
			return nil, locate(err, place)
		}
		return v, nil
	}
}

// tuple compiles one expression, or several separated by commas.
func (p *expressionParser) tuple() expr { return p.tupleOf(p.expression, false) }

// tupleOf compiles a tuple of items, if there is a comma. empty permits a tuple without items.
func (p *expressionParser) tupleOf(item func() expr, empty bool) expr {
	begin := p.now().at
	var items []expr
	comma := false
	for !p.tupleEnds() {
		items = append(items, item())
		if comma = p.now().is(opToken, ","); !comma {
			break
		}
		p.next()
	}
	if len(items) == 1 && !comma {
		return items[0]
	}
	if len(items) == 0 && !empty {
		p.fail(begin, "unexpected %s, want an expression", p.now())
	}
	return listExpr(items, true)
}

// tupleEnds reports whether a tuple ends here.
func (p *expressionParser) tupleEnds() bool {
	t := p.now()
	return t.kind == endToken || t.kind == blockEnd || t.kind == printEnd || t.is(opToken, ")")
}

// listExpr returns the expression of a list or a tuple.
func listExpr(items []expr, tuple bool) expr {
	return func(s *scope) (value, error) {
		values, err := evaluate(s, items)
		return &pyvalue.List{Items: values, Tuple: tuple}, err
	}
}

// evaluate returns the values of expressions.
func evaluate(s *scope, exprs []expr) ([]value, error) {
	if len(exprs) == 0 {
		return nil, nil
	}
	values := make([]value, len(exprs))
	for i, e := range exprs {
		var err error
		if values[i], err = e(s); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// expression compiles an expression with inline conditions.
func (p *expressionParser) expression() expr {
	p.enter()
	defer p.leave()
	soft, start := p.soft, p.now().at
	unknown := p.unknown
	e := p.or()
	for p.skipName("if") {
		p.soft, p.unknown = true, unknown
		then, test := e, p.or()
		other := func(*scope) (value, error) {
			return &pyvalue.Undefined{Message: "the inline if-expression evaluated to false and no else section was defined"}, nil
		}
		if p.skipName("else") {
			other = p.expression()
		}
		e = func(s *scope) (value, error) {
			v, err := test(s)
			if err != nil {
				return nil, err
			}
			if pyvalue.Truth(v) {
				return then(s)
			}
			return other(s)
		}
	}
	p.soft = soft
	return at(start, e)
}

func (p *expressionParser) or() expr {
	left := p.and()
	for p.skipName("or") {
		a, b := left, p.and()
		left = func(s *scope) (value, error) {
			if v, err := a(s); err != nil || pyvalue.Truth(v) {
				return v, err
			}
			return b(s)
		}
	}
	return left
}

func (p *expressionParser) and() expr {
	left := p.not()
	for p.skipName("and") {
		a, b := left, p.not()
		left = func(s *scope) (value, error) {
			if v, err := a(s); err != nil || !pyvalue.Truth(v) {
				return v, err
			}
			return b(s)
		}
	}
	return left
}

func (p *expressionParser) not() expr {
	if !p.skipName("not") {
		return p.comparison()
	}
	p.enter()
	defer p.leave()
	e := p.not()
	return func(s *scope) (value, error) {
		v, err := e(s)
		return !pyvalue.Truth(v), err
	}
}

// A term is an operator and its right operand.
type term struct {
	op string
	at int
	of expr
}

// comparisonOp returns the comparison at the current token; empty: none.
func (p *expressionParser) comparisonOp() string {
	t := p.now()
	switch {
	case t.kind == opToken && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text), t.is(nameToken, "in"):
		p.next()
		return t.text
	case t.is(nameToken, "not") && p.ahead().is(nameToken, "in"):
		p.next()
		p.next()
		return "not in"
	}
	return ""
}

// comparison compiles a chain of comparisons: a < b < c.
func (p *expressionParser) comparison() expr {
	left := p.sum()
	var chain []term
	for {
		place := p.now().at
		op := p.comparisonOp()
		if op == "" {
			break
		}
		chain = append(chain, term{op, place, p.sum()})
	}
	if chain == nil {
		return left
	}
	return func(s *scope) (value, error) {
		a, err := left(s)
		if err != nil {
			return nil, err
		}
		for _, t := range chain {
			b, err := t.of(s)
			if err != nil {
				return nil, err
			}
			if is, err := s.run.Compare(t.op, a, b); err != nil {
				return nil, locate(err, t.at)
			} else if !is {
				return false, nil
			}
			a = b
		}
		return true, nil
	}
}

// binary compiles a chain of operators of one precedence, left to right.
func (p *expressionParser) binary(operand func() expr, ops ...string) expr {
	left := operand()
	for p.now().kind == opToken && slices.Contains(ops, p.now().text) {
		t := p.next()
		left = operation(left, term{t.text, t.at, operand()})
	}
	return left
}

func operation(left expr, t term) expr {
	return func(s *scope) (value, error) {
		a, err := left(s)
		if err != nil {
			return nil, err
		}
		b, err := t.of(s)
		if err != nil {
			return nil, err
		}
		v, err := s.run.Operate(t.op, a, b)
		if err != nil {
			return nil, locate(err, t.at)
		}
		return v, nil
	}
}

func (p *expressionParser) sum() expr { return p.binary(p.concatenation, "+", "-") }

// concatenation compiles a ~ b, which joins all values as text.
func (p *expressionParser) concatenation() expr {
	left := p.product()
	if !p.now().is(opToken, "~") {
		return left
	}
	place, parts := p.now().at, []expr{left}
	for p.skip("~") {
		parts = append(parts, p.product())
	}
	return at(place, func(s *scope) (value, error) {
		values, err := evaluate(s, parts)
		if err != nil {
			return nil, err
		}
		var b []byte
		for _, v := range values {
			text, err := s.run.Str(v)
			if err != nil {
				return nil, err
			}
			b = append(b, text...)
			if err := s.run.Room(len(b)); err != nil {
				return nil, err
			}
		}
		return string(b), nil
	})
}

func (p *expressionParser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }

// power compiles a ** b, left to right like jinja2.
func (p *expressionParser) power() expr {
	return p.binary(func() expr { return p.unary(true) }, "**")
}

// unary compiles a sign, or a value. Filters apply to the signed value.
func (p *expressionParser) unary(filtered bool) expr {
	p.enter()
	defer p.leave()
	t := p.now()
	var e expr
	switch {
	case p.skip("-"):
		e = signed("-", p.unary(false), t.at)
	case p.skip("+"):
		e = signed("+", p.unary(false), t.at)
	default:
		e = p.primary()
	}
	e = p.postfix(e)
	if filtered {
		e = p.filtered(e)
	}
	return e
}

// postfix compiles the suffixes of a value: attributes, items, calls.
func (p *expressionParser) postfix(e expr) expr {
	for {
		switch t := p.now(); {
		case t.is(opToken, "."), t.is(opToken, "["):
			e = p.subscript(e)
		case t.is(opToken, "("):
			e = p.call(e)
		default:
			return e
		}
	}
}

// filtered compiles the suffixes after those: filters, tests, calls.
func (p *expressionParser) filtered(e expr) expr {
	for {
		switch t := p.now(); {
		case t.is(opToken, "|"):
			p.next()
			e = p.filter(e)
		case t.is(nameToken, "is"):
			e = p.test(e)
		case t.is(opToken, "("):
			e = p.call(e)
		default:
			return e
		}
	}
}

// constant returns an expression that is always v.
func constant(v value) expr { return func(*scope) (value, error) { return v, nil } }

// primary compiles a name, a literal or a bracketed expression.
func (p *expressionParser) primary() expr {
	t := p.now()
	switch {
	case t.kind == nameToken:
		return p.name()
	case t.kind == stringToken:
		var text strings.Builder
		for p.now().kind == stringToken { // adjacent strings are one
			text.WriteString(p.next().text)
		}
		return constant(text.String())
	case t.kind == numberToken:
		p.next()
		return constant(t.number)
	case p.skip("("):
		p.enter()
		e := p.tupleOf(p.expression, true)
		p.leave()
		p.want(")")
		return e
	case p.skip("["):
		return p.listLiteral()
	case p.skip("{"):
		return p.dictLiteral()
	}
	p.unexpected("an expression")
	return constant(nil)
}

// name compiles a constant or a variable.
func (p *expressionParser) name() expr {
	t := p.next()
	switch t.text {
	case "true", "True":
		return constant(true)
	case "false", "False":
		return constant(false)
	case "none", "None":
		return constant(nil)
	}
	if unsupported[t.text] && p.lib.filters[t.text] == nil && t.text == "lipsum" {
		p.fail(t.at, "the function %s is not supported", t.text)
	}
	p.use(t.text, false)
	return func(s *scope) (value, error) { return s.get(t.text), nil }
}

func (p *expressionParser) listLiteral() expr {
	var items []expr
	for !p.now().is(opToken, "]") {
		if len(items) > 0 {
			p.want(",")
			if p.now().is(opToken, "]") {
				break
			}
		}
		if p.now().kind == endToken {
			break
		}
		items = append(items, p.expression())
	}
	p.want("]")
	return listExpr(items, false)
}

func (p *expressionParser) dictLiteral() expr {
	place := p.now().at
	var keys, values []expr
	for !p.now().is(opToken, "}") {
		if len(keys) > 0 {
			p.want(",")
			if p.now().is(opToken, "}") {
				break
			}
		}
		if p.now().kind == endToken {
			break
		}
		keys = append(keys, p.expression())
		p.want(":")
		values = append(values, p.expression())
	}
	p.want("}")
	return at(place, func(s *scope) (value, error) {
		d := pyvalue.NewDict(len(keys))
		for i := range keys {
			key, err := keys[i](s)
			if err != nil {
				return nil, err
			}
			v, err := values[i](s)
			if err != nil {
				return nil, err
			}
			if err := s.run.SetItem(d, key, v); err != nil {
				return nil, err
			}
		}
		return d, nil
	})
}

// signed applies a sign.
func signed(sign string, e expr, place int) expr {
	return at(place, func(s *scope) (value, error) {
		v, err := e(s)
		if err != nil {
			return nil, err
		}
		return pyvalue.Unary(sign, v)
	})
}
