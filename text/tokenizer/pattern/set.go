package pattern

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A Set is a set of characters: the first and the last of each range, in order. Ranges do not
// touch. No method changes its receiver.
type Set []rune

// Of returns the runes of tables of package unicode, those of Unicode 15.
func Of(tables ...*unicode.RangeTable) Set {
	var set Set
	for _, t := range tables {
		for _, r := range t.R16 {
			set = set.add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			set = set.add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return set.sorted().And(Set(unicode15.Added()).Not())
}

// add appends the characters from lo to hi in steps. The set may need sorting afterwards.
func (s Set) add(lo, hi, step rune) Set {
	if step == 1 {
		return append(s, lo, hi)
	}
	for ; lo <= hi; lo += step {
		s = append(s, lo, lo)
	}
	return s
}

// sorted sorts ranges and joins those that touch.
func (s Set) sorted() Set {
	ranges := make([][2]rune, 0, len(s)/2)
	for r := range slices.Chunk(s, 2) {
		ranges = append(ranges, [2]rune{r[0], r[1]})
	}
	slices.SortFunc(ranges, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	joined := Set{}
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
func (s Set) Or(others ...Set) Set {
	return slices.Concat(append([]Set{s}, others...)...).sorted()
}

// Not returns the complement of s.
func (s Set) Not() Set {
	rest := Set{}
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
func (s Set) And(other Set) Set { return s.Not().Or(other.Not()).Not() }

// Has reports whether r is in s.
func (s Set) Has(r rune) bool {
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
