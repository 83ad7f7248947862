package matrices

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// mostCells limits the rows and the columns of a matrix in a question.
const mostCells = 200

// A matrix is rows of whole numbers.
type matrix = grid.Grid[int]

// drawDigits returns a matrix of numbers from 0 to 9.
func drawDigits(rows, cols int, r *rng.Rand) matrix {
	return grid.Build(rows, cols, func(int, int) int { return r.Between(0, 9) })
}

var pythonList = strings.NewReplacer("'", `"`, "(", "[", ")", "]")

// listOf reads a list as JSON or Python writes it: in square brackets or round ones, with
// strings in either kind of quotation marks. It evaluates nothing.
func listOf(text string) (list []any, is bool) {
	v, err := answer.ReadJSON(pythonList.Replace(text))
	if err != nil {
		return nil, false
	}
	list, is = v.([]any)
	return list, is
}
