// Package patterns holds the tasks about finding a rule or a shape: in grids of marks, rows
// of cells, sequences, outlines, letters, examples of an unknown rule.
package patterns

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		acre.Task(),
		arc1D.Task(),
		figletFont.Task(),
		listFunctions.Task(),
		moduloGrid.Task(),
		numberSequence.Task(),
		rectangleCount.Task(),
	}
}
