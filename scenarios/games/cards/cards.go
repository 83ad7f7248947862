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
