// Package grids holds the puzzles on a square board that have one solution, however the board
// is turned.
package grids

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		binairo.Task(),
		calcudoku.Task(),
		hitori.Task(),
		lightUp.Task(),
		minesweeper.Task(),
		nonogram.Task(),
		numbrix.Task(),
		skyscrapers.Task(),
		starBattle.Task(),
		tents.Task(),
	}
}
