// Package guess holds the games of finding out what is hidden, one per file.
package guess

import "github.com/quintain-rl/quintain/scenarios/games"

// Games returns the games by name.
func Games() []*games.Game {
	return []*games.Game{
		coinWeighing.Game(),
		guessNumber.Game(),
		mastermind.Game(),
		minesweeperPlay.Game(),
		wordlePlay.Game(),
	}
}
