package grids

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestLightUpScore(t *testing.T) {
	item := lightUpItem{
		Puzzle:   [][]int{{0, 0, 3}, {2, 1, 0}, {0, 0, 0}},
		Solution: [][]int{{0, 7, 3}, {2, 1, 0}, {0, 0, 7}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{". L 1\n0 # .\n. . L", 1, ""},
		{".L1\n0#.\n..L", 1, "without spaces"},
		{". l 1\n0 # .\n. . l", 1, "in lower case"},
		{`[[".","L","1"],["0","#","."],[".",".","L"]]`, 1, "as JSON"},
		{". L 1\n0 # .\n. . .", 0, "squares stay dark"},
		{"L . 1\n0 # .\n. L .", 0, "the corner stays dark"},
		{"L L 1\n0 # .\n. . L", 0, "a lamp lights another"},
		{". . 1\n0 # L\nL . .", 0, "squares stay dark, though the walls are content"},
		{"L . 1\n0 # L\nL . .", 0, "other lamps"},
		{". L #\n# # .\n. . L", 0, "the numbers are gone"},
		{". L 1\nL # .\n. . L", 0, "a lamp on a wall"},
		{". L 1\n0 # .", 0, "a row left out"},
		{". . 1\n0 # .\n. . .", 0, "the puzzle"},
		{"Lamps:\n. L 1\n0 # .\n. . L", 0, "words"},
	})
	tasktest.RefusedRecords(t, lightUp.Task(), []string{
		`{}`,
		`{"puzzle":[[0,1],[1,0]],"solution":[[7,1]],"phrasing":0}`,
		`{"puzzle":[[0,1],[1,0]],"solution":[[7,1],[1,0]],"phrasing":0}`,
		`{"puzzle":[[0,2],[1,0]],"solution":[[7,2],[1,7]],"phrasing":0}`,
		`{"puzzle":[[7,1],[1,0]],"solution":[[7,1],[1,7]],"phrasing":0}`,
		`{"puzzle":[[0,1],[1,0]],"solution":[[8,1],[1,7]],"phrasing":0}`,
		`{"puzzle":[[0,1],[1,0]],"solution":[[7,1],[1,7]],"phrasing":6}`,
	})
}

// The second solver reads the board from the prompt and places the lamps row by row.
func TestLightUpSecond(t *testing.T) {
	tasktest.Second(t, lightUp.Task(), 1002, func(_ lightUpItem, prompt, got string) error {
		board := promptBoard(prompt)
		size := len(board)
		options := func(i int) [][]int {
			return bitRows(size, func(row []int) bool {
				open := false // a lamp shines from the left
				for j, c := range row {
					if board[i][j] != "." {
						open = false
					}
					if c == 1 && (board[i][j] != "." || open) {
						return false
					}
					open = open || c == 1
				}
				return true
			})
		}
		n, found := countBoards(size, options, func(rows [][]int) bool { return roomFits(board, rows) })
		if n != 1 {
			return only(n, found, nil, got)
		}
		for i := range found {
			found[i] = slices.Clone(found[i])
			for j, c := range found[i] {
				found[i][j] = 3*(size*i+j) + c
			}
		}
		return only(n, found, func(c int) string {
			if c%3 == 1 {
				return "L"
			}
			return board[c/3/size][c/3%size]
		}, got)
	})
}

// roomFits reports whether the rows so far can be right: no lamp lights another from above, the
// walls of the rows above the last are content, and what can get no more light is lit.
func roomFits(board [][]string, rows [][]int) bool {
	size, last := len(board), len(rows)-1
	isLamp := func(i, j int) int {
		if i < 0 || j < 0 || i > last || j >= size {
			return 0
		}
		return rows[i][j]
	}
	sees := func(i, j, di, dj int) bool {
		for i, j = i+di, j+dj; i >= 0 && j >= 0 && i <= last && j < size && board[i][j] == "."; i, j = i+di, j+dj {
			if rows[i][j] == 1 {
				return true
			}
		}
		return false
	}
	for i := range rows {
		for j := range size {
			if want := board[i][j]; want != "." && want != "#" {
				n, whole := isLamp(i-1, j)+isLamp(i+1, j)+isLamp(i, j-1)+isLamp(i, j+1), i < last || last == size-1
				if limit := int(want[0] - '0'); n > limit || whole && n < limit {
					return false
				}
			}
			if rows[i][j] == 1 && sees(i, j, -1, 0) {
				return false
			}
		}
	}
	for i := range rows {
		for j := range size {
			end := i
			for end < size && board[end][j] == "." {
				end++
			}
			closed := end <= last || last == size-1
			if board[i][j] == "." && closed && rows[i][j] == 0 && !sees(i, j, -1, 0) && !sees(i, j, 1, 0) && !sees(i, j, 0, -1) && !sees(i, j, 0, 1) {
				return false
			}
		}
	}
	return true
}

func TestLightUpKeys(t *testing.T) {
	symmetric(t, lightUp.Task(), func(l *lightUpItem, v view) { l.Puzzle, l.Solution = seen(v, l.Puzzle), seen(v, l.Solution) })
}
