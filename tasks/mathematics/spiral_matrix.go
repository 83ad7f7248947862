package mathematics

import (
	"errors"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// spiralMatrix asks for the numbers of a matrix along a spiral.
var spiralMatrix = task.Spec[spiralMatrixParams, spiralMatrixItem]{
	Name:     "spiral_matrix",
	Category: "algorithmic",
	Doc:      "Read a square matrix along a spiral, clockwise from the upper left corner to the middle.",
	Source:   "A classic exercise; the settings are those of reasoning-gym.",
	Version:  4,
	List:     " ",
	Default:  spiralMatrixParams{MinN: 2, MaxN: 10},
	Levels: []spiralMatrixParams{
		{MinN: 2, MaxN: 3},
		{MinN: 4, MaxN: 5},
		{MinN: 6, MaxN: 8},
		{MinN: 10, MaxN: 13},
		{MinN: 18, MaxN: 22},
		{MinN: 28, MaxN: 34},
	},
	Make: makeSpiralMatrix,
	Ask: []string{
		"Read this matrix in spiral order:\n\n{matrix}",
		"List the numbers of the matrix below along a spiral that winds inward.\n\n{matrix}",
		"A snail crawls around this square of numbers and then, frame by frame, toward the middle. In which order does it meet the numbers?\n\n{matrix}",
		"Start in the upper left corner of this matrix, go right along the edge, and keep turning right whenever the way ahead is at its end or already used. Which numbers do you pass, in order?\n\n" +
			"{matrix}",
		"Peel off this matrix clockwise from the outside, beginning in the upper left corner: the top row, the right column, the bottom row, the left column, and again with what is left. " +
			"Give all numbers in this order.\n\n{matrix}",
		"In what order does a clockwise spiral from the upper left corner to the middle visit the entries of the following matrix?\n\n{matrix}",
	},
	Form: "\n\nThe spiral begins in the upper left corner and goes to the right along the first row, that is, clockwise. " +
		"Answer with all the numbers on one line, with a space between them, for example 1 2 3 4.",
}

// spiralMatrixParams are the settings of one difficulty.
type spiralMatrixParams struct {
	MinN int `json:"min_n" want:"2 to 200"` // rows and columns
	MaxN int `json:"max_n" want:"min_n to 200"`
}

// spiralMatrixItem is one matrix.
type spiralMatrixItem struct {
	Matrix   matrix `json:"matrix"`
	Solution []int  `json:"solution"` // the numbers along the spiral
	N        int    `json:"n"`        // rows and columns
	Phrasing int    `json:"phrasing,omitempty"`
}

// makeSpiralMatrix draws the matrix. The two ends of its second row differ, so that reading
// row by row is never right.
func makeSpiralMatrix(p spiralMatrixParams, r *rng.Rand) (spiralMatrixItem, error) {
	n := r.Between(p.MinN, p.MaxN)
	m := drawDigits(n, n, r)
	if m[1][0] == m[1][n-1] {
		m[1][0] = (m[1][0] + r.Between(1, 9)) % 10
	}
	return spiralMatrixItem{Matrix: m, Solution: spiral(m), N: n, Phrasing: r.Between(0, 5)}, nil
}

// spiral returns the numbers of m clockwise from the upper left corner inward, one
// frame after the other.
func spiral(m matrix) []int {
	rows, cols := len(m), len(m[0])
	all := make([]int, 0, rows*cols)
	for top, left := 0, 0; ; top, left = top+1, left+1 {
		bottom, right := rows-1-top, cols-1-left
		if top > bottom || left > right {
			return all
		}
		all = append(all, m[top][left:right+1]...)
		for i := top + 1; i <= bottom; i++ {
			all = append(all, m[i][right])
		}
		for j := right - 1; j >= left && bottom > top; j-- {
			all = append(all, m[bottom][j])
		}
		for i := bottom - 1; i > top && right > left; i-- {
			all = append(all, m[i][left])
		}
	}
}

func (s spiralMatrixItem) Short() string {
	return "spiral: " + strings.ReplaceAll(grid.Ints(s.Matrix), "\n", "/")
}

// Check refuses a record with a wrong solution.
func (s spiralMatrixItem) Check() error {
	if err := grid.CheckInts(s.Matrix, -1e9, 1e9); err != nil {
		return err
	}
	if !slices.Equal(s.Solution, spiral(s.Matrix)) {
		return errors.New("solution is not that of the matrix")
	}
	return nil
}

func (s spiralMatrixItem) Solve() string { return grid.Ints(matrix{s.Solution}) }

func (s spiralMatrixItem) Score(text string) quintain.Verdict {
	switch answer.Trim(text) {
	case s.Solve():
		return quintain.Right()
	case "":
		return quintain.Malformed("the answer is empty")
	}
	return quintain.Wrong("the answer is not the numbers along the spiral, with a space between them")
}
