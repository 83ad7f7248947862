package jsonform

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/bits"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// scalar writes a value without inner values.
func (c *compiler) scalar(v reflect.Value) writer {
	switch v.Kind() {
	case reflect.String:
		text := at[string](v)
		return func(dst []byte) []byte { return c.text(dst, *text) }
	case reflect.Int:
		n := at[int](v)
		return func(dst []byte) []byte { return appendInt(dst, *n) }
	case reflect.Bool:
		truth := at[bool](v)
		return func(dst []byte) []byte { return strconv.AppendBool(dst, *truth) }
	case reflect.Float64, reflect.Float32:
		width := v.Type().Bits()
		return func(dst []byte) []byte {
			f := v.Float()
			if math.IsInf(f, 0) || math.IsNaN(f) {
				c.fail(&json.UnsupportedValueError{Value: v, Str: strconv.FormatFloat(f, 'g', -1, width)})
				return dst
			}
			return appendFloat(dst, f, width)
		}
	}
	switch {
	case v.CanInt():
		return func(dst []byte) []byte { return strconv.AppendInt(dst, v.Int(), 10) }
	case v.CanUint():
		return func(dst []byte) []byte { return strconv.AppendUint(dst, v.Uint(), 10) }
	}
	return c.marshalled(v)
}

// appendInt appends a whole number.
func appendInt(dst []byte, n int) []byte {
	if uint(n) < 10 {
		return append(dst, byte('0'+n))
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// appendInts appends a list of numbers.
func appendInts(dst []byte, list []int) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	return AppendList(dst, list, appendInt)
}

// texts appends a list of texts.
func (c *compiler) texts(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	return AppendList(dst, list, c.text)
}

// appendFloat appends a finite number of width 32 or 64, in the form of ECMAScript except
// for exponents of one digit.
func appendFloat(dst []byte, f float64, width int) []byte {
	const whole = 1 << 24 // below it, floats of either width are at most 1 apart
	format, size := byte('f'), math.Abs(f)
	if size < whole && f == math.Trunc(f) && (f != 0 || !math.Signbit(f)) {
		return appendInt(dst, int(f))
	}
	if size != 0 && (width == 64 && (size < 1e-6 || size >= 1e21) || width == 32 && (float32(size) < 1e-6 || float32(size) >= 1e21)) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, width)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 becomes e-9
		dst = dst[:n-1]
	}
	return dst
}

// AppendText appends a text as a JSON string, with the escapes of encoding/json, including
// those for HTML and for the line ends of JavaScript.
func AppendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for len(text) >= 8 {
		word := load(text, 0)
		dst = binary.LittleEndian.AppendUint64(dst, word)
		if found := escaped(word); found != 0 {
			plain := bits.TrailingZeros64(found) / 8
			dst, text = appendSpecial(dst[:len(dst)-8+plain], text[plain:])
		} else {
			text = text[8:]
		}
	}
	for len(text) > 0 {
		if plainWritten[text[0]] {
			dst, text = append(dst, text[0]), text[1:]
		} else {
			dst, text = appendSpecial(dst, text)
		}
	}
	return append(dst, '"')
}

// AppendLegible appends a text as a JSON string, with the escapes of encoding/json except
// those for HTML: tags stay as they are.
func AppendLegible(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for at := 0; at < len(text); {
		if c := text[at]; c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			at++
			continue
		}
		dst, text = appendSpecial(append(dst, text[:at]...), text[at:])
		at = 0
	}
	return append(append(dst, text...), '"')
}

// appendSpecial appends the first character of text, escaped if necessary, and returns the
// rest.
func appendSpecial(dst []byte, text string) ([]byte, string) {
	if text[0] < utf8.RuneSelf {
		return appendEscape(dst, text[0]), text[1:]
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size == 1:
		dst = append(dst, `\ufffd`...)
	case r == '\u2028' || r == '\u2029':
		dst = append(append(dst, `\u202`...), hex[r&0xf])
	default:
		dst = append(dst, text[:size]...)
	}
	return dst, text[size:]
}

const hex = "0123456789abcdef"

// appendEscape appends the escape of an ASCII character.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
}
