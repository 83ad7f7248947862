package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// A piece is a part of the text on its way to the model.
type piece struct {
	text  string
	first bool // it begins where the whole text begins
}

// part returns a byte range of a piece.
func (x piece) part(from, to int) piece { return piece{x.text[from:to], x.first && from == 0} }

// A splitter is a step of pre-tokenization: it emits the parts of a piece, in order. Parts
// may be empty.
type splitter interface {
	split(x piece, emit func(piece)) error
}

// A finder finds parts of a text.
type finder interface {
	// Find calls visit with the start and the end of each match, in order. Matches are not
	// empty and do not overlap.
	Find(text string, visit func(start, end int)) error
}

// A literal finds a nonempty text.
type literal string

func (l literal) Find(text string, visit func(start, end int)) error {
	for at := 0; ; at += len(l) {
		i := strings.Index(text[at:], string(l))
		if i < 0 {
			return nil
		}
		at += i
		visit(at, at+len(l))
	}
}

// A predicate finds each character of a kind.
type predicate func(rune) bool

func (is predicate) Find(text string, visit func(start, end int)) error {
	for i, r := range text {
		if is(r) {
			visit(i, i+utf8.RuneLen(r))
		}
	}
	return nil
}

// A behavior says where the matches at which a text splits go.
type behavior string

const (
	removed            behavior = "Removed"
	isolated           behavior = "Isolated"
	mergedWithPrevious behavior = "MergedWithPrevious"
	mergedWithNext     behavior = "MergedWithNext"
	contiguous         behavior = "Contiguous" // adjacent matches are one part
)

// A splitAt splits at its matches or, if inverted, at the gaps between them.
type splitAt struct {
	finder   finder
	behavior behavior
	invert   bool
}

func (s *splitAt) split(x piece, emit func(piece)) error {
	if p, ok := s.finder.(*pattern); ok && s.behavior == isolated {
		return isolate(p, x, emit)
	}
	d := divider{splitAt: s, x: x, emit: emit}
	at := 0
	err := s.finder.Find(x.text, func(start, end int) {
		d.add(at, start, false)
		d.add(start, end, true)
		at = end
	})
	d.add(at, len(x.text), false)
	d.flush()
	return err
}

// isolate emits the matches of a pattern and the gaps between; most patterns leave none.
func isolate(p *pattern, x piece, emit func(piece)) error {
	at := 0
	err := p.Find(x.text, func(start, end int) {
		if start > at {
			emit(x.part(at, start))
		}
		emit(x.part(start, end))
		at = end
	})
	if at < len(x.text) {
		emit(x.part(at, len(x.text)))
	}
	return err
}

// A divider joins matches and gaps to the parts of a piece.
type divider struct {
	*splitAt
	x        piece
	emit     func(piece)
	from, to int // the part that may still grow
	match    bool
}

// add adds a match or a gap.
func (d *divider) add(start, end int, match bool) {
	if start == end {
		return
	}
	match = match != d.invert
	grows := false
	switch d.behavior {
	case mergedWithPrevious:
		grows = match && !d.match
	case mergedWithNext:
		grows = !match && d.match
	case contiguous:
		grows = match == d.match
	}
	if !grows || d.from == d.to {
		d.flush()
		d.from = start
	}
	d.to, d.match = end, match
}

// flush emits the part once it is final.
func (d *divider) flush() {
	if d.from < d.to && !(d.behavior == removed && d.match) {
		d.emit(d.x.part(d.from, d.to))
	}
	d.from = d.to
}

// A chunker splits into parts of equal length, in characters.
type chunker int

func (n chunker) split(x piece, emit func(piece)) error {
	from, count := 0, 0
	for i := range x.text {
		if count == int(n) {
			emit(x.part(from, i))
			from, count = i, 0
		}
		count++
	}
	emit(x.part(from, len(x.text)))
	return nil
}

// A metaspace replaces spaces by another character and splits before each.
type metaspace struct {
	replacement string
	scheme      prependScheme
	whole       bool // does not split
}

// A prependScheme says whether to prepend the replacement to a text that lacks it.
type prependScheme string

const (
	always    prependScheme = "always"
	onlyFirst prependScheme = "first" // at the start of the whole text
	never     prependScheme = "never"
)

func (m *metaspace) split(x piece, emit func(piece)) error {
	x.text = strings.ReplaceAll(x.text, " ", m.replacement)
	if !strings.HasPrefix(x.text, m.replacement) && (m.scheme == always || m.scheme == onlyFirst && x.first) {
		x.text = m.replacement + x.text
	}
	if m.whole {
		emit(x)
		return nil
	}
	s := splitAt{finder: literal(m.replacement), behavior: mergedWithNext}
	return s.split(x, emit)
}

// A byteLevel splits like GPT-2 and writes each byte as a visible character.
type byteLevel struct {
	pattern     *pattern // nil: no split
	prefixSpace bool
	raw         bool // the model takes raw bytes
}

// gpt2 is the default pattern of a byteLevel.
const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

func (b *byteLevel) split(x piece, emit func(piece)) error {
	if b.prefixSpace && !strings.HasPrefix(x.text, " ") {
		x.text = " " + x.text
	}
	if !b.raw {
		to := emit
		emit = func(x piece) { to(piece{visible(x.text), x.first}) }
	}
	if b.pattern == nil {
		emit(x)
		return nil
	}
	return isolate(b.pattern, x, emit)
}

// visibleByte returns the character for a byte in GPT-2's vocabulary: the byte's own if
// Latin-1 prints it, else one from U+0100 on.
func visibleByte(b byte) rune {
	switch {
	case b > ' ' && b < 0x7f, b >= 0xa1 && b != 0xad:
		return rune(b)
	case b <= ' ':
		return 0x100 + rune(b)
	case b <= 0xa0:
		return 0x121 + rune(b-0x7f)
	}
	return 0x143
}

// invisibleByte returns the byte of a visible character.
func invisibleByte(r rune) (b byte, ok bool) {
	switch {
	case r > ' ' && r < 0x7f, r >= 0xa1 && r <= 0xff && r != 0xad:
		return byte(r), true
	case r >= 0x100 && r <= 0x120:
		return byte(r - 0x100), true
	case r >= 0x121 && r <= 0x142:
		return byte(r - 0x121 + 0x7f), true
	}
	return 0xad, r == 0x143
}

// visible writes each byte of text as a visible character.
func visible(text string) string {
	long := make([]byte, 0, 2*len(text))
	for i := range len(text) {
		long = utf8.AppendRune(long, visibleByte(text[i]))
	}
	return string(long)
}
