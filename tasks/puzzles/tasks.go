// Package puzzles holds the puzzles solved by search: expressions, digits, colors, moves,
// liars.
package puzzles

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		countdown.Task(),
		cryptarithm.Task(),
		graphColor.Task(),
		jugs.Task(),
		knightsKnaves.Task(),
		mahjongPuzzle.Task(),
		puzzle24.Task(),
	}
}
