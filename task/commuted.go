package task

import (
	"slices"
	"strings"
)

// Commuted writes an expression with the terms of every sum and the factors of every product in
// order, for a [Canonicalizer]: who knows 3 + 5 knows 5 + 3. Names replaces names in it; the
// other names, and numbers, stay as they are. It returns an expression that it cannot read
// without spaces.
//
// It reads numbers and names, brackets, + - * /, the powers ** and ^, the shifts << and >>, and
// functions with one argument.
func Commuted(expression string, names map[string]string) string {
	c := commuter{text: strings.ReplaceAll(expression, " ", ""), names: names}
	if text := c.shift(); !c.failed && c.at == len(c.text) {
		return text
	}
	return c.text
}

// A commuter reads an expression by recursive descent.
type commuter struct {
	text   string
	names  map[string]string
	at     int
	depth  int
	failed bool
}

// mostNested limits the depth of brackets and signs.
const mostNested = 200

// takes moves on over a sign if it comes next.
func (c *commuter) takes(sign string) bool {
	if !strings.HasPrefix(c.text[c.at:], sign) {
		return false
	}
	c.at += len(sign)
	return true
}

// shift reads sums that are shifted, in their order.
func (c *commuter) shift() string {
	text := c.sum()
	for !c.failed {
		switch {
		case c.takes("<<"):
			text = "(" + text + "<<" + c.sum() + ")"
		case c.takes(">>"):
			text = "(" + text + ">>" + c.sum() + ")"
		default:
			return text
		}
	}
	return text
}

// sum reads terms.
func (c *commuter) sum() string {
	return c.inOrder("+-", c.product)
}

// product reads factors.
func (c *commuter) product() string {
	return c.inOrder("*/", c.signed)
}

// inOrder reads parts between two signs, the first of which needs no sign, and puts them in
// order.
func (c *commuter) inOrder(signs string, part func() string) string {
	first := part()
	if c.at == len(c.text) || strings.IndexByte(signs, c.text[c.at]) < 0 {
		return first
	}
	parts := append(make([]string, 0, 8), signs[:1]+first)
	for !c.failed && c.at < len(c.text) && strings.IndexByte(signs, c.text[c.at]) >= 0 {
		sign := c.text[c.at : c.at+1]
		c.at++
		parts = append(parts, sign+part())
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// signed reads a factor with or without minus signs and a power.
func (c *commuter) signed() string {
	if c.depth++; c.depth > mostNested {
		c.failed = true
		return ""
	}
	defer func() { c.depth-- }()
	if c.takes("-") {
		return "-" + c.signed()
	}
	text := c.atom()
	if c.takes("**") || c.takes("^") {
		text += "^" + c.signed()
	}
	return text
}

// atom reads a number, a name, a function of something, or something in brackets.
func (c *commuter) atom() string {
	start := c.at
	for c.at < len(c.text) && isWordByte(c.text[c.at]) {
		c.at++
	}
	name := c.text[start:c.at]
	if other, known := c.names[name]; known {
		name = other
	}
	if c.failed || !c.takes("(") {
		c.failed = c.failed || name == ""
		return name
	}
	inner := c.shift()
	c.failed = c.failed || !c.takes(")")
	return name + "(" + inner + ")"
}

// isWordByte reports whether a byte belongs to a number or a name.
func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '.' || b == '_'
}
