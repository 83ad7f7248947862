// Package alone holds the games without an opponent, one per file.
package alone

import "github.com/quintain-rl/quintain/scenarios/games"

// Games returns the games by name.
func Games() []*games.Game {
	return []*games.Game{
		roomsGame.Game(),
		slidingPlay.Game(),
		slipperyGrid.Game(),
		sokobanPlay.Game(),
	}
}
