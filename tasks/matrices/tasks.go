// Package matrices holds the tasks about matrices of numbers.
package matrices

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	binaryMatrix,
	manipulateMatrix,
	poolMatrix,
	rotateMatrix,
	spiralMatrix,
}
