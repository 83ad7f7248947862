package chattemplate

import (
	"errors"
	"fmt"
	"slices"
)

// A target is the left side of an assignment: a name, a namespace's attribute, or several
// targets.
type target struct {
	name      string
	attribute string
	parts     []target
	at        int
}

// target compiles a target: one, or several separated by commas.
func (p *statementParser) target() target {
	t := target{at: p.now().at}
	comma := false
	for {
		if u := p.now(); t.parts != nil && (u.is(opToken, ")") || u.kind == blockEnd) {
			break
		}
		t.parts = append(t.parts, p.oneTarget())
		if !p.skip(",") {
			break
		}
		comma = true
	}
	if len(t.parts) == 1 && !comma {
		return t.parts[0]
	}
	return t
}

// oneTarget compiles a name, an attribute, or targets in parentheses.
func (p *statementParser) oneTarget() target {
	p.enter()
	defer p.leave()
	if p.skip("(") {
		t := p.target()
		p.want(")")
		return t
	}
	t := target{at: p.now().at, name: p.wantName()}
	if slices.Contains([]string{"true", "false", "none", "True", "False", "None"}, t.name) {
		p.fail(t.at, "cannot assign to '%s'", t.name)
	}
	if p.skip(".") {
		t.attribute = p.wantName()
		p.use(t.name, false)
	} else {
		p.use(t.name, true)
	}
	return t
}

// set assigns v.
func (t *target) set(s *scope, v value) error {
	if t.attribute != "" {
		ns, ok := s.get(t.name).(*namespace)
		if !ok {
			return locate(errors.New("cannot assign attribute on non-namespace object"), t.at)
		}
		ns.members.Set(t.attribute, v)
		return nil
	}
	if t.parts == nil {
		s.set(t.name, v)
		return nil
	}
	items, err := s.run.Items(v)
	if err != nil {
		return locate(err, t.at)
	}
	if len(items) != len(t.parts) {
		return locate(fmt.Errorf("%d values for %d names", len(items), len(t.parts)), t.at)
	}
	for i := range t.parts {
		if err := t.parts[i].set(s, items[i]); err != nil {
			return err
		}
	}
	return nil
}

// set compiles set, with a value or the output of a block.
func (p *statementParser) set() stmt {
	t := p.target()
	if p.skip("=") {
		e := p.costed(p.tuple)
		p.endTag()
		return func(s *scope) (signal, error) {
			v, err := e(s)
			if err != nil {
				return goesOn, err
			}
			return goesOn, t.set(s, v)
		}
	}
	filters := p.blockFilters(false)
	p.endTag()
	body := p.apart("endset")
	return func(s *scope) (signal, error) {
		v, sig, err := s.written(body, filters)
		if err != nil || sig != goesOn {
			return sig, err
		}
		return goesOn, t.set(s, v)
	}
}

func (p *statementParser) macro(place int) stmt {
	name := p.wantName()
	p.use(name, true)
	m := p.callable(name, place, "endmacro")
	return func(s *scope) (signal, error) {
		made := m
		made.scope = s
		s.set(name, &made)
		return goesOn, nil
	}
}

// callable compiles the parameters and the body of a macro or a call block.
func (p *statementParser) callable(name string, place int, end string) macro {
	m := macro{name: name, params: p.params()}
	p.endTag()
	p.finish(&m, place, end)
	return m
}

// finish compiles the body of a macro.
func (p *statementParser) finish(m *macro, place int, end string) {
	loops, since := p.loops, len(p.uses)
	p.loops = 0
	m.body = p.apart(end)
	p.loops = loops
	named := func(name string) bool {
		return slices.ContainsFunc(m.params, func(q param) bool { return q.name == name })
	}
	m.caller = p.reads(since, "caller")
	m.explicit = named("caller")
	m.kwargs = p.reads(since, "kwargs") && !named("kwargs")
	m.varargs = p.reads(since, "varargs") && !named("varargs")
	if m.explicit && m.caller && m.params[slices.IndexFunc(m.params, func(q param) bool { return q.name == "caller" })].other == nil {
		p.fail(place, "the parameter 'caller' needs a default; add one or omit it")
	}
}

// params compiles the parameters of a macro.
func (p *statementParser) params() []param {
	var params []param
	p.want("(")
	for p.fault == nil && !p.now().is(opToken, ")") {
		if len(params) > 0 {
			p.want(",")
		}
		place := p.now().at
		q := param{name: p.oneTarget().name}
		if p.skip("=") {
			q.other = p.costed(p.expression)
		} else if len(params) > 0 && params[len(params)-1].other != nil {
			p.fail(place, "parameter '%s' without a default follows one with a default", q.name)
		}
		params = append(params, q)
	}
	p.want(")")
	return params
}

// callBlock compiles call: its macro may render the block as caller().
func (p *statementParser) callBlock(place int) stmt {
	m := macro{name: "caller"}
	if p.now().is(opToken, "(") {
		m.params = p.params()
	}
	of, a := p.lastCall()
	p.endTag()
	p.finish(&m, place, "endcall")
	return func(s *scope) (signal, error) {
		f, err := of(s)
		if err != nil {
			return goesOn, locate(err, place)
		}
		given, err := a.evaluate(s)
		if err != nil {
			return goesOn, locate(err, place)
		}
		caller := m
		caller.scope = s
		given.Names, given.Named = append(given.Names, "caller"), append(given.Named, &caller)
		v, err := s.run.call(f, given)
		if err != nil {
			return goesOn, locate(err, place)
		}
		if err := s.run.printText(v); err != nil {
			return goesOn, locate(err, place)
		}
		return goesOn, nil
	}
}
