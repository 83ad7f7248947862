package tasktest

import "testing"

// The heavy tests, which run every night, look at all the problems that a check
// names. The usual tests look at a part, to finish in seconds and still show a mistake in a
// task. Short tests, for the race detector, look at an even smaller part.
const (
	usualPart = 8  // one in this many
	shortPart = 25 // one in this many
	enough    = 100
)

// count returns how many of all problems to look at. If there are few, it is all of them.
func count(all int) int {
	switch {
	case heavy:
		return all
	case testing.Short():
		return min(all, max(enough/usualPart, all/shortPart))
	}
	return min(all, max(enough, all/usualPart))
}

// someLevels returns the levels for costly checks: the first, with the fewest answers, and
// the last. Heavy tests get all levels, short ones the first alone.
func someLevels(levels int) (some []int) {
	for level := range levels {
		if heavy || level == 0 || level == levels-1 && !testing.Short() {
			some = append(some, level)
		}
	}
	return some
}
