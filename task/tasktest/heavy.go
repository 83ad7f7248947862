//go:build heavy

package tasktest

// The heavy tests look at every problem that a check names.
const (
	// Heavy tells tests that count what they meet that they meet all.
	Heavy = true

	draws       = 40      // problems for each level
	hostileText = 100_000 // length of long hostile answers, in bytes

	// Of each level, changes are tried on as many problems, until so many have changed.
	triedDraws, changedDraws = draws, draws
)

// guessers are the checks of what can be earned without solving.
var guessers = []check{
	{"blind_answers_earn_little", blindAnswers},
	{"surface_gives_little_away", surface},
	{"learned_by_heart", learnedByHeart},
}

// Count returns how many of n problems to look at: all.
func Count(n, _ int) int { return n }
