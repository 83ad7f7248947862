package words

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A Piece is plain text, or the name of a character that is invisible or changes how its
// neighbours look.
type Piece struct {
	Text string
	Name bool
}

// Split splits text so that every character is visible. It takes most characters at most,
// and returns how many bytes it left out.
func Split(text string, most int) (pieces []Piece, left int) {
	from, n := 0, 0
	flush := func(to int) {
		if from < to {
			pieces = append(pieces, Piece{Text: text[from:to]})
		}
	}
	for i := 0; i < len(text); n++ {
		if n == most {
			flush(i)
			return pieces, len(text) - i
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if name := nameOf(r, size, text[i]); name != "" {
			flush(i)
			pieces, from = append(pieces, Piece{name, true}), i+size
		}
		i += size
	}
	flush(len(text))
	return pieces, 0
}

// nameOf is the name of an invisible character; empty: it is visible. A byte that is not
// UTF-8 has size 1.
func nameOf(r rune, size int, first byte) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("⟨%02X⟩", first)
	case r == '\n', r == '\t', r == ' ':
		return ""
	case r < ' ':
		return string('\u2400' + r) // a control picture
	case r == 0x7f:
		return "\u2421"
	case unicode15.IsGraphic(r) && !unicode15.In(r, unicode.Zs, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return ""
	}
	return fmt.Sprintf("⟨U+%04X⟩", r)
}
