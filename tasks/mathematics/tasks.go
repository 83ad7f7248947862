// Package mathematics holds the tasks about equations, polynomials, complex numbers, matrices,
// points, lines and angles, and probabilities.
package mathematics

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		advancedGeometry.Task(),
		binaryMatrix.Task(),
		coinFlip.Task(),
		complexArithmetic.Task(),
		dice.Task(),
		manipulateMatrix.Task(),
		polynomialEquations.Task(),
		poolMatrix.Task(),
		rotateMatrix.Task(),
		simpleEquations.Task(),
		simpleGeometry.Task(),
		spiralMatrix.Task(),
	}
}
