// Package blackjack holds the game of that name, whose every decision has an exact expected win.
package blackjack

import "github.com/quintain-rl/quintain/scenarios/games"

// Games returns the game.
func Games() []*games.Game { return []*games.Game{blackjackTable.Game()} }

// slack is how much the worth of two moves may differ by rounding.
const slack = 1e-9
