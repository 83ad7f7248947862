package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
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
	done := 0
	for at := 0; at < len(text); {
		if at+8 <= len(text) && isPlain(text[at:at+8]) {
			at += 8
			continue
		}
		c, size := text[at], 1
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' && !(html && (c == '<' || c == '>' || c == '&')) {
			at++
			continue
		}
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(text[at:]); size > 1 && r != '\u2028' && r != '\u2029' {
				at += size
				continue
			}
		}
		dst = appendEscape(append(dst, text[done:at]...), text[at:at+size])
		at += size
		done = at
	}
	return append(append(dst, text[done:]...), '"')
}

// isPlain reports whether eight bytes are ASCII without an escape. It may miss some that are.
func isPlain(text string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	_ = text[7]
	word := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
		uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
	escaped := word - ' '*ones
	for _, c := range [...]uint64{'"', '\\', '<', '>', '&'} {
		escaped |= word ^ c*ones - ones
	}
	return (escaped|word)&tops == 0
}

// appendEscape appends the escape of a character.
func appendEscape(dst []byte, char string) []byte {
	const from, to = "\n\t\r\b\f\"\\", `ntrbf"\`
	if at := strings.IndexByte(from, char[0]); at >= 0 {
		return append(dst, '\\', to[at])
	}
	r, _ := utf8.DecodeRuneInString(char)
	return fmt.Appendf(dst, `\u%04x`, r)
}
