package chattemplate

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isSpace reports whether Python counts c as white space.
func isSpace(c rune) bool { return unicode.IsSpace(c) || 0x1c <= c && c <= 0x1f }

// isLineEnd reports whether Python ends a line at c.
func isLineEnd(c rune) bool {
	return '\n' <= c && c <= '\r' || 0x1c <= c && c <= 0x1e || c == 0x85 || c == 0x2028 || c == 0x2029
}

// decimal returns the value of a decimal digit of any script; -1 if c is none. In each
// script they stand in a row, from 0 to 9.
func decimal(c rune) int {
	if !unicode.Is(unicode.Nd, c) {
		return -1
	}
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= c && c <= rune(t.Hi) {
			return int(c-rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= c && c <= rune(t.Hi) {
			return int(c-rune(t.Lo)) % 10
		}
	}
	return -1
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

// str returns what Python's str makes of v.
func (r *run) str(v value) (string, error) {
	if s, is := plain(v); is {
		return s, nil
	}
	b, err := r.appendStr(nil, v)
	return string(b), err
}

func (r *run) appendStr(dst []byte, v value) ([]byte, error) {
	if s, is := plain(v); is {
		return append(dst, s...), r.room(len(s))
	}
	if _, is := v.(*undefined); is {
		return dst, nil
	}
	return r.appendRepr(dst, v, 0)
}

// appendRepr appends what Python's repr makes of v.
func (r *run) appendRepr(dst []byte, v value, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, errDepth
	}
	if len(dst) > r.maxBytes {
		return dst, r.room(len(dst))
	}
	if err := r.spend(1); err != nil {
		return dst, err
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "None"...), nil
	case bool:
		if v {
			return append(dst, "True"...), nil
		}
		return append(dst, "False"...), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case *big.Int:
		return appendBig(dst, v)
	case float64:
		return formatFloat(dst, v), nil
	case string:
		return appendQuoted(dst, v), r.room(len(v))
	case markup:
		return append(appendQuoted(append(dst, "Markup("...), string(v)), ')'), r.room(len(v))
	case *undefined:
		return append(dst, "Undefined"...), nil
	case *interval:
		dst = fmt.Appendf(dst, "range(%d, %d", v.start, v.stop)
		if v.step != 1 {
			dst = fmt.Appendf(dst, ", %d", v.step)
		}
		return append(dst, ')'), nil
	}
	return r.appendHolder(dst, v, depth)
}

func appendBig(dst []byte, v *big.Int) ([]byte, error) {
	text := v.String()
	if len(strings.TrimPrefix(text, "-")) > maxDigits {
		return dst, fmt.Errorf("an integer has more than %d digits", maxDigits)
	}
	return append(dst, text...), nil
}

// appendHolder is appendRepr for what holds other values.
func (r *run) appendHolder(dst []byte, v value, depth int) ([]byte, error) {
	switch v := v.(type) {
	case *list:
		switch {
		case !v.tuple:
			return r.appendItems(dst, brackets{"[", "]"}, v.items, depth)
		case len(v.items) == 1:
			return r.appendItems(dst, brackets{"(", ",)"}, v.items, depth)
		}
		return r.appendItems(dst, brackets{"(", ")"}, v.items, depth)
	case *view:
		return r.appendItems(dst, brackets{"dict_" + v.kind + "([", "])"}, v.items(), depth)
	case *dict:
		return r.appendDict(dst, v, depth)
	case *namespace:
		dst, err := r.appendDict(append(dst, "<Namespace "...), v.dict, depth)
		return append(dst, '>'), err
	case *loop:
		n, err := v.length()
		return fmt.Appendf(dst, "<LoopContext %d/%d>", v.at+1, n), err
	case *function:
		if v.class != "" {
			return fmt.Appendf(dst, "<class '%s'>", v.class), nil
		}
	case *macro:
		return append(appendQuoted(append(dst, "<Macro "...), v.name), '>'), nil
	}
	return dst, fmt.Errorf("a %s cannot be printed: jinja2 prints its address in memory", typeName(v))
}

// brackets stand around items.
type brackets struct{ open, end string }

func (r *run) appendItems(dst []byte, around brackets, items []value, depth int) (out []byte, err error) {
	dst = append(dst, around.open...)
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst, err = r.appendRepr(dst, item, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, around.end...), nil
}

func (r *run) appendDict(dst []byte, d *dict, depth int) (out []byte, err error) {
	dst = append(dst, '{')
	for i, key := range d.keys {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst, err = r.appendRepr(dst, key, depth+1); err != nil {
			return dst, err
		}
		if dst, err = r.appendRepr(append(dst, ": "...), d.values[i], depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendQuoted appends the repr of a string.
func appendQuoted(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for _, c := range s {
		switch {
		case c == rune(quote) || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(c):
			dst = utf8.AppendRune(dst, c)
		case c < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, c)
		case c < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, c)
		}
	}
	return append(dst, quote)
}

// charAt returns the character of s at an index, from the end if it is negative.
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

// A cut is a slice expression: start, stop and step, each missing or an integer.
type cut struct{ start, stop, step int64 }

var errStep = errors.New("slice step cannot be zero")

// newCut reads the bounds of a slice of something with a length.
func newCut(start, stop, step value, length int64) (c cut, err error) {
	c.step = 1
	if step != nil {
		if c.step, err = toIndex(step); err != nil {
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
func clip(v value, low, high, length int64) (int64, error) {
	i, err := toIndex(v)
	if i < 0 {
		i += length
	}
	return min(max(i, low), high), err
}

// toIndex returns an integer, the nearest int64 if it is too large.
func toIndex(v value) (int64, error) {
	if n, is := toInt64(v); is {
		return n, nil
	}
	if n, is := v.(*big.Int); is {
		return int64(n.Sign()) << 62, nil
	}
	if u, is := v.(*undefined); is {
		return 0, u.fault()
	}
	return 0, fmt.Errorf("indices must be integers or None, not '%s'", typeName(v))
}

// indexes returns the indexes that c takes.
func (c cut) indexes() *interval { return &interval{c.start, c.stop, c.step} }

// slice returns v[start:stop:step].
func (r *run) slice(v, start, stop, step value) (value, error) {
	if u, is := v.(*undefined); is {
		return nil, u.fault()
	}
	n, has := size(v)
	if _, isDict := v.(*dict); !has || isDict {
		return nil, fmt.Errorf("'%s' object is not subscriptable by a slice", typeName(v))
	}
	c, err := newCut(start, stop, step, n)
	if err != nil {
		return nil, err
	}
	span := c.indexes()
	switch v := v.(type) {
	case string:
		return sliceText(v, span), r.room(len(v))
	case markup:
		return markup(sliceText(string(v), span)), r.room(len(v))
	case *list:
		items := make([]value, span.length())
		for i := range items {
			items[i] = v.items[span.start+int64(i)*span.step]
		}
		return &list{items: items, tuple: v.tuple}, r.spend(len(items))
	case *interval:
		step := v.step * min(max(span.step, -maxRange), maxRange) // a longer step goes as far
		return &interval{v.start + span.start*v.step, v.start + span.stop*v.step, step}, nil
	}
	return nil, fmt.Errorf("'%s' object is not subscriptable", typeName(v))
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
