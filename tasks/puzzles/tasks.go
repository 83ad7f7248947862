// Package puzzles holds the puzzles whose solution is searched for: expressions, digits, colors, moves, liars.
package puzzles

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	countdown,
	cryptarithm,
	graphColor,
	jugs,
	knightsKnaves,
	mahjongPuzzle,
	puzzle24,
}
