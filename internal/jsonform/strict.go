package jsonform

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A StrictError says where and why a text is not the JSON that [Strict] wants.
type StrictError struct {
	Path string // the members and indices that lead to the fault, such as "messages[3].content"; empty: the whole
	Why  string
}

// Error implements error.
func (e *StrictError) Error() string {
	if e.Path == "" {
		return e.Why
	}
	return e.Path + ": " + e.Why
}

// mostMembers is how many members of an object Strict accepts.
const mostMembers = 100_000

// Strict returns nil if text is one JSON value that every reader understands alike: UTF-8, no
// object with a name twice or with more than 100,000 members, no half of a surrogate pair, and
// at most deepest values within each other. Its time grows with the length of text, whatever
// the text is.
func Strict(text []byte, deepest int) *StrictError {
	s := strict{scanner: scanner{text: text}, deepest: deepest}
	fault := s.value(0)
	if fault == nil && (s.next() != 0 || s.at != len(text)) {
		fault = &StrictError{Why: invalid(text, true)}
	}
	return fault
}

// strict is a scanner that says why it stops.
type strict struct {
	scanner
	deepest int
}

// value skips a value that stands within depth others.
func (s *strict) value(depth int) *StrictError {
	c := s.next()
	if (c == '{' || c == '[') && depth >= s.deepest {
		return &StrictError{Why: fmt.Sprintf("is nested deeper than %d", s.deepest)}
	}
	switch c {
	case '"':
		_, fault := s.quoted()
		return fault
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
	}
	if !s.scanner.value(depth) {
		return s.invalid()
	}
	return nil
}

// invalid says why the text stops being JSON.
func (s *strict) invalid() *StrictError { return &StrictError{Why: invalid(s.text, true)} }

// quoted skips a string and returns the text between its quotes, with the escapes.
func (s *strict) quoted() ([]byte, *StrictError) {
	inner, valid := s.scanner.quoted()
	switch {
	case !valid:
		return nil, s.invalid()
	case !utf8.Valid(inner):
		return nil, &StrictError{Why: "is not UTF-8"}
	case !wholePairs(inner):
		return nil, &StrictError{Why: "has half a surrogate pair"}
	}
	return inner, nil
}

// wholePairs reports whether the surrogates among the escapes of a valid string make pairs.
func wholePairs(inner []byte) bool {
	for {
		at := bytes.IndexByte(inner, '\\')
		if at < 0 {
			return true
		}
		_, n := unescape(inner[at:])
		if n == 0 {
			return false
		}
		inner = inner[at+n:]
	}
}

// object skips an object.
func (s *strict) object(depth int) *StrictError {
	s.at++
	if s.next() == '}' {
		s.at++
		return nil
	}
	var seen nameSet
	for {
		if s.next() != '"' {
			return s.invalid()
		}
		name, fault := s.quoted()
		if fault != nil {
			return fault
		}
		if s.next() != ':' {
			return s.invalid()
		}
		s.at++
		if seen.add(name) {
			return (&StrictError{Why: "stands there twice"}).under(name)
		}
		if len(seen.many) > mostMembers {
			return &StrictError{Why: fmt.Sprintf("has more than %d members", mostMembers)}
		}
		if fault := s.value(depth + 1); fault != nil {
			return fault.under(name)
		}
		switch s.next() {
		case ',':
			s.at++
		case '}':
			s.at++
			return nil
		default:
			return s.invalid()
		}
	}
}

// array skips an array.
func (s *strict) array(depth int) *StrictError {
	s.at++
	if s.next() == ']' {
		s.at++
		return nil
	}
	for i := 0; ; i++ {
		if fault := s.value(depth + 1); fault != nil {
			return fault.below("[" + strconv.Itoa(i) + "]")
		}
		switch s.next() {
		case ',':
			s.at++
		case ']':
			s.at++
			return nil
		default:
			return s.invalid()
		}
	}
}

// under puts the name of a member, as written, before the path.
func (e *StrictError) under(name []byte) *StrictError {
	const longest = 64 // bytes of a name to show
	if len(name) > longest {
		name = append(bytes.ToValidUTF8(name[:longest], nil), "…"...)
	}
	return e.below(string(name))
}

// below puts step before the path.
func (e *StrictError) below(step string) *StrictError {
	if e.Path != "" && !strings.HasPrefix(e.Path, "[") {
		step += "."
	}
	e.Path = step + e.Path
	return e
}

// A nameSet holds the names of one object.
type nameSet struct {
	few  [][]byte
	many map[string]bool // all of them, once there are more than few
}

// add adds a name, as written between its quotes, and reports whether it was there.
func (n *nameSet) add(name []byte) bool {
	const few = 16
	if bytes.IndexByte(name, '\\') >= 0 {
		plain, _ := Text(append(append([]byte{'"'}, name...), '"'))
		name = []byte(plain)
	}
	if n.many == nil {
		for _, other := range n.few {
			if bytes.Equal(other, name) {
				return true
			}
		}
		if n.few = append(n.few, name); len(n.few) <= few {
			return false
		}
		n.many = map[string]bool{}
		for _, other := range n.few {
			n.many[string(other)] = true
		}
		return false
	}
	if n.many[string(name)] {
		return true
	}
	n.many[string(name)] = true
	return false
}
