package atropos

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A scanner reads JSON text once, from front to back. Each method leaves it after the text
// it read; after an error its position is undefined.
type scanner struct {
	data   []byte
	at     int
	tens   *tens
	mem    *memory // nil: every value gets its own memory
	limits Limits
	texts  [][]byte // JSON of the rows of tokens, without brackets
}

// newScanner returns a scanner at the first value of data, which may begin with a
// byte-order mark.
func newScanner(data []byte) (*scanner, *Error) {
	s := &scanner{data: bytes.TrimPrefix(data, []byte("\ufeff")), tens: powersOfTen()}
	if s.space(); s.at == len(s.data) {
		return nil, &Error{Type: TypeMissing, Msg: "Field required"}
	}
	return s, nil
}

// notUnicode returns the error for text that is not UTF-8. Strings are checked as they are
// read; outside of strings, only ASCII is JSON.
func notUnicode() *Error { return &Error{Type: TypeUnreadable, Msg: "the body is not UTF-8"} }

// end reports an error if anything but space follows the value.
func (s *scanner) end() *Error {
	if s.space(); s.at < len(s.data) {
		return s.syntax("want nothing after the value")
	}
	return nil
}

// syntax returns the error that the text is not JSON at this point.
func (s *scanner) syntax(want string) *Error {
	return &Error{Type: TypeInvalid, Loc: []any{s.at}, Msg: want}
}

// wrong returns the error that the next value has the wrong type.
func (s *scanner) wrong(kind, msg string) *Error {
	start := s.at
	if f := s.skip(1); f != nil {
		return f
	}
	e := &Error{Type: kind, Msg: msg}
	if s.at-start <= maxShown {
		e.Input = string(s.data[start:s.at])
	}
	return e
}

// peek returns the next byte; 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.data) && isSpace(s.data[s.at]) {
		s.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// word skips w if the next bytes are w, and reports whether they are.
func (s *scanner) word(w string) bool {
	if len(s.data)-s.at < len(w) || string(s.data[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}

// open skips the first byte of an array.
func (s *scanner) open() *Error {
	if s.peek() != '[' {
		return s.wrong(TypeList, "Input should be a valid list")
	}
	s.at++
	return nil
}

// more reports whether another element follows. If so, it skips the comma, which the first
// element lacks; if not, it skips end.
func (s *scanner) more(first bool, end byte) (bool, *Error) {
	s.space()
	c := s.peek()
	switch {
	case c == end:
		s.at++
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, s.syntax("want a comma or the end of the list")
	}
	s.at++
	s.space()
	return true, nil
}

// A shape describes an array before it is read.
type shape[T any] struct {
	spine *arena[T] // nil: its own memory
	room  int       // expected elements
	most  int       // most elements; 0: no limit
}

// list reads an array; one reads each element. The slice is nil only on an error.
func list[T any](s *scanner, as shape[T], one func() (T, *Error)) ([]T, *Error) {
	if f := s.open(); f != nil {
		return nil, f
	}
	all := as.spine.begin(as.room)
	for first := true; ; first = false {
		more, f := s.more(first, ']')
		if f != nil {
			return nil, f
		}
		if !more {
			return as.spine.end(all), nil
		}
		if as.most > 0 && len(all) == as.most {
			return nil, tooLong(as.most)
		}
		v, f := one()
		if f != nil {
			return nil, f.in(len(all))
		}
		if len(all) == cap(all) {
			var ok bool
			if all, ok = as.spine.more(all); !ok {
				return nil, noMemory()
			}
		}
		all = append(all, v)
	}
}

// tooLong returns the error of an array with too many elements.
func tooLong(most int) *Error {
	return &Error{Type: TypeLong, Msg: "List should have at most " + strconv.Itoa(most) + " elements"}
}

// noMemory ends the reading; the error that counts is memory.reserve's.
func noMemory() *Error { return &Error{Type: TypeValue, Msg: "there is no memory for it"} }

// object reads an object. field must read the value of each key, even of an ignored one.
func (s *scanner) object(field func(key []byte) *Error) *Error {
	if s.peek() != '{' {
		return s.wrong(TypeObject, "Input should be a valid dictionary")
	}
	s.at++
	for first := true; ; first = false {
		more, f := s.more(first, '}')
		if f != nil || !more {
			return f
		}
		key, f := s.key()
		if f != nil {
			return f
		}
		if f := field(key); f != nil {
			return f.in(string(key))
		}
	}
}

// key reads a key of an object, and skips to its value.
func (s *scanner) key() ([]byte, *Error) {
	if s.peek() != '"' {
		return nil, s.syntax("want a key in double quotes")
	}
	key, f := s.text()
	if f != nil {
		return nil, f
	}
	if s.space(); s.peek() != ':' {
		return nil, s.syntax("want a colon after the key")
	}
	s.at++
	s.space()
	return key, nil
}

// text reads a string and returns its content, a part of data if it has no escapes.
func (s *scanner) text() ([]byte, *Error) {
	start := s.at
	plain, f := s.quoted()
	if f != nil {
		return nil, f
	}
	if plain {
		return s.data[start+1 : s.at-1], nil
	}
	if s.at-start > maxEscaped {
		return nil, &Error{Type: TypeValue, Msg: "a name or a short text should not have " + strconv.Itoa(maxEscaped) + " bytes"}
	}
	var text string
	if err := strictjson.Unmarshal(s.data[start:s.at], &text); err != nil {
		s.at = start
		return nil, s.syntax("want a string")
	}
	return []byte(text), nil
}

// quoted skips a string with its quotes, and reports whether it has no escapes.
func (s *scanner) quoted() (plain bool, f *Error) {
	plain = true
	start := s.at
	s.at++
	high := uint64(0)
	for {
		high |= s.letters()
		switch s.peek() {
		case '"':
			s.at++
			if high&0x8080808080808080 != 0 && !utf8.Valid(s.data[start:s.at]) {
				return false, notUnicode()
			}
			return plain, nil
		case '\\':
			plain = false
			if f := s.escape(); f != nil {
				return false, f
			}
		default:
			return false, s.syntax("want the end of the string, and no control characters in it")
		}
	}
}

// letters skips the characters of a string up to the next quote, backslash or control
// character, and returns the bitwise or of their bytes.
func (s *scanner) letters() (over uint64) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	data, at := s.data, s.at
	for at+8 <= len(data) {
		x := binary.LittleEndian.Uint64(data[at:])
		quote, slash := x^'"'*ones, x^'\\'*ones
		// The highest bit of a byte is set if it is below a space, or is a quote or a
		// backslash; a borrow affects only later bytes.
		if stop := (x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash; stop&tops != 0 {
			break
		}
		over |= x
		at += 8
	}
	for at < len(data) && data[at] >= ' ' && data[at] != '"' && data[at] != '\\' {
		over |= uint64(data[at])
		at++
	}
	s.at = at
	return over
}

// escape skips an escape, or both escapes of a surrogate pair.
func (s *scanner) escape() *Error {
	s.at++
	if c := s.peek(); c != 'u' {
		if strings.IndexByte(`"\/bfnrt`, c) < 0 {
			return s.syntax("want a valid escape")
		}
		s.at++
		return nil
	}
	r, ok := s.hex()
	if !ok {
		return s.syntax("want four hexadecimal digits")
	}
	if r < 0xd800 || r >= 0xe000 {
		return nil
	}
	if r < 0xdc00 && s.word(`\`) && s.peek() == 'u' {
		if low, ok := s.hex(); ok && low >= 0xdc00 && low < 0xe000 {
			return nil
		}
	}
	return &Error{Type: TypeUnicode, Msg: "Input should be Unicode text: it has a lone surrogate"}
}

// hex reads the letter u and four hexadecimal digits.
func (s *scanner) hex() (uint64, bool) {
	if len(s.data)-s.at < 5 {
		return 0, false
	}
	r, err := strconv.ParseUint(string(s.data[s.at+1:s.at+5]), 16, 32)
	s.at += 5
	return r, err == nil
}

// raw reads any value and returns its text.
func (s *scanner) raw() (json.RawMessage, *Error) {
	start := s.at
	if f := s.skip(1); f != nil {
		return nil, f
	}
	return s.keep(s.data[start:s.at]), nil
}

// keep returns text in memory that the group may refer to.
func (s *scanner) keep(text []byte) json.RawMessage {
	if s.mem != nil {
		return text[:len(text):len(text)]
	}
	return bytes.Clone(text)
}

// skip reads any value, at the given depth, and reports the first fault in it.
func (s *scanner) skip(depth int) *Error {
	if depth > MaxDepth {
		return &Error{Type: TypeUnreadable, Msg: "the body is nested too deeply"}
	}
	switch c := s.peek(); {
	case c == '"':
		_, f := s.quoted()
		return f
	case c == '{':
		return s.object(func([]byte) *Error { return s.skip(depth + 1) })
	case c == '[':
		return s.skipList(depth)
	case c == 't' && s.word("true"), c == 'f' && s.word("false"), c == 'n' && s.word("null"):
		return nil
	}
	_, f := s.number()
	return f
}

func (s *scanner) skipList(depth int) *Error {
	s.at++
	for i := 0; ; i++ {
		more, f := s.more(i == 0, ']')
		if f != nil || !more {
			return f
		}
		if f := s.skip(depth + 1); f != nil {
			return f.in(i)
		}
	}
}
