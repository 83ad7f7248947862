// Package geometry holds the tasks about points, lines and angles.
package geometry

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		advancedGeometry.Task(),
		simpleGeometry.Task(),
	}
}
