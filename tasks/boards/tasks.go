// Package boards holds the tasks about things in the cells of a board.
package boards

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		gameOfLife.Task(),
		gameOfLifeHalting.Task(),
		miniSudoku.Task(),
		rottenOranges.Task(),
		shortestPath.Task(),
		tsumego.Task(),
	}
}
