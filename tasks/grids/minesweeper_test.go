package grids

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestMinesweeperScore(t *testing.T) {
	item := minesweeperItem{
		Puzzle:   [][]int{{1, 9, 9}, {9, 3, 2}, {9, 9, 9}},
		Mines:    3,
		Solution: [][]int{{0, 1, 0}, {0, 0, 0}, {1, 1, 0}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{". M .\n. . .\nM M .", 1, ""},
		{".M.\n...\nMM.", 1, "without spaces"},
		{". m .\n. . .\nm m .", 1, "in lower case"},
		{`[[".","M","."],[".",".","."],["M","M","."]]`, 1, "as JSON"},
		{"| . | M | . |\n|---|---|---|\n| . | . | . |\n| M | M | . |", 1, "as a table"},
		{". M .\n. . .\nM . .", 0, "a mine is missing"},
		{". M .\nM . .\nM . .", 0, "a mine in another place"},
		{". M .\n. . .\nM M M", 0, "a mine too many"},
		{"M . .\n. . .\nM M .", 0, "a mine on an open square"},
		{". M .\n. 3 2\nM M .", 0, "with the numbers"},
		{". M .\n. . .", 0, "a row left out"},
		{"? M ?\n. . .\nM M .", 0, "undecided squares"},
		{"The map is\n. M .\n. . .\nM M .", 0, "words"},
	})
	tasktest.RefusedRecords(t, minesweeper.Task(), []string{
		`{}`,
		`{"puzzle":[[1,9]],"mines":1,"solution":[[0,1]],"phrasing":0}`,
		`{"puzzle":[[1,9],[9,9]],"mines":2,"solution":[[0,1],[0,0]],"phrasing":0}`,
		`{"puzzle":[[1,9],[9,9]],"mines":1,"solution":[[1,0],[0,0]],"phrasing":0}`,
		`{"puzzle":[[1,9],[9,9]],"mines":1,"solution":[[0,2],[0,0]],"phrasing":0}`,
		`{"puzzle":[[10,9],[9,9]],"mines":1,"solution":[[0,1],[0,0]],"phrasing":0}`,
		`{"puzzle":[[1,9],[9,9]],"mines":1,"solution":[[0,1],[0,0]],"phrasing":6}`,
	})
}

var minesRE = regexp.MustCompile(`(\d+) squares hold|Exactly (\d+) of|and (\d+) mines lie|exactly (\d+) mines|are (\d+) mines|field: (\d+)`)

// The second solver reads the board from the prompt and places the mines row by row.
func TestMinesweeperSecond(t *testing.T) {
	tasktest.Second(t, minesweeper.Task(), 1002, func(_ minesweeperItem, prompt, got string) error {
		board := promptBoard(prompt)
		size := len(board)
		mines, _ := strconv.Atoi(firstGroup(minesRE.FindStringSubmatch(prompt)))
		shown := func(i, j int) int {
			if board[i][j] == "?" {
				return -1
			}
			n, _ := strconv.Atoi(board[i][j])
			return n
		}
		options := func(i int) [][]int {
			return bitRows(size, func(row []int) bool {
				for j, c := range row {
					if c == 1 && shown(i, j) >= 0 {
						return false
					}
				}
				return true
			})
		}
		at := func(rows [][]int, i, j int) int {
			if i < 0 || j < 0 || i >= len(rows) || j >= size {
				return 0
			}
			return rows[i][j]
		}
		agrees := func(rows [][]int, i int, whole bool) bool {
			for j := range size {
				n := 0
				for d := range 9 {
					n += at(rows, i+d/3-1, j+d%3-1)
				}
				if want := shown(i, j); want >= 0 && (n > want || whole && n < want) {
					return false
				}
			}
			return true
		}
		n, found := countBoards(size, options, func(rows [][]int) bool {
			last := len(rows) - 1
			total := 0
			for _, row := range rows {
				for _, c := range row {
					total += c
				}
			}
			if total > mines || len(rows) == size && (total != mines || !agrees(rows, last, true)) {
				return false
			}
			return agrees(rows, last, false) && (last == 0 || agrees(rows, last-1, true))
		})
		return only(n, found, func(c int) string { return []string{".", "M"}[c] }, got)
	})
}

func TestMinesweeperKeys(t *testing.T) {
	symmetric(t, minesweeper.Task(), func(m *minesweeperItem, v view) { m.Puzzle, m.Solution = seen(v, m.Puzzle), seen(v, m.Solution) })
	tasktest.Other(t, minesweeper.Task(), "an open square is covered", func(m *minesweeperItem) {
		for _, row := range m.Puzzle {
			if j := slices.IndexFunc(row, func(n int) bool { return n != covered }); j >= 0 {
				row[j] = covered
				return
			}
		}
	})
}
