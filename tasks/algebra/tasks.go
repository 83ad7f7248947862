// Package algebra holds the tasks about equations, polynomials and complex numbers.
package algebra

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

// Tasks lists the package's tasks by name.
var Tasks = []quintain.Task{
	complexArithmetic,
	polynomialEquations,
	simpleEquations,
}

// checkWeights refuses weights that do not belong to n operators, or that are no
// shares of one. The names are those of the two settings.
func checkWeights(operators string, n int, weights []float64) error {
	if n == 0 {
		return fmt.Errorf("%s is empty", operators)
	}
	if len(weights) != n {
		return fmt.Errorf("%s_weights has %d numbers, want one for each of the %d %s", operators, len(weights), n, operators)
	}
	sum := 0.
	for _, w := range weights {
		if !(w >= 0) {
			return fmt.Errorf("%s_weights has %v, want 0 or more", operators, w)
		}
		sum += w
	}
	if sum < 0.999 || sum > 1.001 {
		return fmt.Errorf("%s_weights add up to %v, want 1", operators, sum)
	}
	return nil
}

// pickWeighted returns the place of the weight into whose share of 1 the number x
// falls, which is from 0 to 1.
func pickWeighted(weights []float64, x float64) int {
	last := 0
	for i, w := range weights {
		if w > 0 {
			last = i
			if x < w {
				return i
			}
		}
		x -= w
	}
	return last
}
