package grids

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestStarBattleScore(t *testing.T) {
	item := starBattleItem{
		Regions:  [][]int{{0, 0, 0, 1}, {2, 0, 1, 1}, {2, 2, 3, 3}, {2, 2, 3, 3}},
		Solution: [][]int{{0, 1, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 0, 1, 0}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{". S . .\n. . . S\nS . . .\n. . S .", 1, ""},
		{".S..\n...S\nS...\n..S.", 1, "without spaces"},
		{". s . .\n. . . s\ns . . .\n. . s .", 1, "in lower case"},
		{`[[".","S",".","."],[".",".",".","S"],["S",".",".","."],[".",".","S","."]]`, 1, "as JSON"},
		{". . S .\nS . . .\n. . . S\n. S . .", 0, "upside down: two stars in a region"},
		{"S . . .\n. . S .\n. S . .\n. . . S", 0, "stars touch"},
		{". S . .\n. . . S\nS . . .\n. . . .", 0, "a star is missing"},
		{". S . .\n. . . S\nS . . S\n. . . .", 0, "stars touch in a column"},
		{"A S A B\nC A B S\nS C D D\nC C S D", 0, "with the letters"},
		{". S . .\n. . . S\nS . . .", 0, "a row left out"},
		{"Stars:\n. S . .\n. . . S\nS . . .\n. . S .", 0, "words"},
	})
	tasktest.RefusedRecords(t, starBattle.Task(), []string{
		`{}`,
		`{"regions":[[0]],"solution":[[1],[0]],"phrasing":0}`,
		`{"regions":[[0]],"solution":[[0]],"phrasing":0}`,
		`{"regions":[[1]],"solution":[[1]],"phrasing":0}`,
		`{"regions":[[0]],"solution":[[2]],"phrasing":0}`,
		`{"regions":[[0]],"solution":[[1]],"phrasing":6}`,
	})
}

// The second solver reads the regions from the prompt and places the stars row by row.
func TestStarBattleSecond(t *testing.T) {
	tasktest.Second(t, starBattle.Task(), 1002, func(_ starBattleItem, prompt, got string) error {
		board := promptBoard(prompt)
		size := len(board)
		options := func(int) [][]int {
			return bitRows(size, func(row []int) bool {
				return slices.Index(row, 1) >= 0 && !slices.Contains(row[slices.Index(row, 1)+1:], 1)
			})
		}
		n, found := countBoards(size, options, func(rows [][]int) bool {
			last := len(rows) - 1
			j := slices.Index(rows[last], 1)
			for i, row := range rows[:last] {
				k := slices.Index(row, 1)
				if k == j || i == last-1 && (k == j-1 || k == j+1) || board[i][k] == board[last][j] {
					return false
				}
			}
			return true
		})
		return only(n, found, func(c int) string { return ".S"[c : c+1] }, got)
	})
}

func TestStarBattleKeys(t *testing.T) {
	symmetric(t, starBattle.Task(), func(s *starBattleItem, v view) {
		s.Regions, s.Solution = seen(v, s.Regions), seen(v, s.Solution)
	})
	tasktest.Variant(t, starBattle.Task(), "other names of the regions", func(s *starBattleItem, r *rng.Rand) func(string) string {
		names := make([]int, len(s.Regions))
		for i := range names {
			names[i] = i
		}
		rng.Shuffle(r, names)
		for _, row := range s.Regions {
			for j := range row {
				row[j] = names[row[j]]
			}
		}
		return nil
	})
}

// A walk from cell to cell, one at a time, finds the same cells connected.
func TestConnected(t *testing.T) {
	r, met := rng.New(1, "connected"), map[bool]int{}
	for size := 2; size <= mostSide; size++ {
		for range 300 {
			var cells set
			for c := range size * size {
				if r.Between(0, 9) < 7 {
					cells.add(c)
				}
			}
			if cells.empty() {
				continue
			}
			left := cells.less(setOf(cells.first()))
			for queue := []int{cells.first()}; len(queue) > 0; queue = queue[1:] {
				eachBeside(queue[0], size, func(c int) {
					if left.has(c) {
						left = left.less(setOf(c))
						queue = append(queue, c)
					}
				})
			}
			met[left.empty()]++
			if connected(cells, size) != left.empty() {
				t.Fatalf("size %d: the cells %v are connected: %v, want %v", size, cells.cells(), !left.empty(), left.empty())
			}
		}
	}
	if met[true] < 100 || met[false] < 100 {
		t.Errorf("%d are connected and %d are not, want many of both", met[true], met[false])
	}
}
