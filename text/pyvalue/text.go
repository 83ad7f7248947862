package pyvalue

import (
	"errors"
	"fmt"
	"math/big"
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether Python counts c as white space.
func IsSpace(c rune) bool { return unicode.IsSpace(c) || 0x1c <= c && c <= 0x1f }

// isLineEnd reports whether Python ends a line at c.
func isLineEnd(c rune) bool {
	return '\n' <= c && c <= '\r' || 0x1c <= c && c <= 0x1e || c == 0x85 || c == 0x2028 || c == 0x2029
}

// isASCII reports whether each byte of s is a character.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func runeCount(s string) int { return utf8.RuneCountInString(s) }

// Like returns s, as markup if v is markup.
func Like(v Value, s string) Value {
	if _, ok := v.(Markup); ok {
		return Markup(s)
	}
	return s
}

// charAt returns the character of s at an index; a negative one counts from the end.
func charAt(s string, i int64) (c string, has bool) {
	if isASCII(s) {
		if i < 0 {
			i += int64(len(s))
		}
		if i < 0 || i >= int64(len(s)) {
			return "", false
		}
		return s[i : i+1], true
	}
	runes := []rune(s)
	if i < 0 {
		i += int64(len(runes))
	}
	if i < 0 || i >= int64(len(runes)) {
		return "", false
	}
	return string(runes[i]), true
}

// A cut is a slice expression: start, stop and step, each an integer or missing.
type cut struct{ start, stop, step int64 }

var errStep = errors.New("slice step cannot be zero")

// newCut reads the bounds of a slice of an object with length items.
func newCut(start, stop, step Value, length int64) (c cut, err error) {
	c.step = 1
	if step != nil {
		if c.step, err = Index(step); err != nil {
			return c, err
		}
	}
	if c.step == 0 {
		return c, errStep
	}
	low, high := int64(0), length
	if c.step < 0 {
		low, high = -1, length-1
	}
	c.start, c.stop = low, high
	if c.step < 0 {
		c.start, c.stop = high, low
	}
	if start != nil {
		if c.start, err = clip(start, low, high, length); err != nil {
			return c, err
		}
	}
	if stop != nil {
		c.stop, err = clip(stop, low, high, length)
	}
	return c, err
}

// clip returns a bound of a slice, between low and high.
func clip(v Value, low, high, length int64) (int64, error) {
	i, err := Index(v)
	if i < 0 {
		i += length
	}
	return min(max(i, low), high), err
}

// Index returns an integer for use as an index; one beyond that range becomes 1<<62 or
// -1<<62.
func Index(v Value) (int64, error) {
	if n, ok := toInt64(v); ok {
		return n, nil
	}
	if n, ok := v.(*big.Int); ok {
		return int64(n.Sign()) << 62, nil
	}
	if u, ok := v.(*Undefined); ok {
		return 0, u.Fault()
	}
	return 0, fmt.Errorf("indices must be integers or None, not '%s'", TypeName(v))
}

// count returns an integer for use as a count; Python rejects more than 64 bits.
func count(v Value) (int64, error) {
	if _, ok := v.(*big.Int); ok {
		return 0, errors.New("cannot fit 'int' into an index-sized integer")
	}
	return Index(v)
}

// indexes returns the indexes that c selects.
func (c cut) indexes() *interval { return &interval{c.start, c.stop, c.step} }

// Slice returns v[start:stop:step]; nil: no bound.
func (r *Runtime) Slice(v, start, stop, step Value) (Value, error) {
	if u, ok := v.(*Undefined); ok {
		return nil, u.Fault()
	}
	n, has := Len(v)
	if _, isDict := v.(*Dict); !has || isDict {
		return nil, fmt.Errorf("'%s' object is not subscriptable by a slice", TypeName(v))
	}
	c, err := newCut(start, stop, step, n)
	if err != nil {
		return nil, err
	}
	span := c.indexes()
	switch v := v.(type) {
	case string:
		return sliceText(v, span), r.Room(len(v))
	case Markup:
		return Markup(sliceText(string(v), span)), r.Room(len(v))
	case *List:
		items := make([]Value, span.length())
		for i := range items {
			items[i] = v.Items[span.start+int64(i)*span.step]
		}
		return &List{Items: items, Tuple: v.Tuple}, r.Spend(len(items))
	case *interval:
		step := v.step * min(max(span.step, -maxRange), maxRange) // a longer step reaches as far
		return &interval{v.start + span.start*v.step, v.start + span.stop*v.step, step}, nil
	}
	return nil, fmt.Errorf("'%s' object is not subscriptable", TypeName(v))
}

func sliceText(s string, span *interval) string {
	if isASCII(s) {
		if span.step == 1 {
			return s[span.start:max(span.start, span.stop)]
		}
		b := make([]byte, span.length())
		for i := range b {
			b[i] = s[span.start+int64(i)*span.step]
		}
		return string(b)
	}
	runes := []rune(s)
	out := make([]rune, span.length())
	for i := range out {
		out[i] = runes[span.start+int64(i)*span.step]
	}
	return string(out)
}
