// Package duels holds the games of two players who see everything, one per file.
package duels

import "github.com/quintain-rl/quintain/scenarios/games"

// Games returns the games by name.
func Games() []*games.Game {
	return []*games.Game{
		chessEndgame.Game(),
		connectSmall.Game(),
		kInARow.Game(),
		nimFamily.Game(),
		pawnRace.Game(),
	}
}
