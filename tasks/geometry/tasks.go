// Package geometry holds the tasks about points, lines and angles.
package geometry

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	advancedGeometry,
	simpleGeometry,
}
