// Package algebra holds the tasks about equations, polynomials and complex numbers.
package algebra

import "github.com/quintain-rl/quintain"

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	complexArithmetic,
	polynomialEquations,
	simpleEquations,
}
