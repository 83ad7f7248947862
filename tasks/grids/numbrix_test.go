package grids

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNumbrixScore(t *testing.T) {
	item := numbrixItem{
		Puzzle:   [][]int{{0, 2, 0}, {0, 0, 4}, {0, 8, 0}},
		Solution: [][]int{{1, 2, 3}, {6, 5, 4}, {7, 8, 9}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 2 3\n6 5 4\n7 8 9", 1, ""},
		{" 1  2  3\n 6  5  4\n 7  8  9", 1, "in columns"},
		{"[[1, 2, 3], [6, 5, 4], [7, 8, 9]]", 1, "as JSON"},
		{"| 1 | 2 | 3 |\n|---|---|---|\n| 6 | 5 | 4 |\n| 7 | 8 | 9 |", 1, "as a table"},
		{"1 2 3\n6 5 4\n7 8 8", 0, "a number twice"},
		{"1 2 3\n5 6 4\n7 8 9", 0, "numbers that are apart"},
		{"9 8 7\n4 5 6\n3 2 1", 0, "from the other end, with other given numbers"},
		{"3 2 1\n4 5 6\n9 8 7", 0, "mirrored"},
		{"1 2 3\n6 5 4\n7 8 10", 0, "a number that is too large"},
		{"1 2 3\n6 5 4", 0, "a row left out"},
		{"_ 2 _\n_ _ 4\n_ 8 _", 0, "the puzzle"},
		{"The board: 1 2 3\n6 5 4\n7 8 9", 0, "words"},
	})
	tasktest.RefusedRecords(t, numbrix.Task(), []string{
		`{}`,
		`{"puzzle":[[0,0],[0,0]],"solution":[[1,2]],"phrasing":0}`,
		`{"puzzle":[[0,0],[0,0]],"solution":[[1,2],[3,4]],"phrasing":0}`,
		`{"puzzle":[[2,0],[0,0]],"solution":[[1,2],[4,3]],"phrasing":0}`,
		`{"puzzle":[[0,0],[0,5]],"solution":[[1,2],[4,3]],"phrasing":0}`,
		`{"puzzle":[[0,0],[0,0]],"solution":[[0,2],[4,3]],"phrasing":0}`,
		`{"puzzle":[[0,0],[0,0]],"solution":[[1,2],[4,3]],"phrasing":6}`,
	})
}

// The second solver reads the numbers from the prompt and walks from the last one to 1.
func TestNumbrixSecond(t *testing.T) {
	tasktest.Second(t, numbrix.Task(), 1000, func(_ numbrixItem, prompt, got string) error {
		w := walk{at: map[int][2]int{}}
		for i, row := range promptBoard(prompt) {
			w.cells = append(w.cells, make([]int, len(row)))
			for j, text := range row {
				if n, err := strconv.Atoi(text); err == nil {
					w.cells[i][j], w.at[n] = n, [2]int{i, j}
				}
			}
		}
		size := len(w.cells)
		for i := range size {
			for j := range size {
				if w.near([2]int{i, j}, size*size) {
					w.from([2]int{i, j}, size*size)
				}
			}
		}
		if len(w.found) != 1 || w.found[0] != got {
			return fmt.Errorf("%d solutions, %q, and the answer %q", len(w.found), w.found, got)
		}
		return nil
	})
}

// A walk counts the ways to fill a board.
type walk struct {
	cells [][]int
	at    map[int][2]int // the given numbers
	found []string
}

// from goes on with a number that may stand in a cell.
func (w *walk) from(c [2]int, number int) {
	was := w.cells[c[0]][c[1]]
	w.cells[c[0]][c[1]] = number
	defer func() { w.cells[c[0]][c[1]] = was }()
	if number == 1 {
		w.found = append(w.found, strings.NewReplacer("[", "", "]", "").Replace(strings.ReplaceAll(fmt.Sprint(w.cells), "] [", "\n")))
		return
	}
	for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
		next := [2]int{c[0] + d[0], c[1] + d[1]}
		if len(w.found) < 2 && w.near(next, number-1) {
			w.from(next, number-1)
		}
	}
}

// near reports whether a number may stand in a cell: no other one does, and it is close enough to
// the next lower given one.
func (w *walk) near(c [2]int, number int) bool {
	if min(c[0], c[1]) < 0 || max(c[0], c[1]) >= len(w.cells) {
		return false
	}
	at, given := w.at[number]
	if given != (w.cells[c[0]][c[1]] != 0) || given && at != c {
		return false
	}
	for lower := number; lower > 0; lower-- {
		if at, given := w.at[lower]; given {
			rows, cols := at[0]-c[0], at[1]-c[1]
			return max(rows, -rows)+max(cols, -cols) <= number-lower
		}
	}
	return true
}

func TestNumbrixKeys(t *testing.T) {
	symmetric(t, numbrix.Task(), func(n *numbrixItem, v view) { n.Puzzle, n.Solution = seen(v, n.Puzzle), seen(v, n.Solution) })
	tasktest.Variant(t, numbrix.Task(), "counted from the other end", func(n *numbrixItem, _ *rng.Rand) func(string) string {
		size := len(n.Puzzle)
		for i := range size {
			for j, given := range n.Puzzle[i] {
				if n.Solution[i][j] = size*size + 1 - n.Solution[i][j]; given != 0 {
					n.Puzzle[i][j] = n.Solution[i][j]
				}
			}
		}
		return func(answer string) string {
			rows := fields(answer)
			var lines []string
			for _, row := range rows {
				for j, text := range row {
					k, _ := strconv.Atoi(text)
					row[j] = strconv.Itoa(len(rows)*len(rows) + 1 - k)
				}
				lines = append(lines, strings.Join(row, " "))
			}
			return strings.Join(lines, "\n")
		}
	})
	tasktest.Other(t, numbrix.Task(), "a given number is taken away", func(n *numbrixItem) {
		for _, row := range n.Puzzle {
			if j := slices.IndexFunc(row, func(c int) bool { return c != 0 }); j >= 0 {
				row[j] = 0
				return
			}
		}
	})
}
