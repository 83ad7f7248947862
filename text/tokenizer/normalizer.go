package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A normalizer changes a text before splitting. The result is first only if its first
// character comes from the first character of x.
type normalizer interface {
	normalize(x piece) (piece, error)
}

// A runewise normalizer appends the replacement of each character, if any.
type runewise func(dst []byte, r rune) []byte

func (f runewise) normalize(x piece) (piece, error) {
	text := make([]byte, 0, len(x.text)+len(x.text)/8)
	for i, r := range x.text {
		text = f(text, r)
		if i == 0 && len(text) == 0 {
			x.first = false
		}
	}
	return piece{string(text), x.first}, nil
}

// stripAccents removes accents.
func stripAccents(dst []byte, r rune) []byte {
	if isAccent(r) {
		return dst
	}
	return utf8.AppendRune(dst, r)
}

// nmt cleans a text like machine translation systems: it drops control characters and
// turns all kinds of spaces into one.
func nmt(dst []byte, r rune) []byte {
	switch {
	case r >= 1 && r <= 8, r == 0xb, r >= 0xe && r <= 0x1f, r == 0x7f, r == 0x8f, r == 0x9f:
		return dst
	case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200b && r <= 0x200f, r == 0x2028, r == 0x2029,
		r == '▁', r == 0xfeff, r == 0xfffd:
		return append(dst, ' ')
	}
	return utf8.AppendRune(dst, r)
}

// cleanBert removes control characters and turns all white space into spaces.
func cleanBert(dst []byte, r rune) []byte {
	switch {
	case isControl(r):
		return dst
	case unicode.IsSpace(r):
		return append(dst, ' ')
	}
	return utf8.AppendRune(dst, r)
}

// spaceHan puts spaces around Chinese characters.
func spaceHan(dst []byte, r rune) []byte {
	if !isHan(r) {
		return utf8.AppendRune(dst, r)
	}
	dst = utf8.AppendRune(append(dst, ' '), r)
	return append(dst, ' ')
}

// stripMarks removes nonspacing marks.
func stripMarks(dst []byte, r rune) []byte {
	if isMark8(r) {
		return dst
	}
	return utf8.AppendRune(dst, r)
}

// visibleBytes writes each byte as a visible character.
func visibleBytes(dst []byte, r rune) []byte {
	for _, b := range []byte(string(r)) {
		dst = utf8.AppendRune(dst, visibleByte(b))
	}
	return dst
}

// A prepend puts a text before any nonempty text.
type prepend string

func (p prepend) normalize(x piece) (piece, error) {
	if x.text != "" {
		x.text = string(p) + x.text
	}
	return x, nil
}

// A strip removes white space from the ends.
type strip struct{ left, right bool }

func (s strip) normalize(x piece) (piece, error) {
	if s.left {
		rest := strings.TrimLeftFunc(x.text, unicode.IsSpace)
		x = piece{rest, x.first && len(rest) == len(x.text)}
	}
	if s.right {
		x.text = strings.TrimRightFunc(x.text, unicode.IsSpace)
	}
	return x, nil
}

// A replace replaces all matches by a text.
type replace struct {
	finder finder
	by     string
}

func (r *replace) normalize(x piece) (piece, error) {
	var b strings.Builder
	at := 0
	err := r.finder.Find(x.text, func(start, end int) {
		if _, width := utf8.DecodeRuneInString(x.text); start == 0 && (r.by == "" || end > width) {
			x.first = false // the text begins with added characters
		}
		b.WriteString(x.text[at:start])
		b.WriteString(r.by)
		at = end
	})
	if at == 0 {
		return x, err
	}
	b.WriteString(x.text[at:])
	return piece{b.String(), x.first}, err
}
