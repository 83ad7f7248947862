// Package matrices holds the tasks about matrices of numbers.
package matrices

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		binaryMatrix.Task(),
		manipulateMatrix.Task(),
		poolMatrix.Task(),
		rotateMatrix.Task(),
		spiralMatrix.Task(),
	}
}
