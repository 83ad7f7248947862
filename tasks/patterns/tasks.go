// Package patterns holds the tasks in which a rule or a shape is found in what is shown:
// grids of marks, rows of cells, sequences, outlines, letters.
package patterns

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		arc1D.Task(),
		figletFont.Task(),
		moduloGrid.Task(),
		numberSequence.Task(),
		rectangleCount.Task(),
	}
}
