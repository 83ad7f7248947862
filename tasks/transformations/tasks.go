// Package transformations holds the tasks about rules that turn grids of colors into other
// grids: rules from a catalogue of ours, and those of the public tasks of ARC.
package transformations

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		arcAGI.Task(),
		rearc.Task(),
	}
}
