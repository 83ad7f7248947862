package grids

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestCalcudokuScore(t *testing.T) {
	item := calcudokuItem{
		Cages:    [][]int{{0, 0, 1}, {2, 3, 1}, {2, 3, 4}},
		Results:  []result{{"+", 3}, {"/", 3}, {"-", 1}, {"*", 3}, {"", 2}},
		Solution: [][]int{{1, 2, 3}, {2, 3, 1}, {3, 1, 2}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 2 3\n2 3 1\n3 1 2", 1, ""},
		{"123\n231\n312", 1, "without spaces"},
		{"[[1,2,3],[2,3,1],[3,1,2]]", 1, "as JSON"},
		{"| 1 | 2 | 3 |\n|---|---|---|\n| 2 | 3 | 1 |\n| 3 | 1 | 2 |", 1, "as a table"},
		{"2 1 3\n3 2 1\n1 3 2", 0, "two cages have other results"},
		{"1 2 3\n3 1 2\n2 3 1", 0, "a quotient with a rest"},
		{"1 2 3\n2 3 1\n3 1 1", 0, "a number twice"},
		{"1 2 3\n2 3 1\n3 1 4", 0, "a number too large"},
		{"A A B\nC D B\nC D E", 0, "the cages"},
		{"1 2 3\n2 3 1", 0, "a row left out"},
		{"Board: 1 2 3\n2 3 1\n3 1 2", 0, "words"},
	})
	tasktest.RefusedRecords(t, calcudoku.Task(), []string{
		`{}`,
		`{"cages":[[0]],"results":[],"solution":[[1]],"phrasing":0}`,
		`{"cages":[[0]],"results":[{"op":"","number":1},{"op":"","number":1}],"solution":[[1]],"phrasing":0}`,
		`{"cages":[[0]],"results":[{"op":"","number":2}],"solution":[[1]],"phrasing":0}`,
		`{"cages":[[0]],"results":[{"op":"","number":2}],"solution":[[2]],"phrasing":0}`,
		`{"cages":[[1]],"results":[{"op":"","number":1}],"solution":[[1]],"phrasing":0}`,
		`{"cages":[[0]],"results":[{"op":"","number":1}],"solution":[[1]],"phrasing":6}`,
		`{"cages":[[0]],"results":[{"op":"%","number":1}],"solution":[[1]],"phrasing":0}`,
		`{"cages":[[0,0],[0,0]],"results":[{"op":"-","number":1}],"solution":[[1,2],[2,1]],"phrasing":0}`,
		`{"cages":[[0,0],[0,0]],"results":[{"op":"+","number":7}],"solution":[[1,2],[2,1]],"phrasing":0}`,
	})
}

// The second solver reads the cages from the prompt, lists for each the sets of numbers that give
// its result, and fills the cells row by row.
func TestCalcudokuSecond(t *testing.T) {
	tasktest.Second(t, calcudoku.Task(), 1002, func(_ calcudokuItem, prompt, got string) error {
		var board [][]string
		clues := map[string][]string{}
		for _, row := range promptBoard(prompt) {
			if name, ok := strings.CutSuffix(row[0], ":"); ok {
				clues[name] = row[1:]
			} else {
				board = append(board, row)
			}
		}
		size := len(board)
		count := map[string]int{}
		for _, name := range slices.Concat(board...) {
			count[name]++
		}
		ways := map[string]map[string]bool{} // by cage: the sorted beginnings of what may be in it
		for name, clue := range clues {
			ways[name] = cageWays(count[name], size, clue)
		}
		n, found := countLatin(size, func(rows [][]int) bool {
			i := len(rows) - 1
			name := board[i][len(rows[i])-1]
			var inside []byte
			for i, row := range rows {
				for j, k := range row {
					if board[i][j] == name {
						inside = append(inside, byte('0'+k))
					}
				}
			}
			slices.Sort(inside)
			return ways[name][string(inside)]
		})
		return only(n, found, strconv.Itoa, got)
	})
}

// cageWays returns the sorted numbers that a cage may have, and all parts of them.
func cageWays(cells, size int, clue []string) map[string]bool {
	want, _ := strconv.Atoi(clue[0])
	ways := map[string]bool{}
	var keep func(part []byte)
	keep = func(part []byte) {
		if ways[string(part)] {
			return
		}
		ways[string(part)] = true
		for i := range part {
			keep(slices.Delete(slices.Clone(part), i, i+1))
		}
	}
	var fill func(inside []byte, least int)
	fill = func(inside []byte, least int) {
		if len(inside) < cells {
			for k := least; k <= size; k++ {
				fill(append(slices.Clone(inside), byte('0'+k)), k)
			}
			return
		}
		first, last := int(inside[0]-'0'), int(inside[len(inside)-1]-'0')
		sum, product := 0, 1
		for _, c := range inside {
			sum, product = sum+int(c-'0'), product*int(c-'0')
		}
		op := ""
		if len(clue) > 1 {
			op = clue[1]
		}
		if is := map[string]bool{"": sum == want, "+": sum == want, "*": product == want, "-": last-first == want, "/": last == want*first}; is[op] {
			keep(inside)
		}
	}
	fill(nil, 1)
	return ways
}

func TestCalcudokuKeys(t *testing.T) {
	symmetric(t, calcudoku.Task(), func(c *calcudokuItem, v view) { c.Cages, c.Solution = seen(v, c.Cages), seen(v, c.Solution) })
	tasktest.Variant(t, calcudoku.Task(), "other names of the cages", func(c *calcudokuItem, r *rng.Rand) func(string) string {
		names := make([]int, len(c.Results))
		for i := range names {
			names[i] = i
		}
		rng.Shuffle(r, names)
		results := slices.Clone(c.Results)
		for i, name := range names {
			c.Results[name] = results[i]
		}
		for _, row := range c.Cages {
			for j := range row {
				row[j] = names[row[j]]
			}
		}
		return nil
	})
	tasktest.Other(t, calcudoku.Task(), "a product instead of a sum", func(c *calcudokuItem) {
		for cage, cells := range c.cells() {
			if c.Results[cage].Op == "+" {
				numbers := slices.Concat(c.Solution...)
				c.Results[cage] = result{"*", compute("*", cells, numbers)}
				return
			}
		}
	})
}
