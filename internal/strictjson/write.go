package strictjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/bits"
	"unicode/utf8"
)

// Canonical returns the JSON form of v for hashes: that of encoding/json, with U+FFFD for each byte of a text that is
// not UTF-8, which Go 1.26 writes as an escape and 1.27 as the character.
func Canonical(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	const escape = `\ufffd`
	rest, canonical := text, text[:0]
	for at := bytes.IndexByte(rest, '\\'); at >= 0; at = bytes.IndexByte(rest, '\\') {
		canonical = append(canonical, rest[:at]...)
		if rest = rest[at:]; bytes.HasPrefix(rest, []byte(escape)) {
			canonical, rest = append(canonical, "\ufffd"...), rest[len(escape):]
		} else {
			canonical, rest = append(canonical, rest[:2]...), rest[2:]
		}
	}
	return append(canonical, rest...), nil
}

// Legible is [json.Marshal] without the escapes for HTML: a tag stays as it is.
func Legible(v any) ([]byte, error) {
	var b bytes.Buffer
	err := WriteLegible(&b, v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteLegible writes v as [Legible] does, and a line end, in one call.
func WriteLegible(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// WriteIndented writes v with a line for each member and element, two spaces deeper than the one around it, in one call.
func WriteIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Append appends the JSON form of v to dst. After an error it returns dst unchanged.
func Append(dst []byte, v any) ([]byte, error) {
	to := appender{dst}
	if err := json.NewEncoder(&to).Encode(v); err != nil {
		return dst, err
	}
	return to.text[:len(to.text)-1], nil // without the line end
}

// An appender appends what is written to it: without the copy that json.Marshal returns, Append takes a fifth less time.
type appender struct{ text []byte }

// Write implements [io.Writer].
func (a *appender) Write(text []byte) (int, error) {
	a.text = append(a.text, text...)
	return len(text), nil
}

// AppendList appends list as an array, [] if it is nil; add appends an element.
func AppendList[T any](dst []byte, list []T, add func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, one := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = add(dst, one)
	}
	return append(dst, ']')
}

// AppendText appends a text as a JSON string, with the escapes of encoding/json, including those for HTML and for the
// line ends of JavaScript. A byte that is not UTF-8 becomes the escape of U+FFFD.
func AppendText(dst []byte, text string) []byte { return appendText(dst, text, true) }

// AppendLegible is AppendText without the escapes for HTML: tags stay as they are.
func AppendLegible(dst []byte, text string) []byte { return appendText(dst, text, false) }

func appendText(dst []byte, text string, html bool) []byte {
	dst = append(dst, '"')
	for text != "" {
		if len(text) >= 8 {
			word := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
				uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
			dst = binary.LittleEndian.AppendUint64(dst, word)
			n := plain(word)
			if text = text[n:]; n == 8 {
				continue
			}
			dst = dst[:len(dst)-8+n]
		}
		dst, text = appendChar(dst, text, html)
	}
	return append(dst, '"')
}

// plain returns how many of a word's bytes come before one that is not ASCII or may need an escape.
func plain(word uint64) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	// Of each difference a byte that borrows from the next one is the first with its top bit set.
	escaped := word | (word - ' '*ones) | ((word ^ '"'*ones) - ones) | ((word ^ '\\'*ones) - ones) |
		((word ^ '<'*ones) - ones) | ((word ^ '>'*ones) - ones) | ((word ^ '&'*ones) - ones)
	return bits.TrailingZeros64(escaped&tops) / 8
}

// appendChar appends the first character of a text, and returns the rest.
func appendChar(dst []byte, text string, html bool) ([]byte, string) {
	c, size := text[0], 1
	switch {
	case c >= utf8.RuneSelf:
		var r rune
		if r, size = utf8.DecodeRuneInString(text); size == 1 || r == '\u2028' || r == '\u2029' {
			dst = appendEscape(dst, r)
		} else {
			dst = append(dst, text[:size]...)
		}
	case c == '\n':
		dst = append(dst, '\\', 'n')
	case c == '"' || c == '\\':
		dst = append(dst, '\\', c)
	case c < ' ' || html && (c == '<' || c == '>' || c == '&'):
		dst = appendEscape(dst, rune(c))
	default:
		dst = append(dst, c)
	}
	return dst, text[size:]
}

// appendEscape appends the escape of a character.
func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '\t':
		return append(dst, `\t`...)
	case '\r':
		return append(dst, `\r`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
