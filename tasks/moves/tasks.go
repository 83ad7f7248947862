// Package moves holds the tasks about ways: moves from one position to another, and how
// many of them are needed; and turns of cubes.
package moves

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		boxnet.Task(),
		colorCubeRotation.Task(),
		knightSwap.Task(),
		maze.Task(),
		rubiksCube.Task(),
		rushHour.Task(),
		sokoban.Task(),
		towerOfHanoi.Task(),
	}
}
