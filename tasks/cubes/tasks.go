// Package cubes holds the tasks in which cubes are turned.
package cubes

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	colorCubeRotation,
	rubiksCube,
}
