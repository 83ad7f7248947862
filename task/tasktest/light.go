//go:build !heavy

package tasktest

// The usual tests look at a few problems of every level: they guard a change, and end in a
// second. A contract that a level breaks shows in them; what is rare is for the heavy tests.
const (
	// Heavy tells tests that count what they meet that they meet all.
	Heavy = false

	draws       = 8      // problems for each level
	hostileText = 30_000 // length of long hostile answers, in bytes

	// Of each level, changes are tried on as many problems, until so many have changed.
	triedDraws, changedDraws = 2 * draws, draws / 2
)

// guessers are checks of the heavy tests alone.
var guessers []check

// Count returns how many of n problems to look at: a few.
func Count(n, few int) int { return min(n, few) }
