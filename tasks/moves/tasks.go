// Package moves holds the tasks about ways: moves that lead from one position to another,
// and how many it takes.
package moves

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	boxnet,
	knightSwap,
	maze,
	rushHour,
	sokoban,
	towerOfHanoi,
}
