package grids

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNonogramScore(t *testing.T) {
	item := nonogramItem{
		Rows: [][]int{{1, 1}, {3}, {}}, Cols: [][]int{{2}, {1}, {2}},
		Solution: [][]int{{1, 0, 1}, {1, 1, 1}, {0, 0, 0}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"# . #\n# # #\n. . .", 1, ""},
		{"#.#\n###\n...", 1, "without spaces"},
		{`[["#",".","#"],["#","#","#"],[".",".","."]]`, 1, "as JSON"},
		{"| # | . | # |\n| # | # | # |\n| . | . | . |", 1, "as a table"},
		{"# . #\n# # #\n. . #", 0, "a cell too many"},
		{"# . #\n# # .\n. . .", 0, "a cell is missing"},
		{". # .\n. . .\n# # #", 0, "the other cells"},
		{"# # .\n# . #\n. # .", 0, "rows and columns exchanged"},
		{"# . #\n# # #", 0, "a row left out"},
		{"row 1: # . #\nrow 2: # # #\nrow 3: . . .", 0, "with names of the rows"},
		{"1 0 1\n1 1 1\n0 0 0", 0, "other signs"},
	})
	tasktest.RefusedRecords(t, nonogram.Task(), []string{
		`{}`,
		`{"rows":[[1]],"cols":[[1],[1]],"solution":[[1]],"phrasing":0}`,
		`{"rows":[[1]],"cols":[[1]],"solution":[[0]],"phrasing":0}`,
		`{"rows":[[1]],"cols":[[]],"solution":[[1]],"phrasing":0}`,
		`{"rows":[[1]],"cols":[[1]],"solution":[[2]],"phrasing":0}`,
		`{"rows":[[1]],"cols":[[1]],"solution":[[1]],"phrasing":6}`,
		`{"rows":[[],[],[],[],[],[],[],[],[],[],[]],"cols":[[],[],[],[],[],[],[],[],[],[],[]],"solution":[],"phrasing":0}`,
	})
}

// The second solver reads the runs from the prompt and fills the board row by row.
func TestNonogramSecond(t *testing.T) {
	tasktest.Second(t, nonogram.Task(), 1002, func(_ nonogramItem, prompt, got string) error {
		clues := map[string][]int{}
		size := 0
		for line := range strings.Lines(prompt) {
			name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || !strings.HasPrefix(name, "row ") && !strings.HasPrefix(name, "column ") || strings.Trim(list, " 0123456789") != "" || list == "" {
				continue
			}
			clues[name] = []int{}
			for _, text := range strings.Fields(list) {
				if n, _ := strconv.Atoi(text); n > 0 {
					clues[name] = append(clues[name], n)
				}
			}
			if strings.HasPrefix(name, "row ") {
				size++
			}
		}
		groups := func(line []int) []int {
			list := []int{}
			for j, c := range line {
				switch {
				case c == 1 && j > 0 && line[j-1] == 1:
					list[len(list)-1]++
				case c == 1:
					list = append(list, 1)
				}
			}
			return list
		}
		options := func(i int) [][]int {
			return bitRows(size, func(row []int) bool { return slices.Equal(groups(row), clues["row "+strconv.Itoa(i+1)]) })
		}
		n, found := countBoards(size, options, func(rows [][]int) bool {
			for j := range size {
				column, want := columnOf(rows, j), clues["column "+strconv.Itoa(j+1)]
				have := groups(column)
				last := len(have) - 1
				switch {
				case len(rows) == size && !slices.Equal(have, want), len(have) > len(want):
					return false
				case last < 0:
				case !slices.Equal(have[:last], want[:last]) || have[last] > want[last] || column[len(column)-1] == 0 && have[last] < want[last]:
					return false
				}
			}
			return true
		})
		return only(n, found, func(c int) string { return ".#"[c : c+1] }, got)
	})
}

func TestNonogramKeys(t *testing.T) {
	symmetric(t, nonogram.Task(), func(n *nonogramItem, v view) {
		n.Rows, n.Cols = n.seen(v)
		n.Solution = seen(v, n.Solution)
	})
}
