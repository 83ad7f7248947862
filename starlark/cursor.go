package starlark

import "fmt"

// A cursor goes through the tokens of a program.
type cursor struct {
	tokens []token
	next   int
	nested int    // expressions and statements around this place
	fault  *Error // the first; nothing is read after it
}

func (c *cursor) now() token { return c.tokens[c.next] }

// take returns the token that is next and goes on.
func (c *cursor) take() token {
	t := c.tokens[c.next]
	if t.kind != endToken {
		c.next++
	}
	return t
}

// skip goes on if a token with the text is next, and reports whether.
func (c *cursor) skip(text string) bool {
	if c.now().is(text) {
		c.next++
		return true
	}
	return false
}

// want goes on if a token with the text is next, and fails otherwise.
func (c *cursor) want(text string) {
	if !c.skip(text) {
		c.fail(c.now(), "unexpected %s, want '%s'", c.now(), text)
	}
}

// wantKind takes a token of a kind, and fails if another is next.
func (c *cursor) wantKind(kind kind, name string) token {
	t := c.now()
	if t.kind != kind {
		c.fail(t, "unexpected %s, want %s", t, name)
		return t
	}
	return c.take()
}

// fail ends the parser with an error at a token.
func (c *cursor) fail(t token, format string, args ...any) {
	if c.fault == nil {
		c.fault = &Error{t.at.line, t.at.column, fmt.Sprintf(format, args...)}
	}
	c.next = len(c.tokens) - 1
}

// deeper reports whether something may stand within what is being read. The caller calls
// shallower when it has read it.
func (c *cursor) deeper() bool {
	if c.nested++; c.nested > maxNested {
		c.fail(c.now(), "the program is nested more than %d deep", maxNested)
	}
	return c.fault == nil
}

func (c *cursor) shallower() { c.nested-- }
