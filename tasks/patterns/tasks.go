// Package patterns holds the tasks in which a rule or a shape is found in what is shown:
// grids of marks, rows of cells, sequences, outlines, letters.
package patterns

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	arc1D,
	figletFont,
	moduloGrid,
	numberSequence,
	rectangleCount,
}
