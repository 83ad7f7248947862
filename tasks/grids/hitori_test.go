package grids

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestHitoriScore(t *testing.T) {
	item := hitoriItem{
		Puzzle:   [][]int{{1, 1, 2}, {1, 2, 3}, {3, 3, 1}},
		Solution: [][]int{{0, 1, 2}, {1, 2, 3}, {3, 0, 1}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"# 1 2\n1 2 3\n3 # 1", 1, ""},
		{"#12\n123\n3#1", 1, "without spaces"},
		{`[["#",1,2],[1,2,3],[3,"#",1]]`, 1, "as JSON"},
		{"| # | 1 | 2 |\n|---|---|---|\n| 1 | 2 | 3 |\n| 3 | # | 1 |", 1, "as a table"},
		{"# 1 2\n1 2 3\n3 3 1", 0, "a number is left twice"},
		{"# # 2\n1 2 3\n3 # 1", 0, "struck cells side by side"},
		{"# 1 2\n1 # 3\n# 3 1", 0, "a corner is cut off"},
		{"1 # 2\n# 2 3\n3 # 1", 0, "another corner is cut off"},
		{"# 1 3\n1 2 3\n3 # 1", 0, "a number has changed"},
		{"# . .\n. . .\n. # .", 0, "without the numbers"},
		{"# 1 2\n1 2 3", 0, "a row left out"},
		{"1 1 2\n1 2 3\n3 3 1", 0, "the puzzle"},
		{"Board:\n# 1 2\n1 2 3\n3 # 1", 0, "words"},
	})
	tasktest.RefusedRecords(t, hitori.Task(), []string{
		`{}`,
		`{"puzzle":[[1,1],[2,1]],"solution":[[0,1]],"phrasing":0}`,
		`{"puzzle":[[1,1],[2,1]],"solution":[[1,1],[2,1]],"phrasing":0}`,
		`{"puzzle":[[1,1],[2,1]],"solution":[[1,0],[0,1]],"phrasing":0}`,
		`{"puzzle":[[1,1],[2,10]],"solution":[[0,1],[2,10]],"phrasing":0}`,
		`{"puzzle":[[1]],"solution":[[0]],"phrasing":0}`,
		`{"puzzle":[[1]],"solution":[[1]],"phrasing":6}`,
	})
}

// The second solver reads the board from the prompt and strikes cells out row by row.
func TestHitoriSecond(t *testing.T) {
	tasktest.Second(t, hitori.Task(), 1000, func(_ hitoriItem, prompt, got string) error {
		board := promptBoard(prompt)
		size := len(board)
		options := func(i int) [][]int {
			return bitRows(size, func(row []int) bool {
				left := map[string]bool{}
				for j, c := range row {
					if c == 1 && j > 0 && row[j-1] == 1 || c == 0 && left[board[i][j]] {
						return false
					}
					if c == 0 {
						left[board[i][j]] = true
					}
				}
				return true
			})
		}
		n, found := countBoards(size, options, func(rows [][]int) bool {
			last := len(rows) - 1
			for j, c := range rows[last] {
				for i, row := range rows[:last] {
					if c == 1 && i == last-1 && row[j] == 1 || c == 0 && row[j] == 0 && board[i][j] == board[last][j] {
						return false
					}
				}
			}
			return last < size-1 || inOnePiece(rows)
		})
		for i := range found {
			found[i] = slices.Clone(found[i])
			for j, c := range found[i] {
				if found[i][j] = 0; c == 0 {
					found[i][j] = int(board[i][j][0] - '0')
				}
			}
		}
		return only(n, found, func(c int) string { return "#123456789"[c : c+1] }, got)
	})
}

// inOnePiece walks over the zeros from the first.
func inOnePiece(rows [][]int) bool {
	size := len(rows)
	reached := make([]bool, size*size)
	var walk func(i, j int) int
	walk = func(i, j int) int {
		if i < 0 || j < 0 || i >= size || j >= size || rows[i][j] == 1 || reached[i*size+j] {
			return 0
		}
		reached[i*size+j] = true
		return 1 + walk(i-1, j) + walk(i+1, j) + walk(i, j-1) + walk(i, j+1)
	}
	zeros, first := 0, -1
	for at := range size * size {
		if rows[at/size][at%size] == 0 {
			if zeros++; first < 0 {
				first = at
			}
		}
	}
	return first >= 0 && walk(first/size, first%size) == zeros
}

func TestHitoriKeys(t *testing.T) {
	symmetric(t, hitori.Task(), func(h *hitoriItem, v view) { h.Puzzle, h.Solution = seen(v, h.Puzzle), seen(v, h.Solution) })
	tasktest.Variant(t, hitori.Task(), "other numbers", func(h *hitoriItem, r *rng.Rand) func(string) string {
		names := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
		rng.Shuffle(r, names)
		for i, row := range h.Puzzle {
			for j, number := range row {
				row[j] = names[number-1]
				if h.Solution[i][j] != 0 {
					h.Solution[i][j] = row[j]
				}
			}
		}
		return func(answer string) string {
			text := []byte(answer)
			for i, c := range text {
				if c >= '1' && c <= '9' {
					text[i] = byte('0' + names[c-'1'])
				}
			}
			return string(text)
		}
	})
}
