package languages

import "strings"

// An expr is a regular expression as it is written.
type expr struct {
	text string
	kind int
}

// The kinds of expressions, the ones that hold together least first.
const (
	alternatives = iota
	sequence
	repeated
	single
)

// within returns e with brackets if it holds together less than kind.
func (e expr) within(kind int) string {
	if e.kind < kind {
		return "(" + e.text + ")"
	}
	return e.text
}

// either matches what a or b matches. A nil expression matches nothing, an empty one the empty string.
func either(a, b *expr) *expr {
	switch {
	case a == nil || b != nil && a.text == b.text:
		return b
	case b == nil:
		return a
	case a.text == "":
		return b.optional()
	case b.text == "":
		return a.optional()
	}
	return &expr{a.text + "|" + b.text, alternatives}
}

// optional also matches the empty string.
func (e expr) optional() *expr {
	if e.kind == repeated && (strings.HasSuffix(e.text, "*") || strings.HasSuffix(e.text, "?")) {
		return &e
	}
	return &expr{e.within(single) + "?", repeated}
}

// then matches a match of a, followed by one of b.
func then(a, b *expr) *expr {
	switch {
	case a == nil || b == nil:
		return nil
	case a.text == "":
		return b
	case b.text == "":
		return a
	}
	return &expr{a.within(sequence) + b.within(sequence), sequence}
}

// often matches any number of matches of e.
func often(e *expr) *expr {
	switch {
	case e == nil || e.text == "":
		return &expr{"", single}
	case e.kind == repeated && strings.HasSuffix(e.text, "*"):
		return e
	}
	return &expr{e.within(single) + "*", repeated}
}

// expression returns an expression of the strings that a accepts. It eliminates one state after the
// other (J. Brzozowski and E. McCluskey, 1963), always the one with the least to write.
func (a automaton) expression(letters string) string {
	n := len(a.next)
	start, end, live := n, n+1, a.live()
	ways := make([][]*expr, n+2)
	for i := range ways {
		ways[i] = make([]*expr, n+2)
	}
	ways[start][0] = &expr{"", single}
	left := []int{}
	for state, next := range a.next {
		if !live[state] {
			continue
		}
		left = append(left, state)
		for letter, to := range next {
			if live[to] {
				ways[state][to] = either(ways[state][to], &expr{letters[letter : letter+1], single})
			}
		}
		if a.accept[state] {
			ways[state][end] = &expr{"", single}
		}
	}
	for len(left) > 0 {
		least := 0
		for i := range left {
			if weight(ways, left[i]) < weight(ways, left[least]) {
				least = i
			}
		}
		gone := left[least]
		left[least] = left[len(left)-1]
		left = left[:len(left)-1]
		eliminate(ways, gone)
	}
	if ways[start][end] == nil {
		return ""
	}
	return ways[start][end].text
}

// weight estimates how much is written if a state is eliminated.
func weight(ways [][]*expr, gone int) int {
	in, out, inside, outside := 0, 0, 0, 0
	for i := range ways {
		if before := ways[i][gone]; before != nil && i != gone {
			in, inside = in+1, inside+len(before.text)
		}
		if after := ways[gone][i]; after != nil && i != gone {
			out, outside = out+1, outside+len(after.text)
		}
	}
	loop := 0
	if ways[gone][gone] != nil {
		loop = len(ways[gone][gone].text)
	}
	return inside*out + outside*in + loop*in*out
}

// eliminate leads every way through a state past it.
func eliminate(ways [][]*expr, gone int) {
	loop := often(ways[gone][gone])
	for i := range ways {
		before := ways[i][gone]
		if i == gone || before == nil {
			continue
		}
		for k, after := range ways[gone] {
			if k != gone && after != nil {
				ways[i][k] = either(ways[i][k], then(then(before, loop), after))
			}
		}
		ways[i][gone] = nil
	}
	clear(ways[gone])
}
