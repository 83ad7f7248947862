package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// A cutter cuts a text before each delimiter that no token of the model crosses. The words
// become short, and their tokens stay the same.
type cutter struct {
	delimiter string
	model     *bpe
	crossed   map[rune]bool    // characters before the delimiter in some token
	small     [smallRunes]bool // characters after which to cut
}

// newCutter returns a cutter for a model; nil if cutting could change its tokens.
func newCutter(m *bpe, delimiter string) *cutter {
	if m.raw || m.whole || m.prefix != "" || m.suffix != "" || m.vocabulary.id(delimiter) < 0 {
		return nil
	}
	c := &cutter{delimiter: delimiter, model: m, crossed: map[rune]bool{}}
	for _, token := range m.vocabulary.tokens {
		for {
			before, after, found := strings.Cut(token, delimiter)
			if !found {
				break
			}
			if r, width := utf8.DecodeLastRuneInString(before); width > 0 {
				c.crossed[r] = true
			}
			if token = after; strings.HasPrefix(token, delimiter) {
				c.crossed[[]rune(delimiter)[0]] = true
			}
		}
	}
	for r := range c.small {
		c.small[r] = !c.crossed[rune(r)] && m.single[r] >= 0
	}
	return c
}

// cuts reports whether to cut between r and the delimiter.
func (c *cutter) cuts(r rune) bool {
	if r < smallRunes {
		return c.small[r]
	}
	return !c.crossed[r] && c.model.vocabulary.id(string(r)) >= 0
}

// split implements splitter.
func (c *cutter) split(x piece, emit func(piece)) error {
	from, at := 0, 0
	for {
		next := strings.Index(x.text[at:], c.delimiter)
		if next < 0 {
			break
		}
		at += next
		if r, _ := utf8.DecodeLastRuneInString(x.text[:at]); at > from && c.cuts(r) {
			emit(x.part(from, at))
			from = at
		}
		at += len(c.delimiter)
	}
	emit(x.part(from, len(x.text)))
	return nil
}
