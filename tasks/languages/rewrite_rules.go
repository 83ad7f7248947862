package languages

import (
	"bytes"
	"slices"
)

// A rewriteRule changes strings of the letters a, b and c. The result is never empty,
// longer, or the same.
type rewriteRule struct {
	text     string
	place    placeOf
	from, to string // from is replaced by to, at place

	other func([]byte) ([]byte, bool) // for the other places: changes in place
}

// A placeOf is where a rule looks for from.
type placeOf uint8

const (
	elsewhere placeOf = iota
	atStart
	atEnd
	anywhere // its first occurrence
)

var rewriteRules = [20]rewriteRule{
	{text: "If the string begins with ab, put c in place of these two letters.", place: atStart, from: "ab", to: "c"},
	{text: "If the string begins with ca, put bb in place of these two letters.", place: atStart, from: "ca", to: "bb"},
	{text: "If the string begins with bb, drop the first letter.", place: atStart, from: "bb", to: "b"},
	{text: "If the string ends in bc, move its last letter to the front.", other: moveLast},
	{text: "If the string begins with aa, put cb in place of these two letters.", place: atStart, from: "aa", to: "cb"},
	{text: "If the string ends in ac, put cb in place of these two letters.", place: atEnd, from: "ac", to: "cb"},
	{text: "If the string ends in ca, drop the last letter.", place: atEnd, from: "ca", to: "c"},
	{text: "If the string ends in bb, put a in place of these two letters.", place: atEnd, from: "bb", to: "a"},
	{text: "If the string ends in cba, put abc in place of these three letters.", place: atEnd, from: "cba", to: "abc"},
	{text: "If abc occurs in the string, put cab in place of its first occurrence.", place: anywhere, from: "abc", to: "cab"},
	{text: "If bab occurs in the string, put a in place of its first occurrence.", place: anywhere, from: "bab", to: "a"},
	{text: "If ccc occurs in the string, put ab in place of its first occurrence.", place: anywhere, from: "ccc", to: "ab"},
	{text: "If aab occurs in the string, put bc in place of its first occurrence.", place: anywhere, from: "aab", to: "bc"},
	{text: "If bca occurs in the string, turn its first occurrence around, into acb.", place: anywhere, from: "bca", to: "acb"},
	{text: "If acb occurs in the string, turn its first occurrence around, into bca.", place: anywhere, from: "acb", to: "bca"},
	{text: "If there are more letters b than c in the string, put c in place of the first b.", other: moreBs},
	{text: "If the number of letters is even and more than 8, drop the two letters in the middle.", other: evenLength},
	{text: "If there are more than 12 letters, drop the first letter.", other: longString},
	{text: "If there are at least two letters and the first is the same as the last, drop the last letter.", other: sameEndsOf},
	{text: "If the string begins with cb, move its first letter to the end.", other: moveFirst},
}

func moreBs(s []byte) ([]byte, bool) {
	if bytes.Count(s, []byte("b")) <= bytes.Count(s, []byte("c")) {
		return s, false
	}
	s[bytes.IndexByte(s, 'b')] = 'c'
	return s, true
}

func evenLength(s []byte) ([]byte, bool) {
	if len(s)%2 != 0 || len(s) <= 8 {
		return s, false
	}
	return slices.Delete(s, len(s)/2-1, len(s)/2+1), true
}

func longString(s []byte) ([]byte, bool) {
	if len(s) <= 12 {
		return s, false
	}
	return slices.Delete(s, 0, 1), true
}

func sameEndsOf(s []byte) ([]byte, bool) {
	last := len(s) - 1
	if last < 1 || s[0] != s[last] {
		return s, false
	}
	return s[:last], true
}

func moveFirst(s []byte) ([]byte, bool) {
	if !bytes.HasPrefix(s, []byte("cb")) {
		return s, false
	}
	copy(s, s[1:])
	s[len(s)-1] = 'c'
	return s, true
}

func moveLast(s []byte) ([]byte, bool) {
	if !bytes.HasSuffix(s, []byte("bc")) {
		return s, false
	}
	copy(s[1:], s)
	s[0] = 'c'
	return s, true
}

// apply changes s in place if r fits, and reports whether it does.
func (r *rewriteRule) apply(s []byte) ([]byte, bool) {
	at := -1
	switch r.place {
	case elsewhere:
		return r.other(s)
	case atStart:
		if len(s) >= len(r.from) && string(s[:len(r.from)]) == r.from {
			at = 0
		}
	case atEnd:
		if before := len(s) - len(r.from); before >= 0 && string(s[before:]) == r.from {
			at = before
		}
	case anywhere:
		at = bytes.Index(s, []byte(r.from))
	}
	if at < 0 {
		return s, false
	}
	copy(s[at:], r.to)
	return slices.Delete(s, at+len(r.to), at+len(r.from)), true
}

// A rewriter has buffers for a string and its predecessors.
type rewriter struct {
	now, next []byte
	seen      []byte // the strings of the current length, joined: shorter ones never grow again
}

// newRewriter returns a rewriter for strings of n letters.
func newRewriter(n int) *rewriter {
	room := make([]byte, 6*n)
	return &rewriter{room[:0:n], room[n : n : 2*n], room[2*n:]}
}

// rewrite applies, again and again, the first rule that fits, until none does or a string
// repeats. It returns the number of steps, and whether it finished before the limit. rules
// are indexes in rewriteRules; end is valid until the next call.
func (w *rewriter) rewrite(start []byte, rules []int) (end []byte, steps int, over bool) {
	most := 100 + 4*len(start)
	now, next, seen := w.now[:len(start)], w.next, w.seen[:len(start)]
	copy(now, start)
	copy(seen, start)
	for ; steps < most; steps++ {
		next = append(next[:0], now...)
		fits := false
		for i := 0; i < len(rules) && !fits; i++ {
			next, fits = rewriteRules[rules[i]].apply(next)
		}
		if !fits || len(next) == len(now) && amongRows(seen, next) {
			over = true
			break
		}
		if len(next) < len(now) {
			seen = seen[:0]
		}
		seen = append(seen, next...)
		now, next = next, now
	}
	w.seen = seen
	return now, steps, over
}

// amongRows reports whether row is one of the rows, all of its length, that are joined in
// rows.
func amongRows(rows, row []byte) bool {
	for ; len(rows) > 0; rows = rows[len(row):] {
		if string(rows[:len(row)]) == string(row) {
			return true
		}
	}
	return false
}
