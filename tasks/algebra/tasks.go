// Package algebra holds the tasks about equations, polynomials and complex numbers.
package algebra

import "github.com/quintain-rl/quintain"

// Tasks returns the package's tasks by name.
func Tasks() []quintain.Task {
	return []quintain.Task{
		complexArithmetic.Task(),
		polynomialEquations.Task(),
		simpleEquations.Task(),
	}
}
