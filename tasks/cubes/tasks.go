// Package cubes holds the tasks in which cubes are turned.
package cubes

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		colorCubeRotation.Task(),
		rubiksCube.Task(),
	}
}
