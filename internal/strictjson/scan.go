package strictjson

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// deepest is the greatest depth of values that a scanner accepts.
const deepest = 200

// A scanner goes through JSON once.
type scanner struct {
	text []byte
	at   int // index of the next character
}

// next skips white space and returns the next character without consuming it; 0: the end.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\t', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// ended reports whether only white space is left.
func (s *scanner) ended() bool { return s.next() == 0 && s.at == len(s.text) }

// value skips a value that stands within depth others, and reports whether it is valid.
func (s *scanner) value(depth int) bool {
	switch c := s.next(); c {
	case '"':
		_, valid := s.quoted()
		return valid
	case '{':
		return depth < deepest && s.object(func([]byte) bool { return s.value(depth + 1) })
	case '[':
		return depth < deepest && s.elements(depth+1)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// object goes through an object. Member skips the value after a name, and reports whether to go on.
func (s *scanner) object(member func(name []byte) bool) bool {
	return s.each('}', func(int) bool {
		if s.next() != '"' {
			return false
		}
		name, valid := s.quoted()
		if !valid || s.next() != ':' {
			return false
		}
		s.at++
		return member(name)
	})
}

// array goes through an array. Element skips the element with an index, and reports whether to go on.
func (s *scanner) array(element func(i int) bool) bool { return s.each(']', element) }

// elements skips an array whose elements stand within depth others: as [scanner.array], but faster.
func (s *scanner) elements(depth int) bool {
	s.at++
	if s.next() == ']' {
		s.at++
		return true
	}
	for s.value(depth) {
		c := byte(0)
		if s.at < len(s.text) {
			c = s.text[s.at]
		}
		if c != ',' && c != ']' {
			c = s.next()
		}
		s.at++
		if c != ',' {
			return c == ']'
		}
	}
	return false
}

// each skips the first character, what part skips, commas between, and the end.
func (s *scanner) each(end byte, part func(i int) bool) bool {
	s.at++
	if s.next() == end {
		s.at++
		return true
	}
	for i := 0; part(i); i++ {
		switch s.next() {
		case ',':
			s.at++
		case end:
			s.at++
			return true
		default:
			return false
		}
	}
	return false
}

// word skips a literal.
func (s *scanner) word(literal string) bool {
	if !bytes.HasPrefix(s.text[s.at:], []byte(literal)) {
		return false
	}
	s.at += len(literal)
	return true
}

// quoted skips a string and returns the text between its quotes, with the escapes.
func (s *scanner) quoted() (inner []byte, valid bool) {
	text, from := s.text, s.at+1
	for i := from; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			s.at = i + 1
			return text[from:i], true
		case c == '\\':
			n := escapeLength(text[i:])
			if n == 0 {
				return nil, false
			}
			i += n
		case c < ' ':
			return nil, false
		default:
			i++
		}
	}
	return nil, false
}

// escapeLength returns the length of the escape at the start of text; 0: invalid.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, valid := hexadecimal(text); valid {
			return 6
		}
	}
	return 0
}

// hexadecimal returns the number of the escape \uXXXX at the start of text.
func hexadecimal(text []byte) (r rune, valid bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20-'a' < 6:
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// number skips a number.
func (s *scanner) number() bool {
	text, i := s.text, s.at
	if i < len(text) && text[i] == '-' {
		i++
	}
	from := i
	if i = pastDigits(text, i); i == from || text[from] == '0' && i > from+1 {
		return false
	}
	if i < len(text) && text[i] == '.' {
		from = i + 1
		if i = pastDigits(text, from); i == from {
			return false
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		from = i
		if i = pastDigits(text, from); i == from {
			return false
		}
	}
	s.at = i
	return true
}

// pastDigits returns the index of the first character from i on that is no decimal digit.
func pastDigits(text []byte, i int) int {
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	return i
}

// Members calls each with the name and the value of every member of text, a JSON object,
// in order, until it returns false. Both are parts of text. Members reports whether it
// reached the end of a valid object. It also reports false for an object with escapes in
// its names, or nested too deep; it may then have called each.
func Members(text []byte, each func(name, value []byte) bool) bool {
	s := scanner{text: text}
	return s.next() == '{' && s.object(func(name []byte) bool {
		value := s.raw()
		return value != nil && bytes.IndexByte(name, '\\') < 0 && utf8.Valid(name) && each(name, value)
	}) && s.ended()
}

// Elements calls each with every element of text, a JSON array, in order, until it returns
// false. Elements reports whether it reached the end of a valid array. It also reports
// false for one nested too deep; it may then have called each.
func Elements(text []byte, each func(value []byte) bool) bool {
	s := scanner{text: text}
	return s.next() == '[' && s.array(func(int) bool {
		value := s.raw()
		return value != nil && each(value)
	}) && s.ended()
}

// raw skips a value and returns its text; nil: it is invalid.
func (s *scanner) raw() []byte {
	s.next()
	from := s.at
	if !s.value(1) {
		return nil
	}
	return s.text[from:s.at]
}

// Text returns the text of a valid JSON value if it is a string. plain is false for other
// values, and for strings with half a surrogate pair or invalid UTF-8.
func Text(value []byte) (text string, plain bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	return unquoted(value[1 : len(value)-1])
}

// unquoted returns the text of what stands between the quotes of a valid string; see [Text].
func unquoted(inner []byte) (text string, plain bool) {
	if !utf8.Valid(inner) {
		return "", false
	}
	at := bytes.IndexByte(inner, '\\')
	if at < 0 {
		return string(inner), true
	}
	out := make([]byte, 0, len(inner))
	for ; at >= 0; at = bytes.IndexByte(inner, '\\') {
		r, n := unescape(inner[at:])
		if n == 0 {
			return "", false
		}
		out = utf8.AppendRune(append(out, inner[:at]...), r)
		inner = inner[at+n:]
	}
	return string(append(out, inner...)), true
}

// unescape returns the character of the escape, or the surrogate pair of escapes, at the
// start of text, and its length; 0: not a character.
func unescape(text []byte) (r rune, length int) {
	switch text[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r, _ = hexadecimal(text)
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		low, valid := hexadecimal(text[6:])
		if r = utf16.DecodeRune(r, low); !valid || r == utf8.RuneError {
			return 0, 0
		}
		return r, 12
	}
	return rune(text[1]), 2
}

// Int returns the number of a valid JSON value if it is a whole number in plain digits.
func Int(value []byte) (n int, plain bool) {
	if len(value) == 0 || len(value) > 18 || value[0] != '-' && value[0]-'0' > 9 {
		return 0, false
	}
	n, err := strconv.Atoi(string(value))
	return n, err == nil
}

// Float returns a finite number, or a truth value as 1 or 0.
func Float(value []byte) (x float64, ok bool) {
	switch string(value) {
	case "true":
		return 1, true
	case "false":
		return 0, true
	case "", "null":
		return 0, false
	}
	return x, Unmarshal(value, &x) == nil
}
