package chattemplate

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A stmt is a compiled statement, or several.
type stmt func(s *scope) (signal, error)

// A signal says how a statement ended.
type signal uint8

const (
	goesOn    signal = iota
	breaks           // leave the loop
	continues        // start the next iteration
)

// A statementParser compiles statements.
type statementParser struct {
	expressionParser
	loops int // enclosing loops that break can leave
}

// template compiles a whole template.
func (p *statementParser) template() stmt {
	body, _ := p.body(nil)
	return body
}

// endTag skips the end of a tag, or fails.
func (p *statementParser) endTag() {
	p.check()
	if p.now().kind != blockEnd {
		p.unexpected("%}")
	}
	p.next()
}

// body compiles statements up to a tag with one of the names, skips the name and returns it.
// Without names it compiles to the end of the template.
func (p *statementParser) body(ends []string) (body stmt, end string) {
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
		default: // no other token occurs outside tags
			p.next()
			if tag := p.now(); tag.kind == nameToken && slices.Contains(ends, tag.text) {
				p.next()
				return sequence(list), tag.text
			}
			list = append(list, p.statement())
		}
	}
}

// sequence runs statements in order.
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

func data(text string) stmt {
	return func(s *scope) (signal, error) {
		if err := s.run.Spend(1); err != nil {
			return goesOn, err
		}
		return goesOn, s.run.write(text)
	}
}

// print compiles a statement that writes a value.
func (p *statementParser) print(compile func() expr) stmt {
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

func (r *rendering) print(v value) error {
	text, err := r.Str(v)
	if err != nil {
		return err
	}
	return r.write(text)
}

// printText writes the value of a block, which must be text.
func (r *rendering) printText(v value) error {
	text, ok := pyvalue.Text(v)
	if !ok {
		return fmt.Errorf("the block gives '%s', want str", pyvalue.TypeName(v))
	}
	return r.write(text)
}
