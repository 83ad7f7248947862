package tokenizer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A normalForm brings text into a normal form of Unicode 9. Unlike package norm, it leaves
// newer characters alone and adds nothing to long runs of marks.
type normalForm norm.Form

// newForms holds characters that gained a normal form, a part in one, or a place in the
// order of marks after Unicode 9.
var newForms = runeSet{
	0x7fd, 0x7fd, 0x898, 0x89f, 0x8ca, 0x8d3, 0x9fe, 0x9fe, 0xc3c, 0xc3c, 0xd3b, 0xd3c, 0xeba, 0xeba,
	0x1715, 0x1715, 0x1abf, 0x1ace, 0x1df6, 0x1dfa, 0x32ff, 0x32ff, 0xa7f2, 0xa7f4, 0xa82c, 0xa82c,
	0xab69, 0xab69, 0x10781, 0x10785, 0x10787, 0x107b0, 0x107b2, 0x107ba, 0x10d24, 0x10d27, 0x10eab, 0x10eac,
	0x10efd, 0x10eff, 0x10f46, 0x10f50, 0x10f82, 0x10f85, 0x11070, 0x11070, 0x1133b, 0x1133b, 0x1145e, 0x1145e,
	0x11839, 0x1183a, 0x11930, 0x11930, 0x11938, 0x11938, 0x1193d, 0x1193e, 0x11943, 0x11943, 0x119e0, 0x119e0,
	0x11a34, 0x11a34, 0x11a47, 0x11a47, 0x11a99, 0x11a99, 0x11d42, 0x11d42, 0x11d44, 0x11d45, 0x11d97, 0x11d97,
	0x11f41, 0x11f42, 0x16ff0, 0x16ff1, 0x1e030, 0x1e06d, 0x1e08f, 0x1e08f, 0x1e130, 0x1e136, 0x1e2ae, 0x1e2ae, 0x1e2ec, 0x1e2ef,
	0x1e4ec, 0x1e4ef, 0x1f16c, 0x1f16c, 0x1fbf0, 0x1fbf9,
}

// manyMarks is the longest run of marks that package norm surely keeps.
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
		if newForms.Has(r) || unicode15.Newer(r) {
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

// slowly returns the normal form of a text with long runs of marks: it decomposes, sorts
// the marks by class, and composes again if the form wants that.
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

// markClass returns the combining class of r; 0: it starts a new sequence.
func markClass(r rune) uint8 { return norm.NFD.PropertiesString(string(r)).CCC() }

// compose joins each character with the last one of class 0 before it, unless a character
// between blocks it.
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
