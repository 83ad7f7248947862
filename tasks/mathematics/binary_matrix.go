package mathematics

import (
	"errors"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// binaryMatrix asks for the distance of every cell from a zero.
var binaryMatrix = task.Spec[binaryMatrixParams, binaryMatrixItem]{
	Name:     "binary_matrix",
	Category: "algorithmic",
	Doc: "Find the taxicab distance of every cell of a matrix of zeros and ones to the nearest zero. " +
		"Some cell is at least 2 away, so that copying the matrix is never right.",
	Source:  "The distance transform of image processing; the settings are those of reasoning-gym.",
	Version: 5,
	Default: binaryMatrixParams{MinN: 3, MaxN: 10, PZero: 0.25},
	Levels: []binaryMatrixParams{
		{MinN: 3, MaxN: 4, PZero: 0.4},
		{MinN: 5, MaxN: 6, PZero: 0.25},
		{MinN: 7, MaxN: 9, PZero: 0.15},
		{MinN: 10, MaxN: 14, PZero: 0.08},
		{MinN: 18, MaxN: 22, PZero: 0.04},
		{MinN: 28, MaxN: 32, PZero: 0.02},
	},
	Make: makeBinaryMatrix,
	Ask: []string{
		"For every cell of this matrix, find the taxicab distance to the nearest 0:\n\n{matrix}",
		"Replace each cell of the matrix below by the number of steps, up, down, left or right, to the nearest 0.\n\n{matrix}",
		"How far is each cell of the following matrix from the nearest 0? One step leads to the cell on the left, on the right, above or below.\n\n{matrix}",
		"Zeros in this matrix are springs. Write for each cell how many steps it is from the closest spring, moving only along rows and columns:\n\n{matrix}",
		"Make a map of distances: each number says how many moves to a neighbor above, below, left or right lead from that cell of the matrix to the closest cell with a 0.\n\n{matrix}",
		"The distance of two cells is the difference of their rows plus that of their columns. What is the distance from each cell of the matrix below to the 0 closest to it?\n\n{matrix}",
	},
	Form: "\n\nA 0 itself is at distance 0. Answer with the matrix of the distances in the same form: a line for each row, with one space between numbers.",
}

// binaryMatrixParams are the settings of one difficulty.
type binaryMatrixParams struct {
	MinN  int     `json:"min_n" want:"2 to 200"` // rows and columns
	MaxN  int     `json:"max_n" want:"min_n to 200"`
	PZero float64 `json:"p_zero" want:"more than 0 and at most 1"` // probability that a cell is a zero
}

// binaryMatrixItem is one matrix.
type binaryMatrixItem struct {
	Matrix   matrix `json:"matrix"`   // zeros and ones
	Solution matrix `json:"solution"` // distances
	N        int    `json:"n"`        // rows and columns
	Phrasing int    `json:"phrasing,omitempty"`
}

// makeBinaryMatrix draws the cells one by one. If none is 2 or more away from a zero, or
// there is no zero, it changes a few.
func makeBinaryMatrix(p binaryMatrixParams, r *rng.Rand) (binaryMatrixItem, error) {
	n := r.Between(p.MinN, p.MaxN)
	item := binaryMatrixItem{Matrix: grid.New[int](n, n), N: n, Phrasing: r.Between(0, 5)}
	zeros := 0
	for _, row := range item.Matrix {
		for j := range row {
			if r.Chance(p.PZero) {
				zeros++
			} else {
				row[j] = 1
			}
		}
	}
	if zeros > 0 {
		item.Solution = zeroDistances(item.Matrix)
	}
	if zeros == 0 || farthest(item.Solution) < 2 {
		openUp(item.Matrix, r)
		item.Solution = zeroDistances(item.Matrix)
	}
	return item, nil
}

// openUp sets a random cell and its neighbors to one, and another cell to zero if there is
// no zero.
func openUp(m matrix, r *rng.Rand) {
	n := len(m)
	row, col := r.Between(0, n-1), r.Between(0, n-1)
	start, zeros, other := r.Between(0, n*n-1), 0, 0
	for k := range n * n {
		at := (start + k) % (n * n)
		i, j := at/n, at%n
		if abs(i-row)+abs(j-col) < 2 {
			m[i][j] = 1
			continue
		}
		other = at
		zeros += 1 - m[i][j]
	}
	if zeros == 0 {
		m[other/n][other%n] = 0
	}
}

func abs(n int) int { return max(n, -n) }

// zeroDistances returns the taxicab distance of each cell of m to the nearest zero; there
// must be one. It takes two passes, from opposite corners of the main diagonal: Rosenfeld
// and Pfaltz, "Sequential Operations in Digital Picture Processing" (1966).
func zeroDistances(m matrix) matrix {
	rows, cols := len(m), len(m[0])
	d, far := grid.New[int](rows, cols), rows+cols
	for i, row := range m {
		for j, cell := range row {
			if cell == 0 {
				continue
			}
			d[i][j] = far
			if i > 0 {
				d[i][j] = d[i-1][j] + 1
			}
			if j > 0 {
				d[i][j] = min(d[i][j], d[i][j-1]+1)
			}
		}
	}
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			if i < rows-1 {
				d[i][j] = min(d[i][j], d[i+1][j]+1)
			}
			if j < cols-1 {
				d[i][j] = min(d[i][j], d[i][j+1]+1)
			}
		}
	}
	return d
}

// farthest returns the largest number in m, or 0.
func farthest(m matrix) (most int) {
	for _, row := range m {
		for _, n := range row {
			most = max(most, n)
		}
	}
	return most
}

// Canonical implements [task.Canonicalizer]. The side from which the matrix is seen does not matter.
func (b binaryMatrixItem) Canonical() string {
	return canon.Board(b.Matrix, func(cell int) byte { return byte('0' + cell) })
}

// Check refuses a record with a wrong solution.
func (b binaryMatrixItem) Check() error {
	if err := grid.CheckInts(b.Matrix, 0, 1); err != nil {
		return err
	}
	if !strings.Contains(grid.Ints(b.Matrix), "0") {
		return errors.New("matrix has no zero")
	}
	if !grid.Equal(b.Solution, zeroDistances(b.Matrix)) {
		return errors.New("solution is not that of the matrix")
	}
	return nil
}

func (b binaryMatrixItem) Solve() string { return grid.Ints(b.Solution) }

func (b binaryMatrixItem) Score(text string) quintain.Verdict {
	switch {
	case text == b.Solve():
		return quintain.Right()
	case answer.Trim(text) == "":
		return quintain.Malformed("the answer is empty")
	}
	return quintain.Wrong("the answer is not the matrix of the distances, a line for each row")
}
