package expr

import "fmt"

// A cursor goes through tokens, and keeps the first error and the nesting depth.
type cursor struct {
	tokens []token
	at     int
	depth  int
	err    error
}

func (p *cursor) peek() token { return p.tokens[p.at] }

func (p *cursor) peekAt(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

// take consumes and returns the next token.
func (p *cursor) take() token {
	t := p.tokens[p.at]
	if t.kind != kEnd {
		p.at++
	}
	return t
}

// accept consumes the next token if it is op.
func (p *cursor) accept(op string) bool {
	if p.peek().is(op) {
		p.at++
		return true
	}
	return false
}

// expect consumes op, or fails.
func (p *cursor) expect(op string) {
	if !p.accept(op) {
		p.fail("stands where %q is expected", op)
	}
}

// fail keeps the first error, and moves to the end so that the parser stops.
func (p *cursor) fail(format string, args ...any) *Node {
	if p.err == nil {
		t := p.peek()
		name := fmt.Sprintf("%.20q", t.text)
		if t.kind == kEnd {
			name = "the end"
		}
		p.err = fmt.Errorf(name+" "+format, args...)
	}
	p.at = len(p.tokens) - 1
	return Int(0)
}

// enter begins a level of nesting; leave ends it.
func (p *cursor) enter() bool {
	if p.depth++; p.depth > MaxDepth {
		p.fail("is nested more than %d deep", MaxDepth)
		return false
	}
	return true
}

func (p *cursor) leave() { p.depth-- }
