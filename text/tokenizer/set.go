package tokenizer

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A runeSet is a set of characters: the first and the last of each range, in order. Ranges do not
// touch. No method changes its receiver.
type runeSet []rune

// runesOf returns the runes of tables of package unicode, those of Unicode 15.
func runesOf(tables ...*unicode.RangeTable) runeSet {
	var set runeSet
	for _, t := range tables {
		for _, r := range t.R16 {
			set = set.add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			set = set.add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return set.sorted().And(runeSet(unicode15.Added()).Not())
}

// add appends the characters from lo to hi in steps. The set may need sorting afterwards.
func (s runeSet) add(lo, hi, step rune) runeSet {
	if step == 1 {
		return append(s, lo, hi)
	}
	for ; lo <= hi; lo += step {
		s = append(s, lo, lo)
	}
	return s
}

// sorted sorts ranges and joins those that touch.
func (s runeSet) sorted() runeSet {
	ranges := make([][2]rune, 0, len(s)/2)
	for r := range slices.Chunk(s, 2) {
		ranges = append(ranges, [2]rune{r[0], r[1]})
	}
	slices.SortFunc(ranges, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	joined := runeSet{}
	for _, r := range ranges {
		if n := len(joined); n > 0 && r[0] <= joined[n-1]+1 {
			joined[n-1] = max(joined[n-1], r[1])
		} else {
			joined = append(joined, r[0], r[1])
		}
	}
	return joined
}

// Or returns the union of s and others.
func (s runeSet) Or(others ...runeSet) runeSet {
	return slices.Concat(append([]runeSet{s}, others...)...).sorted()
}

// Not returns the complement of s.
func (s runeSet) Not() runeSet {
	rest := runeSet{}
	next := rune(0)
	for r := range slices.Chunk(s, 2) {
		if r[0] > next {
			rest = append(rest, next, r[0]-1)
		}
		next = r[1] + 1
	}
	if next <= utf8.MaxRune {
		rest = append(rest, next, utf8.MaxRune)
	}
	return rest
}

// And returns the intersection of s and other.
func (s runeSet) And(other runeSet) runeSet { return s.Not().Or(other.Not()).Not() }

// Has reports whether r is in s.
func (s runeSet) Has(r rune) bool {
	low, high := 0, len(s)/2
	for low < high {
		if mid := (low + high) / 2; s[2*mid+1] < r {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return 2*low < len(s) && s[2*low] <= r
}
