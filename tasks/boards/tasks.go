// Package boards holds the tasks about things in the cells of a board, and about filling them by rules.
package boards

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		futoshiki.Task(),
		gameOfLife.Task(),
		gameOfLifeHalting.Task(),
		kakurasu.Task(),
		miniSudoku.Task(),
		nQueens.Task(),
		rottenOranges.Task(),
		shortestPath.Task(),
		sudoku.Task(),
		survo.Task(),
		tsumego.Task(),
	}
}
