package jsonform

import (
	"fmt"
	"strconv"
)

// mostNested is the greatest depth of nested values that encoding/json reads.
const mostNested = 10_000

// A syntax looks for the first character at which a text stops being JSON.
type syntax struct {
	text []byte
	at   int
	why  string // the fault, in the words of Go 1.26
}

// invalid says why text does not begin with a JSON value, or if whole, is not one; empty: it is.
func invalid(text []byte, whole bool) string {
	s := syntax{text: text}
	if s.value(0) && whole && s.next() != 0 {
		s.fail("after top-level value")
	}
	return s.why
}

// fail refuses the current character; context says where it stands. Past the end, a space stands.
func (s *syntax) fail(context string) bool {
	c := byte(' ')
	if s.at < len(s.text) {
		c = s.text[s.at]
	}
	quoted := strconv.Quote(string(rune(c))) // of one byte, also within a character of several
	quoted = quoted[1 : len(quoted)-1]
	switch c {
	case '\'':
		quoted = `\'`
	case '"':
		quoted = `"`
	}
	s.why = fmt.Sprintf("invalid character '%s' %s", quoted, context)
	return false
}

// unexpected refuses the current character, or the end.
func (s *syntax) unexpected(context string) bool {
	if s.at < len(s.text) {
		return s.fail(context)
	}
	s.why = "unexpected end of JSON input"
	return false
}

// next skips white space and returns the next character; 0: the end, or a character 0.
func (s *syntax) next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
		case 0:
			return 0xff // as invalid as any other
		default:
			return c
		}
	}
	return 0
}

// value skips a value.
func (s *syntax) value(depth int) bool {
	switch c := s.next(); c {
	case '{', '[':
		if depth == mostNested {
			return s.fail("exceeded max depth")
		}
		s.at++
		if c == '{' {
			return s.object(depth + 1)
		}
		return s.array(depth + 1)
	case '"':
		return s.quoted()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number()
	}
	return s.unexpected("looking for beginning of value")
}

// object skips the rest of an object.
func (s *syntax) object(depth int) bool {
	if s.next() == '}' {
		s.at++
		return true
	}
	for {
		if s.next() != '"' {
			return s.unexpected("looking for beginning of object key string")
		}
		if !s.quoted() {
			return false
		}
		if s.next() != ':' {
			return s.unexpected("after object key")
		}
		s.at++
		if !s.value(depth) {
			return false
		}
		c := s.next()
		if c != ',' && c != '}' {
			return s.unexpected("after object key:value pair")
		}
		s.at++
		if c == '}' {
			return true
		}
	}
}

// array skips the rest of an array.
func (s *syntax) array(depth int) bool {
	if s.next() == ']' {
		s.at++
		return true
	}
	for {
		if !s.value(depth) {
			return false
		}
		c := s.next()
		if c != ',' && c != ']' {
			return s.unexpected("after array element")
		}
		s.at++
		if c == ']' {
			return true
		}
	}
}

// quoted skips a string.
func (s *syntax) quoted() bool {
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return true
		case c == '\\':
			s.at++
			if !s.escape() {
				return false
			}
		case c < ' ':
			return s.fail("in string literal")
		}
	}
	return s.unexpected("")
}

// escape goes to the last character of an escape, after its backslash.
func (s *syntax) escape() bool {
	switch s.current() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
	default:
		return s.fail("in string escape code")
	}
	for range 4 {
		s.at++
		if c := s.current(); c-'0' > 9 && c|0x20-'a' > 5 {
			return s.fail(`in \u hexadecimal character escape`)
		}
	}
	return true
}

// current returns the current character, a space at the end.
func (s *syntax) current() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return ' '
}

// word skips a literal.
func (s *syntax) word(literal string) bool {
	for i := range len(literal) {
		if s.current() != literal[i] {
			return s.fail(fmt.Sprintf("in literal %s (expecting %q)", literal, literal[i]))
		}
		s.at++
	}
	return true
}

// number skips a number.
func (s *syntax) number() bool {
	if s.current() == '-' {
		s.at++
	}
	if s.current() == '0' {
		s.at++
	} else if !s.digits() {
		return s.fail("in numeric literal")
	}
	if s.current() == '.' {
		s.at++
		if !s.digits() {
			return s.fail("after decimal point in numeric literal")
		}
	}
	if s.current()|0x20 == 'e' {
		s.at++
		if c := s.current(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return s.fail("in exponent of numeric literal")
		}
	}
	return true
}

// digits skips decimal digits, and reports whether there were any.
func (s *syntax) digits() bool {
	from := s.at
	for s.current()-'0' <= 9 {
		s.at++
	}
	return s.at > from
}
