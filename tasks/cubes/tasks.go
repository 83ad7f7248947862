// Package cubes holds the tasks about turning cubes.
package cubes

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		colorCubeRotation.Task(),
		rubiksCube.Task(),
	}
}
