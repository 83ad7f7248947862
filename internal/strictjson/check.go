package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A Fault says where and why a text is not the JSON that [Check] wants.
type Fault struct {
	Path string // the members and indices that lead to the fault, such as "messages[3].content"; empty: the whole
	Why  string
}

// Error implements error.
func (f *Fault) Error() string {
	if f.Path == "" {
		return f.Why
	}
	return f.Path + ": " + f.Why
}

// mostMembers is how many members of an object Check accepts.
const mostMembers = 100_000

// Check returns nil if text is one JSON value that every reader understands alike: UTF-8, no
// object with a name twice or with more than 100,000 members, no half of a surrogate pair, and
// at most depth values within each other. Its time grows with the length of text, whatever
// the text is.
func Check(text []byte, depth int) *Fault {
	c := checker{scanner: scanner{text: text}, depth: depth}
	valid := c.value(0) && c.ended()
	if !valid && c.fault == nil {
		c.fault = &Fault{}
	}
	if !valid && c.fault.Why == "" {
		c.fault.Why = fmt.Sprint(inWords(json.Unmarshal(text, new(json.RawMessage)))) // which says what is no JSON
	}
	return c.fault
}

// A checker is a scanner that says why it stops.
type checker struct {
	scanner
	depth int // the greatest
	fault *Fault
}

// refuse keeps the reason to stop.
func (c *checker) refuse(format string, args ...any) bool {
	c.fault = &Fault{Why: fmt.Sprintf(format, args...)}
	return false
}

// below puts a step before the path of the fault.
func (c *checker) below(step string) bool {
	if c.fault == nil {
		c.fault = &Fault{}
	}
	if path := c.fault.Path; path != "" && path[0] != '[' {
		step += "."
	}
	c.fault.Path = step + c.fault.Path
	return false
}

// value skips a value that stands within depth others.
func (c *checker) value(depth int) bool {
	switch first := c.next(); {
	case (first == '{' || first == '[') && depth >= c.depth:
		return c.refuse("is nested deeper than %d", c.depth)
	case first == '{':
		return c.members(depth + 1)
	case first == '[':
		return c.array(func(i int) bool { return c.value(depth+1) || c.below("["+strconv.Itoa(i)+"]") })
	case first == '"':
		inner, valid := c.quoted()
		return valid && c.characters(inner)
	}
	return c.scanner.value(depth)
}

// characters refuses the inside of a valid string that has no text.
func (c *checker) characters(inner []byte) bool {
	if !utf8.Valid(inner) {
		return c.refuse("is not UTF-8")
	}
	for at := bytes.IndexByte(inner, '\\'); at >= 0; at = bytes.IndexByte(inner, '\\') {
		_, n := unescape(inner[at:])
		if n == 0 {
			return c.refuse("has half a surrogate pair")
		}
		inner = inner[at+n:]
	}
	return true
}

// members skips an object.
func (c *checker) members(depth int) bool {
	var seen nameSet
	return c.object(func(name []byte) bool {
		switch {
		case !c.characters(name):
			return false
		case seen.add(name):
			c.refuse("stands there twice")
			return c.below(shown(name))
		case len(seen.many) > mostMembers:
			return c.refuse("has more than %d members", mostMembers)
		}
		return c.value(depth) || c.below(shown(name))
	})
}

// shown returns a name as written, but not too long.
func shown(name []byte) string {
	const longest = 64 // bytes
	if len(name) > longest {
		name = append(bytes.ToValidUTF8(name[:longest], nil), "…"...)
	}
	return string(name)
}

// A nameSet holds the names of one object.
type nameSet struct {
	few  [][]byte
	many map[string]bool // all of them, once there are more than few
}

// add adds a valid name, as written between its quotes, and reports whether it was there.
func (n *nameSet) add(name []byte) bool {
	const few = 16
	if bytes.IndexByte(name, '\\') >= 0 {
		plain, _ := unquoted(name)
		name = []byte(plain)
	}
	if n.many != nil {
		known := n.many[string(name)]
		n.many[string(name)] = true
		return known
	}
	if slices.ContainsFunc(n.few, func(other []byte) bool { return bytes.Equal(other, name) }) {
		return true
	}
	if n.few = append(n.few, name); len(n.few) > few {
		n.many = map[string]bool{}
		for _, other := range n.few {
			n.many[string(other)] = true
		}
	}
	return false
}
