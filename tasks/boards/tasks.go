// Package boards holds the tasks about things in the cells of a board.
package boards

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	gameOfLife,
	gameOfLifeHalting,
	miniSudoku,
	rottenOranges,
	shortestPath,
	tsumego,
}
