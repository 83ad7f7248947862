package chattemplate

import (
	"fmt"
	"slices"
)

// An expr is a compiled expression.
type expr func(s *scope) (value, error)

// A stmt is a compiled statement, or several.
type stmt func(s *scope) (signal, error)

// A signal says how a statement ended.
type signal uint8

const (
	goesOn    signal = iota
	breaks           // out of the loop
	continues        // with the next iteration
)

// A parser compiles tokens, in one pass and without a tree. After the first error every
// token is the end, so that all it does comes to an end too.
type parser struct {
	tokens []token
	at     int
	lib    *library
	fault  *Error

	depth int   // of tags and brackets within each other
	loops int   // around here, that break can leave
	uses  []use // of names, in order

	soft    bool   // an unknown filter is an error only when it is used
	unknown *Error // the first one that is an error at once, unless a condition follows
}

// A use is where a name is read or set.
type use struct {
	name string
	set  bool
}

// template compiles a whole template.
func (p *parser) template() stmt {
	body, _ := p.body(nil)
	return body
}

// now returns the current token.
func (p *parser) now() token {
	if p.fault != nil {
		return p.tokens[len(p.tokens)-1]
	}
	return p.tokens[p.at]
}

// ahead returns the token after the current one.
func (p *parser) ahead() token {
	if p.fault != nil {
		return p.now()
	}
	return p.tokens[min(p.at+1, len(p.tokens)-1)]
}

// next returns the current token and goes on to the one after it.
func (p *parser) next() token {
	t := p.now()
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	return t
}

// fail sets the first error.
func (p *parser) fail(at int, format string, args ...any) {
	if p.fault == nil {
		p.fault = faultf(at, format, args...)
	}
}

// unexpected fails at the current token.
func (p *parser) unexpected(want string) {
	p.fail(p.now().at, "unexpected %s, want %s", p.now(), want)
}

// String names a token in messages.
func (t token) String() string {
	switch t.kind {
	case dataToken:
		return "text"
	case blockBegin:
		return "{%"
	case blockEnd:
		return "%}"
	case printBegin:
		return "{{"
	case printEnd:
		return "}}"
	case nameToken:
		return "'" + t.text[:min(len(t.text), 100)] + "'"
	case stringToken:
		return "string"
	case numberToken:
		return "number"
	case opToken:
		return "'" + t.text + "'"
	}
	return "end of the template"
}

// skip goes past an operator if it is here.
func (p *parser) skip(op string) bool {
	found := p.now().is(opToken, op)
	if found {
		p.next()
	}
	return found
}

// skipName goes past a keyword if it is here.
func (p *parser) skipName(name string) bool {
	found := p.now().is(nameToken, name)
	if found {
		p.next()
	}
	return found
}

// want goes past an operator, which must be here.
func (p *parser) want(op string) {
	if !p.skip(op) {
		p.unexpected("'" + op + "'")
	}
}

// wantName returns a name, which must be here.
func (p *parser) wantName() string {
	if p.now().kind != nameToken {
		p.unexpected("a name")
		return ""
	}
	return p.next().text
}

// endTag goes past the end of a tag, which must be here.
func (p *parser) endTag() {
	p.check()
	if p.now().kind != blockEnd {
		p.unexpected("%}")
	}
	p.next()
}

// check fails if there was an unknown filter or test.
func (p *parser) check() {
	if p.fault == nil {
		p.fault = p.unknown
	}
}

// enter counts a level of nesting; leave takes it back.
func (p *parser) enter() {
	if p.depth++; p.depth > maxParse {
		p.fail(p.now().at, "tags or brackets stand within each other more than %d deep", maxParse)
	}
}

func (p *parser) leave() { p.depth-- }

// use notes that a name is read or set.
func (p *parser) use(name string, set bool) { p.uses = append(p.uses, use{name, set}) }

// reads reports whether a name is read since a use, before it is set.
func (p *parser) reads(since int, name string) bool {
	i := slices.IndexFunc(p.uses[since:], func(u use) bool { return u.name == name })
	return i >= 0 && !p.uses[since+i].set
}

// sets reports whether a name is set since a use.
func (p *parser) sets(since int, name string) bool {
	return slices.Contains(p.uses[since:], use{name, true})
}

// body compiles statements up to a tag with one of the names, and goes past the name; it
// returns which. Without names it compiles up to the end of the template.
func (p *parser) body(ends []string) (body stmt, end string) {
	p.enter()
	defer p.leave()
	var list []stmt
	for {
		switch t := p.now(); t.kind {
		case endToken:
			if ends != nil {
				p.unexpected("{% " + ends[len(ends)-1] + " %}")
			}
			return sequence(list), ""
		case dataToken:
			p.next()
			list = append(list, data(t.text))
		case printBegin:
			p.next()
			list = append(list, p.print(p.tuple))
			p.check()
			if p.now().kind != printEnd {
				p.unexpected("}}")
			}
			p.next()
		default: // no other token is outside of tags
			p.next()
			if tag := p.now(); tag.kind == nameToken && slices.Contains(ends, tag.text) {
				p.next()
				return sequence(list), tag.text
			}
			list = append(list, p.statement())
		}
	}
}

// sequence runs statements one after the other.
func sequence(list []stmt) stmt {
	if len(list) == 1 {
		return list[0]
	}
	return func(s *scope) (signal, error) {
		for _, do := range list {
			if sig, err := do(s); sig != goesOn || err != nil {
				return sig, err
			}
		}
		return goesOn, nil
	}
}

// data writes text.
func data(text string) stmt {
	return func(s *scope) (signal, error) {
		if err := s.run.spend(1); err != nil {
			return goesOn, err
		}
		return goesOn, s.run.write(text)
	}
}

// print compiles what writes a value.
func (p *parser) print(compile func() expr) stmt {
	at := p.now().at
	e := p.costed(compile)
	return func(s *scope) (signal, error) {
		v, err := e(s)
		if err != nil {
			return goesOn, locate(err, at)
		}
		if err := s.run.print(v); err != nil {
			return goesOn, locate(err, at)
		}
		return goesOn, nil
	}
}

// print writes a value.
func (r *run) print(v value) error {
	text, err := r.str(v)
	if err != nil {
		return err
	}
	return r.write(text)
}

// printText writes the value of a block, which must be text.
func (r *run) printText(v value) error {
	text, is := plain(v)
	if !is {
		return fmt.Errorf("the block gives '%s', want str", typeName(v))
	}
	return r.write(text)
}

// costed compiles an expression that takes as many steps as it has tokens.
func (p *parser) costed(compile func() expr) expr {
	from := p.at
	e := compile()
	cost := p.at - from
	return func(s *scope) (value, error) {
		if err := s.run.spend(cost); err != nil {
			return nil, err
		}
		return e(s)
	}
}

// at gives the errors of an expression a place, unless they have one.
func at(place int, e expr) expr {
	return func(s *scope) (value, error) {
		v, err := e(s)
		if err != nil {
			return nil, locate(err, place)
		}
		return v, nil
	}
}
