package mathematics

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// rotateMatrix asks for a matrix turned by right angles.
var rotateMatrix = task.Spec[rotateMatrixParams, rotateMatrixItem]{
	Name:     "rotate_matrix",
	Category: "algorithmic",
	Doc: "Turn a square matrix clockwise by a number of right angles. " +
		"Full turns, which would leave it unchanged, do not occur.",
	Source:  "A classic exercise; the settings are those of reasoning-gym.",
	Version: 4,
	Default: rotateMatrixParams{MinN: 2, MaxN: 10, MinRotations: 0, MaxRotations: 10},
	Levels: []rotateMatrixParams{
		{MinN: 2, MaxN: 3, MinRotations: 1, MaxRotations: 3},
		{MinN: 3, MaxN: 5, MinRotations: 1, MaxRotations: 6},
		{MinN: 5, MaxN: 8, MinRotations: 1, MaxRotations: 10},
		{MinN: 10, MaxN: 14, MinRotations: 4, MaxRotations: 15},
		{MinN: 18, MaxN: 22, MinRotations: 10, MaxRotations: 40},
		{MinN: 28, MaxN: 34, MinRotations: 50, MaxRotations: 400},
	},
	Make:    makeRotateMatrix,
	Surface: "Only three turns change a matrix, so whoever always turns it once is right a third of the time.",
	Match:   task.Match,
}

// rotateMatrixParams are the settings of one difficulty.
type rotateMatrixParams struct {
	MinN         int `json:"min_n" want:"2 to 200"` // rows and columns
	MaxN         int `json:"max_n" want:"min_n to 200"`
	MinRotations int `json:"min_rotations" want:"0 to 1000000"` // by 90 degrees each
	MaxRotations int `json:"max_rotations" want:"min_rotations to 1000000"`
}

// Check refuses what no tag does.
func (p rotateMatrixParams) Check() error {
	if p.MinRotations == p.MaxRotations && p.MinRotations%4 == 0 {
		return fmt.Errorf("max_rotations is %d, as min_rotations: whole turns change nothing", p.MaxRotations)
	}
	return nil
}

// rotateMatrixItem is one matrix, before and after.
type rotateMatrixItem struct {
	Matrix       matrix `json:"matrix"`
	NumRotations int    `json:"num_rotations" want:"0 to 1e9"` // clockwise, by 90 degrees each
	Solution     matrix `json:"solution"`
	N            int    `json:"n"` // rows and columns
	Phrasing     int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeRotateMatrix draws the matrix and the turn. The three turns that change something are
// equally likely, as far as the settings allow.
func makeRotateMatrix(p rotateMatrixParams, r *rng.Rand) (rotateMatrixItem, error) {
	n := r.Between(p.MinN, p.MaxN)
	m := drawDigits(n, n, r)
	if grid.Equal(m, m.Turned(2)) {
		m[0][0] = (m[0][0] + r.Between(1, 9)) % 10
	}
	turns := drawTurns(p, r)
	return rotateMatrixItem{
		Matrix: m, NumRotations: turns, Solution: m.Turned(turns), N: n,
		Phrasing: r.Between(0, len(rotateMatrixPhrasings)-1),
	}, nil
}

// drawTurns draws a number of right angles that is not a multiple of 4.
func drawTurns(p rotateMatrixParams, r *rng.Rand) int {
	var rests [3]int
	n := 0
	for rest := 1; rest <= 3; rest++ {
		if firstWithRest(p.MinRotations, rest) <= p.MaxRotations {
			rests[n] = rest
			n++
		}
	}
	first := firstWithRest(p.MinRotations, rng.Pick(r, rests[:n]))
	return first + 4*r.Between(0, (p.MaxRotations-first)/4)
}

// firstWithRest returns the first number from low up with this remainder modulo 4.
func firstWithRest(low, rest int) int { return low + (rest-low%4+4)%4 }

// rotateMatrixPhrasings are the wordings of the question, around the angle in
// degrees, before the matrix.
var rotateMatrixPhrasings = [][2]string{
	{"Rotate this matrix clockwise by ", " degrees:\n\n"},
	{"What does the matrix below look like when it is turned by ", " degrees clockwise?\n\n"},
	{"Turn the following square of numbers ", " degrees to the right.\n\n"},
	{"Print this matrix as it appears after a clockwise rotation by ", " degrees:\n\n"},
	{"A picture is stored as the numbers below. Someone turns the picture clockwise by ", " degrees. Which numbers are stored then?\n\n"},
	{"These numbers stand on a square sheet of paper. Give them row by row after the sheet has been turned clockwise by ", " degrees.\n\n"},
}

func (m rotateMatrixItem) Prompt() string {
	words := rotateMatrixPhrasings[m.Phrasing]
	b := make([]byte, 0, task.PromptRoom)
	b = strconv.AppendInt(append(b, words[0]...), 90*int64(m.NumRotations), 10)
	b = grid.AppendInts(append(b, words[1]...), m.Matrix)
	return string(append(b, "\n\nAnswer with the turned matrix alone: a line for each row, with one space between numbers."...))
}

func (m rotateMatrixItem) Short() string {
	return "turn " + strconv.FormatInt(90*int64(m.NumRotations), 10) + ": " + strings.ReplaceAll(grid.Ints(m.Matrix), "\n", "/")
}

// Canonical implements [task.Canonicalizer]. It does not matter how the matrix lies before it is turned,
// and after an even number of turns, a mirrored matrix is mirrored too.
func (m rotateMatrixItem) Canonical() string {
	turned := []int{0, 3, 5, 6} // the sides without a mirror
	if m.NumRotations%2 == 0 {
		turned = append(turned, 1, 2, 4, 7)
	}
	m.Matrix = canon.Front(m.Matrix, turned...)
	return m.Short()
}

// Check refuses a record with a wrong solution.
func (m rotateMatrixItem) Check() error {
	if err := grid.CheckInts(m.Matrix, -1e9, 1e9); err != nil {
		return err
	}
	if !grid.Equal(m.Solution, m.Matrix.Turned(m.NumRotations)) {
		return errors.New("solution is not the matrix turned")
	}
	return nil
}

func (m rotateMatrixItem) Solve() string { return grid.Ints(m.Solution) }
