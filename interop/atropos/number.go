package atropos

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A literal is the text of a JSON number.
type literal struct {
	text  []byte
	whole bool // without fraction and exponent
}

// number reads a number that a float can hold, or a whole one.
func (s *scanner) number() (literal, *Error) {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	if s.word("NaN") || s.word("Infinity") {
		return literal{}, notFinite(s.data[start:s.at])
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		s.at = start
		return literal{}, s.syntax("want a value")
	}
	whole := s.at
	if s.peek() == '.' {
		if s.at++; !s.digits() {
			return literal{}, s.syntax("want a digit after the point")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return literal{}, s.syntax("want a digit in the exponent")
		}
	}
	lit := literal{s.data[start:s.at], s.at == whole}
	if len(lit.text) > maxNumber {
		return literal{}, &Error{Type: TypeUnreadable, Msg: "a number is too long"}
	}
	if !lit.whole && math.IsInf(lit.float(), 0) {
		return literal{}, notFinite(lit.text)
	}
	return lit, nil
}

// digits skips digits, and reports whether there were any.
func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.data) && s.data[s.at]-'0' <= 9 {
		s.at++
	}
	return s.at > start
}

// float returns the nearest float; an infinity if the number is out of range.
func (l literal) float() float64 {
	v, _ := strconv.ParseFloat(string(l.text), 64) // the text is a number: out of range is the only error
	if l.whole && v == 0 {
		return 0 // -0 is an integer, which has no sign
	}
	return v
}

func notFinite(text []byte) *Error {
	return &Error{Type: TypeFinite, Msg: "Input should be a finite number", Input: string(strictjson.AppendLegible(nil, string(text[:min(len(text), maxShown)])))}
}

// int reads an integer between low and high: a number without a fraction, true or false for
// 1 or 0, or a string that holds an integer.
func (s *scanner) int(low, high int64) (int64, *Error) {
	v, f := s.anyInt()
	if f != nil {
		return 0, f
	}
	if v < low || v > high {
		return 0, &Error{Type: TypeRange, Input: strconv.FormatInt(v, 10),
			Msg: "Input should be between " + strconv.FormatInt(low, 10) + " and " + strconv.FormatInt(high, 10)}
	}
	return v, nil
}

// anyInt reads anything that may stand for an integer.
func (s *scanner) anyInt() (int64, *Error) {
	switch c := s.peek(); {
	case s.word("true"):
		return 1, nil
	case s.word("false"):
		return 0, nil
	case c == '"':
		start := s.at
		text, f := s.text()
		if f != nil {
			return 0, f
		}
		v, ok := wholeText(text)
		if !ok {
			s.at = start
			return 0, s.wrong(TypeIntText, "Input should be a valid integer, unable to parse string as an integer")
		}
		return v, nil
	case c != '-' && c != 'N' && c != 'I' && c-'0' > 9:
		return 0, s.wrong(TypeInt, "Input should be a valid integer")
	}
	lit, f := s.number()
	if f != nil {
		return 0, f
	}
	v := lit.float()
	if !lit.whole && v != math.Trunc(v) {
		return 0, &Error{Type: TypeIntFraction, Msg: "Input should be a valid integer, got a number with a fractional part", Input: string(lit.text)}
	}
	return clamped(v, lit.text), nil
}

// clamped converts v, read from text, to an integer, or to the nearest extreme if it is out
// of range.
func clamped(v float64, text []byte) int64 {
	switch {
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	exact, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return int64(v)
	}
	return exact
}

// wholeText reads the integer in a string. It may be surrounded by spaces, have underscores
// between digits, and end with a fraction of zeros.
func wholeText(text []byte) (int64, bool) {
	text, ok := withoutUnderscores(bytes.TrimSpace(text))
	if !ok {
		return 0, false
	}
	if head, zeros, found := bytes.Cut(text, []byte(".")); found {
		if len(zeros) == 0 || len(bytes.Trim(zeros, "0")) > 0 {
			return 0, false
		}
		text = head
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	return v, err == nil
}

// withoutUnderscores removes underscores between digits. It returns false if there are
// others.
func withoutUnderscores(text []byte) ([]byte, bool) {
	if bytes.IndexByte(text, '_') < 0 {
		return text, true
	}
	out := make([]byte, 0, len(text))
	for i, c := range text {
		if c != '_' {
			out = append(out, c)
		} else if i == 0 || i == len(text)-1 || text[i-1]-'0' > 9 || text[i+1]-'0' > 9 {
			return nil, false
		}
	}
	return out, true
}

// float reads a finite number: a number, true or false for 1 or 0, or a string
// that holds a number.
func (s *scanner) float() (float64, *Error) {
	if v, end, ok := s.plainFloat(s.at); ok {
		s.at = end
		return v, nil
	}
	switch c := s.peek(); {
	case s.word("true"):
		return 1, nil
	case s.word("false"):
		return 0, nil
	case c == '"':
		return s.floatText()
	case c != '-' && c != 'N' && c != 'I' && c-'0' > 9:
		return 0, s.wrong(TypeFloat, "Input should be a valid number")
	}
	lit, f := s.number()
	if f != nil {
		return 0, f
	}
	v := lit.float()
	if math.IsInf(v, 0) {
		return 0, notFinite(lit.text)
	}
	return v, nil
}

// floatText reads the number in a string.
func (s *scanner) floatText() (float64, *Error) {
	start := s.at
	text, f := s.text()
	if f != nil {
		return 0, f
	}
	text, ok := withoutUnderscores(bytes.TrimSpace(text))
	if !ok || bytes.ContainsAny(text, "xXpP") {
		s.at = start
		return 0, s.wrong(TypeFloatText, "Input should be a valid number, unable to parse string as a number")
	}
	v, err := strconv.ParseFloat(string(text), 64)
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return 0, notFinite(text)
	case err != nil:
		s.at = start
		return 0, s.wrong(TypeFloatText, "Input should be a valid number, unable to parse string as a number")
	}
	return v, nil
}

// ints reads an array of integers of 32 bits.
func ints[T quintain.Token | int32](s *scanner, mem *arena[T], room int) ([]T, *Error) {
	if f := s.open(); f != nil {
		return nil, f
	}
	row := mem.begin(room)
	for first := true; ; first = false {
		more, f := s.more(first, ']')
		if f != nil {
			return nil, f
		}
		if !more {
			return mem.end(row), nil
		}
		row = plainInts(s, row)
		s.space()
		v, f := s.int(math.MinInt32, math.MaxInt32)
		if f != nil {
			return nil, f.in(len(row))
		}
		if row, f = roomFor(s, mem, row); f != nil {
			return nil, f
		}
		row = append(row, T(v))
	}
}

// roomFor returns row with room for another element.
func roomFor[T any](s *scanner, mem *arena[T], row []T) ([]T, *Error) {
	if len(row) < cap(row) {
		return row, nil
	}
	if most := s.limits.Tokens; most > 0 && len(row) >= most {
		return nil, tooLong(most)
	}
	row, ok := mem.more(row)
	if !ok {
		return nil, noMemory()
	}
	return row, nil
}

// plainInts fills row with the next integers up to the first that has more than seven
// digits, is not a plain integer, or lacks a comma after it.
func plainInts[T quintain.Token | int32](s *scanner, row []T) []T {
	data, at := s.data, s.at
	for at+10 <= len(data) && len(row) < cap(row) {
		next := at
		if data[next] == '-' {
			next++
		}
		x := binary.LittleEndian.Uint64(data[next:])
		n := digitsIn(x)
		if n == 0 || n == 8 || n > 1 && byte(x) == '0' || data[next+n] != ',' {
			break
		}
		v := int32(eight(x, n))
		if next > at {
			v = -v
		}
		row = append(row, T(v))
		if next += n + 1; data[next] == ' ' {
			next++
		}
		at = next
	}
	s.at = at
	return row
}

// floats reads an array of finite numbers.
func floats(s *scanner, room int) ([]float64, *Error) {
	if f := s.open(); f != nil {
		return nil, f
	}
	mem := s.mem.floatArena()
	row := mem.begin(room)
	for first := true; ; first = false {
		more, f := s.more(first, ']')
		if f != nil {
			return nil, f
		}
		if !more {
			return mem.end(row), nil
		}
		row = s.plainFloats(row)
		s.space()
		v, f := s.float()
		if f != nil {
			return nil, f.in(len(row))
		}
		if row, f = roomFor(s, mem, row); f != nil {
			return nil, f
		}
		row = append(row, v)
	}
}

// plainFloats fills row with the next numbers up to the first that needs the slow way or
// lacks a comma after it.
func (s *scanner) plainFloats(row []float64) []float64 {
	for {
		row = s.quickFloats(row)
		v, next, ok := s.plainFloat(s.at)
		if !ok || len(row) == cap(row) || next+1 >= len(s.data) || s.data[next] != ',' {
			return row
		}
		row = append(row, v)
		if next++; s.data[next] == ' ' {
			next++
		}
		size := next - s.at
		s.at = next
		for n := s.repeated(size, cap(row)-len(row)); n > 0; n-- {
			row = append(row, v)
		}
	}
}

// repeated skips up to most repetitions of the last size bytes, and returns their
// number; 0 if size is too large.
func (s *scanner) repeated(size, most int) int {
	if size > 8 || s.at < 8 {
		return 0
	}
	before, n := binary.LittleEndian.Uint64(s.data[s.at-8:])>>(64-8*size), 0
	for n < most && s.at+8 <= len(s.data) && binary.LittleEndian.Uint64(s.data[s.at:])<<(64-8*size)>>(64-8*size) == before {
		s.at += size
		n++
	}
	return n
}
