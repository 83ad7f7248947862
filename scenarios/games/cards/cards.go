// Package cards holds the games with something hidden: cards, dice, or the opponent's choice, one
// per file. What an opponent does is told by rules, so that each move has an exact expected value,
// with Bayes' theorem over what the opponent may hold.
package cards

import "github.com/quintain-rl/quintain/scenarios/games"

// Games returns the games by name.
func Games() []*games.Game {
	return []*games.Game{
		blackjackTable.Game(),
		liarsDice.Game(),
		matrixDuel.Game(),
		smallPoker.Game(),
	}
}

// slack is how much the worth of two moves may differ by rounding.
const slack = 1e-9

// A score counts what moves gave away. Par is what uniform play gives away on average.
type score struct{ lost, par float64 }

// add counts a move that is worth so much less than the best one.
func (s *score) add(loss, slack float64) {
	if loss > slack {
		s.lost += loss
	}
}

// value is 1 if nothing is lost, and 0 if as much as par.
func (s *score) value() float64 {
	if s.lost == 0 {
		return 1
	}
	return max(0, 1-s.lost/s.par)
}
