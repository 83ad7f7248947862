package languages

import (
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A branch is a part of an expression that is drawn.
type branch struct {
	letter      string // if it is one; a dot is any
	letters     string // those that a dot stands for
	parts       []branch
	alternative bool   // the parts are alternatives, else a sequence
	sign        string // how often it is repeated
	least, most int
}

// repeats are the ways to repeat a part; sampling repeats it at most as often as it says here.
var repeats = []struct {
	sign        string
	least, most int
}{{"*", 0, 3}, {"+", 1, 3}, {"?", 0, 1}, {"{2}", 2, 2}, {"{1,3}", 1, 3}, {"{2,}", 2, 4}}

// grow draws an expression of some depth.
func grow(letters string, depth int, r *rng.Rand) branch {
	if depth == 0 {
		b := branch{letter: string(rng.Pick(r, []byte(letters))), letters: letters, least: 1, most: 1}
		if r.Chance(0.08) {
			b.letter = "."
		}
		if r.Chance(0.35) {
			b.repeat(r)
		}
		return b
	}
	b := branch{alternative: depth%2 == 0, least: 1, most: 1}
	count := 2 + depth%2
	for i := range count {
		under := depth - 1
		if i > 0 && under > 0 { // one part is deep, the others are less so
			under = r.Between(0, under-1)
		}
		b.parts = append(b.parts, grow(letters, under, r))
	}
	rng.Shuffle(r, b.parts)
	if r.Chance(0.4) {
		b.repeat(r)
	}
	return b
}

func (b *branch) repeat(r *rng.Rand) {
	how := rng.Pick(r, repeats)
	b.sign, b.least, b.most = how.sign, how.least, how.most
}

// write writes a branch, with brackets if it holds together less than kind.
func (b branch) write(kind int) string {
	text, own := b.letter, single
	if len(b.parts) > 0 {
		by := ""
		if own = sequence; b.alternative {
			by, own = "|", alternatives
		}
		list := make([]string, len(b.parts))
		for i, part := range b.parts {
			list[i] = part.write(sequence)
		}
		text = strings.Join(list, by)
	}
	if b.sign != "" {
		text, own = expr{text, own}.within(single)+b.sign, repeated
	}
	return expr{text, own}.within(kind)
}

// sample draws a string that b matches.
func (b branch) sample(r *rng.Rand) string {
	var text strings.Builder
	for range r.Between(b.least, b.most) {
		switch {
		case b.letter == ".":
			text.WriteByte(rng.Pick(r, []byte(b.letters)))
		case b.letter != "":
			text.WriteString(b.letter)
		case b.alternative:
			text.WriteString(rng.Pick(r, b.parts).sample(r))
		default:
			for _, part := range b.parts {
				text.WriteString(part.sample(r))
			}
		}
	}
	return text.String()
}
