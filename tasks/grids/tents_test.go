package grids

import (
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestTentsScore(t *testing.T) {
	item := tentsItem{
		Puzzle:   [][]int{{0, 1, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}},
		RowTents: []int{1, 0, 1, 1}, ColTents: []int{2, 0, 0, 1},
		Solution: [][]int{{2, 1, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 2}, {2, 0, 0, 1}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"A T . .\n. . . .\nT . . A\nA . . T", 1, ""},
		{"AT..\n....\nT..A\nA..T", 1, "without spaces"},
		{"a t . .\n. . . .\nt . . a\na . . t", 1, "in lower case"},
		{`[["A","T",".","."],[".",".",".","."],["T",".",".","A"],["A",".",".","T"]]`, 1, "as JSON"},
		{"A T . .\n. . . .\nT . . .\nA . . T", 0, "a tent is missing"},
		{". T A .\n. . . .\nT . . A\nA . . T", 0, "the sums of the columns are wrong"},
		{"A T . .\nA . . .\nT . . .\n. . . T", 0, "tents touch"},
		{"A . . .\n. . . .\n. . . A\nA . . .", 0, "without the trees"},
		{"A T . . 1\n. . . . 0\nT . . A 1\nA . . T 1", 0, "with the numbers"},
		{"A T . .\n. . . .\nT . . A", 0, "a row left out"},
		{". T . .\n. . . .\nT . . .\n. . . T", 0, "the puzzle"},
		{"The camp:\nA T . .\n. . . .\nT . . A\nA . . T", 0, "words"},
	})
	apart := tentsItem{
		Puzzle:   [][]int{{0, 1, 1}, {0, 0, 0}, {0, 0, 0}},
		RowTents: []int{1, 0, 1}, ColTents: []int{2, 0, 0},
	}
	tasktest.Nears(t, apart.Score, []tasktest.Near{
		{"A T T\n. . .\nA . .", 0, "a tent has no tree, and a tree no tent"},
	})
	tasktest.RefusedRecords(t, tents.Task(), []string{
		`{}`,
		`{"puzzle":[[1,0],[0,0]],"row_tents":[1],"col_tents":[0,1],"solution":[[1,2],[0,0]],"phrasing":0}`,
		`{"puzzle":[[1,0],[0,0]],"row_tents":[1,0],"col_tents":[1,0],"solution":[[1,2],[0,0]],"phrasing":0}`,
		`{"puzzle":[[1,0],[0,0]],"row_tents":[1,0],"col_tents":[0,1],"solution":[[1,2]],"phrasing":0}`,
		`{"puzzle":[[2,0],[0,0]],"row_tents":[1,0],"col_tents":[0,1],"solution":[[1,2],[0,0]],"phrasing":0}`,
		`{"puzzle":[[1,0],[0,0]],"row_tents":[1,0],"col_tents":[0,1],"solution":[[1,3],[0,0]],"phrasing":0}`,
		`{"puzzle":[[1,0],[0,0]],"row_tents":[1,0],"col_tents":[0,1],"solution":[[1,2],[0,0]],"phrasing":6}`,
	})
}

// The second solver reads the board from the prompt, puts up the tents row by row, and counts the
// ways to pair them with the trees.
func TestTentsSecond(t *testing.T) {
	tasktest.Second(t, tents.Task(), 1002, func(_ tentsItem, prompt, got string) error {
		board := promptBoard(prompt)
		size := len(board) - 1
		number := func(text string) int { n, _ := strconv.Atoi(text); return n }
		isTree := func(i, j int) bool { return i >= 0 && j >= 0 && i < size && j < size && board[i][j] == "T" }
		options := func(i int) [][]int {
			return bitRows(size, func(row []int) bool {
				n := 0
				for j, c := range row {
					if n += c; c == 1 && (isTree(i, j) || j > 0 && row[j-1] == 1 || !isTree(i-1, j) && !isTree(i+1, j) && !isTree(i, j-1) && !isTree(i, j+1)) {
						return false
					}
				}
				return n == number(board[i][size])
			})
		}
		n, found := countBoards(size, options, func(rows [][]int) bool {
			last := len(rows) - 1
			for j, c := range rows[last] {
				sum := 0
				for _, row := range rows {
					sum += row[j]
				}
				if want := number(board[size][j]); sum > want || last == size-1 && sum < want {
					return false
				}
				for d := -1; last > 0 && c == 1 && d <= 1; d++ {
					if j+d >= 0 && j+d < size && rows[last-1][j+d] == 1 {
						return false
					}
				}
			}
			return last < size-1 || pairTents(board, rows)
		})
		for i := range found {
			for j := range found[i] {
				if isTree(i, j) {
					found[i][j] = 2
				}
			}
		}
		return only(n, found, func(c int) string { return []string{".", "A", "T"}[c] }, got)
	})
}

// pairTents gives each tree, in order, a free tent beside it.
func pairTents(board [][]string, tents [][]int) bool {
	size := len(tents)
	used := map[[2]int]bool{}
	var pair func(at int) bool
	pair = func(at int) bool {
		for ; at < size*size; at++ {
			i, j := at/size, at%size
			if board[i][j] != "T" {
				continue
			}
			for _, d := range [][2]int{{-1, 0}, {0, 1}, {1, 0}, {0, -1}} {
				c := [2]int{i + d[0], j + d[1]}
				if c[0] < 0 || c[1] < 0 || c[0] >= size || c[1] >= size || tents[c[0]][c[1]] != 1 || used[c] {
					continue
				}
				used[c] = true
				if pair(at + 1) {
					return true
				}
				delete(used, c)
			}
			return false
		}
		return true
	}
	return pair(0)
}

func TestTentsKeys(t *testing.T) {
	symmetric(t, tents.Task(), func(c *tentsItem, v view) {
		c.Puzzle, c.Solution = seen(v, c.Puzzle), seen(v, c.Solution)
		c.RowTents, c.ColTents = seenLines(v, c.RowTents, c.ColTents)
	})
}
