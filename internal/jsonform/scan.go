package jsonform

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is the greatest nesting depth that a scanner accepts.
const maxDepth = 200

// A scanner goes through JSON.
type scanner struct {
	text   []byte
	at     int  // index of the next character
	spaced bool // it skipped white space
}

// next skips white space and returns the next character without consuming it; 0: the end.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\t', '\r':
			s.at, s.spaced = s.at+1, true
		default:
			return c
		}
	}
	return 0
}

// value skips a value, and reports whether it is valid.
func (s *scanner) value(depth int) bool {
	switch c := s.next(); c {
	case '"':
		_, valid := s.quoted()
		return valid
	case '{':
		return depth < maxDepth && s.object(depth, nil)
	case '[':
		return depth < maxDepth && s.array(depth, nil)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// word skips a literal.
func (s *scanner) word(literal string) bool {
	if !bytes.HasPrefix(s.text[s.at:], []byte(literal)) {
		return false
	}
	s.at += len(literal)
	return true
}

// object skips an object. If each is not nil, object calls it with every member; if it
// returns false, the object counts as invalid.
func (s *scanner) object(depth int, each func(name, value []byte) bool) bool {
	s.at++
	if s.next() == '}' {
		s.at++
		return true
	}
	for {
		if s.next() != '"' {
			return false
		}
		name, valid := s.quoted()
		if !valid || s.next() != ':' {
			return false
		}
		s.at++
		s.next()
		from := s.at
		if !s.value(depth + 1) {
			return false
		}
		if each != nil && !(plainName(name) && each(name, s.text[from:s.at])) {
			return false
		}
		switch s.next() {
		case ',':
			s.at++
		case '}':
			s.at++
			return true
		default:
			return false
		}
	}
}

// plainName reports whether a name is valid and has no escapes.
func plainName(name []byte) bool { return bytes.IndexByte(name, '\\') < 0 && utf8.Valid(name) }

// array skips an array. If each is not nil, array calls it with every element; if it
// returns false, the array counts as invalid.
func (s *scanner) array(depth int, each func(value []byte) bool) bool {
	s.at++
	if s.next() == ']' {
		s.at++
		return true
	}
	for {
		s.next()
		from := s.at
		if !s.value(depth+1) || each != nil && !each(s.text[from:s.at]) {
			return false
		}
		switch s.next() {
		case ',':
			s.at++
		case ']':
			s.at++
			return true
		default:
			return false
		}
	}
}

// quoted skips a string and returns the text between its quotes, with the escapes.
func (s *scanner) quoted() (inner []byte, valid bool) {
	s.at++
	from := s.at
	for {
		s.at += plainUntil(s.text[s.at:])
		if s.at >= len(s.text) {
			return nil, false
		}
		switch s.text[s.at] {
		case '"':
			s.at++
			return s.text[from : s.at-1], true
		case '\\':
			n := escapeLength(s.text[s.at:])
			if n == 0 {
				return nil, false
			}
			s.at += n
		default:
			return nil, false
		}
	}
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

func (s *scanner) number() bool {
	if s.at < len(s.text) && s.text[s.at] == '-' {
		s.at++
	}
	first := s.at
	if !s.digits() || s.text[first] == '0' && s.at > first+1 {
		return false
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if !s.digits() {
			return false
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		return s.digits()
	}
	return true
}

// digits skips decimal digits, and reports whether there were any.
func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.text) && s.text[s.at]-'0' <= 9 {
		s.at++
	}
	return s.at > from
}

// Members calls each with the name and the value of every member of text, a JSON object,
// in order, until it returns false. Both are parts of text. Members reports whether it
// reached the end of a valid object. It also reports false for an object with escapes in
// its names, or nested too deep; it may then have called each.
func Members(text []byte, each func(name, value []byte) bool) bool {
	s := scanner{text: text}
	return s.next() == '{' && s.object(0, each) && s.next() == 0 && s.at == len(text)
}

// Elements calls each with every element of text, a JSON array, in order, until it returns
// false. Elements reports whether it reached the end of a valid array. It also reports
// false for one nested too deep; it may then have called each.
func Elements(text []byte, each func(value []byte) bool) bool {
	s := scanner{text: text}
	return s.next() == '[' && s.array(0, each) && s.next() == 0 && s.at == len(text)
}

// Text returns the text of a valid JSON value if it is a string. plain is false for other
// values, and for strings with half a surrogate pair or invalid UTF-8.
func Text(value []byte) (text string, plain bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	value = value[1 : len(value)-1]
	if !utf8.Valid(value) {
		return "", false
	}
	at := bytes.IndexByte(value, '\\')
	if at < 0 {
		return string(value), true
	}
	out := make([]byte, 0, len(value))
	for ; at >= 0; at = bytes.IndexByte(value, '\\') {
		r, n := unescape(value[at:])
		if n == 0 {
			return "", false
		}
		out = utf8.AppendRune(append(out, value[:at]...), r)
		value = value[at+n:]
	}
	return string(append(out, value...)), true
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

// appendCompact appends a JSON value without white space, and unless e writes legibly, with the escapes of
// AppendText.
func (e *Encoder) appendCompact(dst, text []byte) ([]byte, error) {
	s := scanner{text: text}
	if s.value(0) && s.at == len(text) && !s.spaced && (e.legible || !hasWebSigns(text)) {
		return append(dst, text...), nil
	}
	var dense, safe bytes.Buffer
	if err := json.Compact(&dense, text); err != nil {
		return dst, explain(err, reading{text: text, whole: true}, nil)
	}
	if e.legible {
		return append(dst, dense.Bytes()...), nil
	}
	json.HTMLEscape(&safe, dense.Bytes())
	return append(dst, safe.Bytes()...), nil
}
