// Package transformations holds the tasks in which grids of colors become other grids by a
// rule: one of a catalogue of ours, or that of a public task of ARC.
package transformations

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		arcAGI.Task(),
		rearc.Task(),
	}
}
