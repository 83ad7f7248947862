package tokenizer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A normalForm writes a text in a normal form of Unicode 12. It differs from package norm
// in that it leaves alone what is newer, and that it adds nothing to long runs of marks.
type normalForm norm.Form

// newForms are characters that have a normal form, or are a part of one, only since later.
var newForms = runeSet{
	0x32ff, 0x32ff, 0xa7f2, 0xa7f4, 0xab69, 0xab69, 0x10781, 0x10785, 0x10787, 0x107b0, 0x107b2, 0x107ba,
	0x11930, 0x11930, 0x11938, 0x11938, 0x1f16c, 0x1f16c, 0x1fbf0, 0x1fbf9,
}

// manyMarks is a number of marks in a row that package norm surely takes as they are.
const manyMarks = 8

func (f normalForm) normalize(x piece) (piece, error) {
	form := norm.Form(f)
	if form.IsNormalString(x.text) {
		return x, nil
	}
	var b strings.Builder
	from, marks, long := 0, 0, false
	flush := func(to int) {
		if long {
			b.WriteString(f.slowly(x.text[from:to]))
		} else {
			b.WriteString(form.String(x.text[from:to]))
		}
	}
	for i, r := range x.text {
		if newForms.has(r) {
			flush(i)
			b.WriteRune(r)
			from, marks, long = i+utf8.RuneLen(r), 0, false
			continue
		}
		if marks++; form.PropertiesString(x.text[i:]).BoundaryBefore() && norm.NFKD.PropertiesString(x.text[i:]).BoundaryBefore() {
			marks = 0
		}
		long = long || marks > manyMarks
	}
	flush(len(x.text))
	return piece{b.String(), x.first}, nil
}

// slowly returns the normal form of a text with long runs of marks: decomposed, the marks
// in order of their classes, and composed again if the form wants that.
func (f normalForm) slowly(text string) string {
	decomposed, composes := norm.NFD, f == normalForm(norm.NFC) || f == normalForm(norm.NFKC)
	if f == normalForm(norm.NFKC) || f == normalForm(norm.NFKD) {
		decomposed = norm.NFKD
	}
	var runes []rune
	for _, r := range text {
		runes = append(runes, []rune(decomposed.String(string(r)))...)
	}
	for i := 0; i < len(runes); i++ {
		j := i
		for j < len(runes) && markClass(runes[j]) != 0 {
			j++
		}
		slices.SortStableFunc(runes[i:j], func(a, b rune) int { return int(markClass(a)) - int(markClass(b)) })
		i = max(i, j-1)
	}
	if composes {
		runes = compose(runes)
	}
	return string(runes)
}

// markClass is the combining class of r; 0: it begins something new.
func markClass(r rune) uint8 { return norm.NFD.PropertiesString(string(r)).CCC() }

// compose joins each character with the last one of class 0 before it, unless something
// between them stands in the way.
func compose(runes []rune) []rune {
	composed := runes[:0]
	starter, last := -1, uint8(0) // the class of the character before
	for _, r := range runes {
		class := markClass(r)
		if starter >= 0 && (starter == len(composed)-1 || last < class) {
			if one := []rune(norm.NFC.String(string([]rune{composed[starter], r}))); len(one) == 1 {
				composed[starter] = one[0]
				continue
			}
		}
		if composed = append(composed, r); class == 0 {
			starter = len(composed) - 1
		}
		last = class
	}
	return composed
}
