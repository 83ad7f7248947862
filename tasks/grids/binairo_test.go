package grids

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestBinairoScore(t *testing.T) {
	item := binairoItem{
		Puzzle:   [][]int{{0, 2, 2, 1}, {2, 0, 2, 2}, {2, 2, 2, 1}, {2, 2, 0, 2}},
		Solution: [][]int{{0, 1, 0, 1}, {1, 0, 1, 0}, {0, 0, 1, 1}, {1, 1, 0, 0}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"0 1 0 1\n1 0 1 0\n0 0 1 1\n1 1 0 0", 1, ""},
		{"0101\n1010\n0011\n1100", 1, "without spaces"},
		{"[[0,1,0,1],[1,0,1,0],[0,0,1,1],[1,1,0,0]]", 1, "as JSON"},
		{"0 1 0 1\n1 0 1 0\n0 0 1 1\n1 1 0 1", 0, "one cell is wrong"},
		{"1 0 1 0\n0 1 0 1\n1 1 0 0\n0 0 1 1", 0, "the digits exchanged"},
		{"0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0", 0, "two rows are the same"},
		{"0 0 1 1\n1 0 0 1\n0 1 1 1\n1 1 0 0", 0, "three in a line"},
		{"0 1 0 1\n1 0 1 0\n0 0 1 1", 0, "a row left out"},
		{"0 _ _ 1\n_ 0 _ _\n_ _ _ 1\n_ _ 0 _", 0, "the puzzle"},
		{"The board is\n0 1 0 1\n1 0 1 0\n0 0 1 1\n1 1 0 0", 0, "words"},
	})
	tasktest.RefusedRecords(t, binairo.Task(), []string{
		`{}`,
		`{"puzzle":[[2,2],[2,2]],"solution":[[0,1]],"phrasing":0}`,
		`{"puzzle":[[2,2],[2,2]],"solution":[[0,1],[0,1]],"phrasing":0}`,
		`{"puzzle":[[1,2],[2,2]],"solution":[[0,1],[1,0]],"phrasing":0}`,
		`{"puzzle":[[3,2],[2,2]],"solution":[[0,1],[1,0]],"phrasing":0}`,
		`{"puzzle":[[2,2],[2,2]],"solution":[[0,2],[1,0]],"phrasing":0}`,
		`{"puzzle":[[2,2],[2,2]],"solution":[[0,1],[1,0]],"phrasing":-1}`,
	})
}

func TestBinairoParams(t *testing.T) {
	tasktest.Refused(t, binairo.Task(), map[string]string{
		`{"min_size":2}`:       "min_size",
		`{"min_size":5}`:       "min_size",
		`{"max_size":9}`:       "max_size",
		`{"max_size":12}`:      "max_size",
		`{"extra_percent":-1}`: "extra_percent",
		`{"extra_percent":51}`: "extra_percent",
	})
}

// The second solver reads the board from the prompt and fills it row by row.
func TestBinairoSecond(t *testing.T) {
	tasktest.Second(t, binairo.Task(), 1002, func(_ binairoItem, prompt, got string) error {
		board := promptBoard(prompt)
		size := len(board)
		fair := func(line []int) bool {
			ones := 0
			for j, c := range line {
				ones += c
				if j >= 2 && line[j-1] == c && line[j-2] == c {
					return false
				}
			}
			return ones <= size/2 && len(line)-ones <= size/2
		}
		options := func(i int) [][]int {
			return bitRows(size, func(row []int) bool {
				for j, c := range row {
					if board[i][j] != "_" && board[i][j] != "01"[c:c+1] {
						return false
					}
				}
				return fair(row)
			})
		}
		n, found := countBoards(size, options, func(rows [][]int) bool {
			columns := map[string]bool{}
			for j := range size {
				column := columnOf(rows, j)
				if !fair(column) {
					return false
				}
				if len(rows) == size && columns[fmt.Sprint(column)] {
					return false
				}
				if len(rows) == size {
					columns[fmt.Sprint(column)] = true
				}
			}
			last := len(rows) - 1
			return !slices.ContainsFunc(rows[:last], func(row []int) bool { return slices.Equal(row, rows[last]) })
		})
		return only(n, found, func(c int) string { return "01"[c : c+1] }, got)
	})
}

func TestBinairoKeys(t *testing.T) {
	symmetric(t, binairo.Task(), func(b *binairoItem, v view) { b.Puzzle, b.Solution = seen(v, b.Puzzle), seen(v, b.Solution) })
	exchange := strings.NewReplacer("0", "1", "1", "0")
	tasktest.Variant(t, binairo.Task(), "zeros and ones exchanged", func(b *binairoItem, _ *rng.Rand) func(string) string {
		for i, row := range b.Puzzle {
			for j, c := range row {
				if b.Solution[i][j] = 1 - b.Solution[i][j]; c != 2 {
					row[j] = 1 - c
				}
			}
		}
		return exchange.Replace
	})
	tasktest.Other(t, binairo.Task(), "a given cell is emptied", func(b *binairoItem) {
		for _, row := range b.Puzzle {
			if j := slices.IndexFunc(row, func(c int) bool { return c != 2 }); j >= 0 {
				row[j] = 2
				return
			}
		}
	})
}
