package chattemplate

import "github.com/quintain-rl/quintain/text/pyvalue"

// statement compiles a statement, starting at its name.
func (p *statementParser) statement() stmt {
	t := p.now()
	if t.kind != nameToken {
		p.unexpected("the name of a tag")
		return nil
	}
	p.next()
	switch t.text {
	case "if":
		return p.condition()
	case "for":
		return p.loop()
	case "set":
		return p.set()
	case "print":
		return p.printTag()
	case "macro":
		return p.macro(t.at)
	case "call":
		return p.callBlock(t.at)
	case "filter":
		return p.filterBlock()
	case "with":
		return p.with()
	case "generation":
		return p.generation()
	case "break":
		return p.jump(t, breaks)
	case "continue":
		return p.jump(t, continues)
	case "block", "extends", "include", "import", "from", "autoescape":
		p.fail(t.at, "the tag '%s' is not supported", t.text)
	default:
		p.fail(t.at, "unknown tag '%.100s'", t.text)
	}
	return nil
}

// printTag compiles print; its values are adjacent.
func (p *statementParser) printTag() stmt {
	var list []stmt
	for len(list) == 0 || p.skip(",") {
		list = append(list, p.print(p.expression))
	}
	p.endTag()
	return sequence(list)
}

// jump compiles break and continue.
func (p *statementParser) jump(t token, sig signal) stmt {
	if p.loops == 0 {
		p.fail(t.at, "'%s' stands outside of a loop", t.text)
	}
	p.endTag()
	return func(*scope) (signal, error) { return sig, nil }
}

// A branch is a condition and its body.
type branch struct {
	test expr // nil: else
	body stmt
}

// condition compiles if, elif and else.
func (p *statementParser) condition() stmt {
	soft := p.soft
	p.soft = true
	defer func() { p.soft = soft }()
	ends := []string{"elif", "else", "endif"}
	var branches []branch
	for end := "elif"; end != "endif" && p.fault == nil; {
		var b branch
		if end == "elif" {
			b.test = p.costed(func() expr { return p.tupleOf(p.or, false) })
		} else {
			ends = ends[2:]
		}
		p.endTag()
		b.body, end = p.body(ends)
		branches = append(branches, b)
	}
	p.endTag()
	return func(s *scope) (signal, error) {
		for _, b := range branches {
			if b.test == nil {
				return b.body(s)
			}
			v, err := b.test(s)
			if err != nil {
				return goesOn, err
			}
			if pyvalue.Truth(v) {
				return b.body(s)
			}
		}
		return goesOn, nil
	}
}

// A forLoop is a compiled loop.
type forLoop struct {
	target    target
	source    expr
	test      expr // nil: none
	body      stmt
	other     stmt // nil: none
	recursive bool
	at        int
}

// loop compiles for.
func (p *statementParser) loop() stmt {
	since := len(p.uses)
	f := forLoop{at: p.now().at, target: p.target()}
	if !p.skipName("in") {
		p.unexpected("'in'")
	}
	f.source = p.costed(func() expr { return p.tupleOf(p.or, false) })
	soft := p.soft
	p.soft = false
	if p.skipName("if") {
		f.test = p.costed(p.expression)
	}
	f.recursive = p.skipName("recursive")
	p.endTag()
	loops := p.loops
	p.loops++
	var end string
	f.body, end = p.body([]string{"else", "endfor"})
	p.loops = loops
	if end == "else" {
		if f.recursive {
			p.loops = 0
		}
		p.endTag()
		f.other, _ = p.body([]string{"endfor"})
		p.loops = loops
	}
	p.endTag()
	p.soft = soft
	if p.sets(since, "loop") {
		p.fail(f.at, "a loop sets its own variable 'loop'")
	}
	return f.do
}

// do runs the loop.
func (f *forLoop) do(s *scope) (signal, error) {
	source, err := f.source(s)
	if err != nil {
		return goesOn, err
	}
	sig, err := f.over(s, source, 0)
	if err != nil {
		return goesOn, locate(err, f.at)
	}
	return sig, nil
}

// over runs the loop for the items of source.
func (f *forLoop) over(s *scope, source value, depth int) (signal, error) {
	items, err := s.run.Items(source)
	if err != nil {
		return goesOn, err
	}
	l := &loop{run: s.run, source: items, depth: depth}
	if f.test == nil {
		l.taken, l.source = items, nil
	} else {
		inner := s.inner()
		l.test = func(item value) (bool, error) {
			inner.clear()
			if err := f.target.set(inner, item); err != nil {
				return false, err
			}
			v, err := f.test(inner)
			return pyvalue.Truth(v), err
		}
	}
	if f.recursive {
		l.again = func(l *loop, source value) (value, error) { return f.again(s, source, l.depth+1) }
	}
	inner, finished := s.inner(), false
	for ; ; l.at++ {
		more, err := l.has(l.at)
		if err != nil {
			return goesOn, err
		}
		if !more {
			break
		}
		sig, err := f.iteration(inner, l)
		if err != nil {
			return goesOn, err
		}
		if sig == breaks {
			break
		}
		finished = finished || sig == goesOn
	}
	if !finished && f.other != nil { // jinja2 does not count iterations that break or continue cut short
		return f.other(s.inner())
	}
	return goesOn, nil
}

// iteration runs the body for the current item.
func (f *forLoop) iteration(s *scope, l *loop) (signal, error) {
	s.clear()
	s.set("loop", l)
	if err := f.target.set(s, l.taken[l.at]); err != nil {
		return goesOn, err
	}
	if err := s.run.Spend(1); err != nil {
		return goesOn, err
	}
	return f.body(s)
}

// again renders the loop for other items, and returns the text.
func (f *forLoop) again(s *scope, source value, depth int) (value, error) {
	if err := s.run.enter(); err != nil {
		return nil, err
	}
	defer func() { s.run.calls-- }()
	text, _, err := s.run.capture(s, func(s *scope) (signal, error) { return f.over(s, source, depth) })
	return text, err
}

// with compiles with; its values cannot see its variables.
func (p *statementParser) with() stmt {
	var targets []target
	var values []expr
	for p.now().kind != blockEnd && p.fault == nil {
		if len(targets) > 0 {
			p.want(",")
		}
		targets = append(targets, p.target())
		p.want("=")
		values = append(values, p.costed(p.expression))
	}
	p.endTag()
	body := p.apart("endwith")
	return func(s *scope) (signal, error) {
		inner := s.inner()
		for i, e := range values {
			v, err := e(s)
			if err != nil {
				return goesOn, err
			}
			if err := targets[i].set(inner, v); err != nil {
				return goesOn, err
			}
		}
		return body(inner)
	}
}

// apart compiles the body of a block with its own scope, and its end.
func (p *statementParser) apart(end string) stmt {
	soft := p.soft
	p.soft = false
	body, _ := p.body([]string{end})
	p.endTag()
	p.soft = soft
	return body
}

// written is the variable with the output of a block. No template can name it.
const written = "(written)"

// blockFilters compiles the filters of a block; the first may lack its |.
func (p *statementParser) blockFilters(bare bool) expr {
	return p.costed(func() expr {
		e := func(s *scope) (value, error) { return s.get(written), nil }
		for bare || p.skip("|") {
			bare = false
			e = p.filter(e)
		}
		return e
	})
}

// written returns the filtered output of body. sig is not goesOn if the body left a loop.
func (s *scope) written(body stmt, filters expr) (v value, sig signal, err error) {
	text, sig, err := s.run.capture(s.inner(), body)
	if err != nil || sig != goesOn {
		return nil, sig, err
	}
	inner := s.inner()
	inner.set(written, text)
	v, err = filters(inner)
	return v, goesOn, err
}

// filterBlock compiles a filter for the output of a block.
func (p *statementParser) filterBlock() stmt {
	place := p.now().at
	filters := p.blockFilters(true)
	p.endTag()
	body := p.apart("endfilter")
	return func(s *scope) (signal, error) {
		v, sig, err := s.written(body, filters)
		if err != nil || sig != goesOn {
			return sig, err
		}
		if err := s.run.printText(v); err != nil {
			return goesOn, locate(err, place)
		}
		return goesOn, nil
	}
}

// generation compiles a block of the assistant's text.
func (p *statementParser) generation() stmt {
	p.endTag()
	loops := p.loops
	p.loops = 0
	body := p.apart("endgeneration")
	p.loops = loops
	return func(s *scope) (signal, error) {
		r := s.run
		start := len(r.out)
		if _, err := body(s.inner()); err != nil {
			return goesOn, err
		}
		if r.captures == 0 {
			r.spans = append(r.spans, Span{start, len(r.out)})
		}
		return goesOn, nil
	}
}
