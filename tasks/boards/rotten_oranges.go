package boards

import (
	"bytes"
	"strconv"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// rottenOranges asks when the last orange of a grid rots.
var rottenOranges = task.Spec[rottenOrangesParams, rottenOrangesItem]{
	Name:     "rotten_oranges",
	Category: "algorithmic",
	Doc: "Find out after how many minutes all oranges of a grid are rotten if rot spreads to neighbors, or that some never rot. " +
		"One problem in eight has oranges that never rot; the share of rotten oranges at the start varies, and so do the times.",
	Source:  "A classic exercise in breadth-first search; the settings are those of reasoning-gym.",
	Version: 5,
	Default: rottenOrangesParams{MinN: 10, MaxN: 30, POranges: 0.85, PRotten: 0.1},
	Levels: []rottenOrangesParams{
		{MinN: 5, MaxN: 6, POranges: 0.85, PRotten: 0.1},
		{MinN: 8, MaxN: 10, POranges: 0.85, PRotten: 0.06},
		{MinN: 10, MaxN: 13, POranges: 0.8, PRotten: 0.05},
		{MinN: 16, MaxN: 20, POranges: 0.75, PRotten: 0.03},
		{MinN: 24, MaxN: 28, POranges: 0.7, PRotten: 0.02},
		{MinN: 34, MaxN: 40, POranges: 0.67, PRotten: 0.01},
	},
	Make:  makeRottenOranges,
	Match: task.MatchNumber,
}

// rottenOrangesParams are the settings of one difficulty.
type rottenOrangesParams struct {
	MinN     int     `json:"min_n" want:"3 to 200"` // rows and columns
	MaxN     int     `json:"max_n" want:"min_n to 200"`
	POranges float64 `json:"p_oranges" want:"more than 0 and at most 1"` // probability that a cell holds an orange
	PRotten  float64 `json:"p_rotten" want:"more than 0 and at most 1"`  // mean probability that an orange is rotten
}

// rottenOrangesItem is one grid.
type rottenOrangesItem struct {
	Matrix   grid.Grid[int] `json:"matrix"`   // cells: noOrange, fresh or rotten
	Solution int            `json:"solution"` // minutes; neverRots
	N        int            `json:"n"`        // rows and columns
	Phrasing int            `json:"phrasing,omitempty" want:"0 to 5"`
}

const (
	noOrange = 0
	fresh    = 1
	rotten   = 2

	neverRots = -1
)

// makeRottenOranges draws the oranges, with a share of rotten ones anywhere from none to
// twice the setting. Then either every part that the rot does not reach gets a rotten
// orange, so that all rot, or a few oranges are fenced off.
func makeRottenOranges(p rottenOrangesParams, r *rng.Rand) (rottenOrangesItem, error) {
	const pNever = 1. / 8
	n := r.Between(p.MinN, p.MaxN)
	m, pRotten := grid.New[int](n, n), p.POranges*2*p.PRotten*r.Float()
	for _, row := range m {
		for j := range row {
			switch at := r.Float(); {
			case at < pRotten:
				row[j] = rotten
			case at < p.POranges:
				row[j] = fresh
			}
		}
	}
	m[r.Between(0, n-1)][r.Between(0, n-1)] = rotten
	item := rottenOrangesItem{Matrix: m, Solution: infect(m), N: n, Phrasing: r.Between(0, len(rottenOrangesPhrasings)-1)}
	if r.Chance(pNever) {
		fenceOff(m, r)
		item.Solution = neverRots
	}
	return item, nil
}

// A rot is a breadth-first search through the oranges of a grid.
type rot struct {
	grid.Walled[byte]       // a copy of the grid, with empty cells all around; infected cells are rotten
	queue             []int // indexes in Cells, in order of time
	minutes           int   // until the last in queue is rotten
}

// rotIn lets the oranges in a copy of m rot, as far as the rot gets.
func rotIn(m grid.Grid[int]) *rot {
	s := &rot{Walled: grid.NewWalled[byte](len(m), len(m[0]), noOrange), queue: make([]int, 0, len(m)*len(m[0]))}
	for i, row := range m {
		for j, cell := range row {
			at := s.At(i, j)
			s.Cells[at] = byte(cell)
			if cell == rotten {
				s.queue = append(s.queue, at)
			}
		}
	}
	s.flow(0)
	return s
}

// flow spreads the rot from the queue, from first on; those are rotten at the start.
func (s *rot) flow(first int) {
	minutes, steps := 0, s.Steps()
	for end := len(s.queue); first < len(s.queue); first++ {
		if first == end {
			minutes, end = minutes+1, len(s.queue)
		}
		for _, step := range steps {
			if next := s.queue[first] + step; s.Cells[next] == fresh {
				s.Cells[next] = rotten
				s.queue = append(s.queue, next)
			}
		}
	}
	s.minutes = max(s.minutes, minutes)
}

// minutesOf returns the minutes until the last orange of m is rotten, or neverRots.
func minutesOf(m grid.Grid[int]) int {
	s := rotIn(m)
	if bytes.IndexByte(s.Cells, fresh) >= 0 {
		return neverRots
	}
	return s.minutes
}

// infect makes one orange rotten in each part of m that the rot would not reach. It returns
// the minutes until all are.
func infect(m grid.Grid[int]) (minutes int) {
	s := rotIn(m)
	for i, row := range m {
		for j := range row {
			at := s.At(i, j)
			if s.Cells[at] != fresh {
				continue
			}
			row[j], s.Cells[at] = rotten, rotten
			s.queue = append(s.queue, at)
			s.flow(len(s.queue) - 1)
		}
	}
	return s.minutes
}

// fenceOff puts up to three fresh oranges in a row, somewhere, and empties the cells around
// them.
func fenceOff(m grid.Grid[int], r *rng.Rand) {
	n := len(m)
	size := r.Between(1, max(1, min(3, n/4)))
	row, col := r.Between(0, n-1), r.Between(0, n-size)
	for i := max(0, row-1); i <= min(n-1, row+1); i++ {
		for j := max(0, col-1); j <= min(n-1, col+size); j++ {
			inside := j >= col && j < col+size
			switch {
			case i == row && inside:
				m[i][j] = fresh
			case i == row || inside: // not a corner
				m[i][j] = noOrange
			}
		}
	}
}

// rottenOrangesPhrasings are the wordings of the question, before the grid.
var rottenOrangesPhrasings = []string{
	"In this grid, 0 is an empty cell, 1 a fresh orange and 2 a rotten one. Every minute, each fresh orange beside, above or below a rotten one becomes rotten. " +
		"After how many minutes are all oranges rotten?\n\n",
	"Here is a box of oranges, cell by cell: 2 is a rotten orange, 1 a fresh one and 0 an empty cell. Every minute, the rot spreads from each rotten orange to its neighbors on the left and on the right, above and below. " +
		"How many minutes does it take until all oranges are rotten?\n\n",
	"Rot spreads in the following grid, where 1 stands for a fresh orange, 2 for a rotten one and 0 for an empty cell. A fresh orange rots one minute after an orange that shares a side with it. " +
		"After how many minutes has the last orange rotted?\n\n",
	"Every minute, rot passes from rotten oranges to the fresh ones directly above, below, to the left and to the right of them. In the grid below, rotten oranges are marked 2, fresh ones 1, and empty cells 0. " +
		"After how many minutes is no orange fresh any more?\n\n",
	"A crate is shown from above: 0 is a gap, 1 a good orange, and 2 a moldy one. Within a minute, mold reaches each good orange that shares a side with a moldy one. " +
		"How many minutes pass until no good orange is left?\n\n",
	"The numbers below stand for oranges, 2 for rotten and 1 for fresh ones, and 0 for empty cells. Let the rot advance by one cell to all four sides each minute. " +
		"How long does it take, in minutes, until it has reached every orange?\n\n",
}

func (o rottenOrangesItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = grid.AppendInts(append(b, rottenOrangesPhrasings[o.Phrasing]...), o.Matrix)
	return string(append(b, "\n\nAnswer with one whole number: 0 if no orange is fresh at the start, -1 if some orange never rots."...))
}

// Canonical implements [task.Canonicalizer]. The side from which the grid is seen does not matter.
func (o rottenOrangesItem) Canonical() string {
	return canon.Board(o.Matrix, func(cell int) byte { return byte('0' + cell) })
}

// Check refuses a record with a wrong solution.
func (o rottenOrangesItem) Check() error {
	if err := grid.CheckInts(o.Matrix, noOrange, rotten); err != nil {
		return err
	}
	return task.Want("solution", o.Solution, minutesOf(o.Matrix))
}

func (o rottenOrangesItem) Solve() string { return strconv.Itoa(o.Solution) }
