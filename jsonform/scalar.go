package jsonform

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// scalar writes what is not made of other values.
func (c *compiler) scalar(v reflect.Value) writer {
	switch v.Kind() {
	case reflect.String:
		text := at[string](v)
		return func(dst []byte) []byte { return AppendText(dst, *text) }
	case reflect.Int:
		n := at[int](v)
		return func(dst []byte) []byte { return appendInt(dst, *n) }
	case reflect.Bool:
		truth := at[bool](v)
		return func(dst []byte) []byte { return strconv.AppendBool(dst, *truth) }
	case reflect.Float64, reflect.Float32:
		bits := v.Type().Bits()
		return func(dst []byte) []byte {
			f := v.Float()
			if math.IsInf(f, 0) || math.IsNaN(f) {
				c.fail(&json.UnsupportedValueError{Value: v, Str: strconv.FormatFloat(f, 'g', -1, bits)})
				return dst
			}
			return appendFloat(dst, f, bits)
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
	return appendList(dst, list, appendInt)
}

// appendTexts appends a list of texts.
func appendTexts(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	return appendList(dst, list, AppendText)
}

// appendFloat appends a finite number in the form of ECMAScript, but for exponents of one
// digit.
func appendFloat(dst []byte, f float64, bits int) []byte {
	format, size := byte('f'), math.Abs(f)
	if size != 0 && (bits == 64 && (size < 1e-6 || size >= 1e21) || bits == 32 && (float32(size) < 1e-6 || float32(size) >= 1e21)) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 is written e-9
		dst = dst[:n-1]
	}
	return dst
}

// AppendText appends a text as a string of JSON, with the escapes of encoding/json: those
// of HTML and of the line ends of JavaScript too.
func AppendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for {
		n := plainPrefix(text)
		dst = append(dst, text[:n]...)
		if n == len(text) {
			return append(dst, '"')
		}
		if text = text[n:]; text[0] < utf8.RuneSelf {
			dst, text = appendEscape(dst, text[0]), text[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case r == '\u2028' || r == '\u2029':
			dst = append(dst, `\u202`...)
			dst = append(dst, hex[r&0xf])
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
}

const hex = "0123456789abcdef"

// appendEscape appends an ASCII character that does not stand for itself.
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
