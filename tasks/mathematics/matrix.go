package mathematics

import (
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task/rng"
)

// A matrix is rows of whole numbers.
type matrix = grid.Grid[int]

// drawDigits returns a matrix of numbers from 0 to 9.
func drawDigits(rows, cols int, r *rng.Rand) matrix {
	return grid.Build(rows, cols, func(int, int) int { return r.Between(0, 9) })
}
