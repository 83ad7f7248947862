package tasktest

import "testing"

// Counts of problems are those of the heavy tests, which run every night. Otherwise
// a part of them is looked at, so that the tests take seconds: a mistake in a task shows in
// it. In short form, which is for the race detector, it is a smaller part.
const (
	usualPart = 5  // one in so many
	shortPart = 25 // one in so many
	enough    = 100
)

// count is how many of all problems are looked at: all of them if they are few.
func count(all int) int {
	switch {
	case heavy:
		return all
	case testing.Short():
		return min(all, max(enough/usualPart, all/shortPart))
	}
	return min(all, max(enough, all/usualPart))
}

// someLevels are those of the levels at which costly checks look: the first, which has the
// fewest answers, and the last; all with the heavy tests, and the first alone in short form.
func someLevels(levels int) (some []int) {
	for level := range levels {
		if heavy || level == 0 || level == levels-1 && !testing.Short() {
			some = append(some, level)
		}
	}
	return some
}
