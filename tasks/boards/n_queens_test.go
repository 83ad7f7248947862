package boards

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNQueensScore(t *testing.T) {
	item := nQueensItem{
		Puzzle:       grid.Grid[string]{{"_", "Q", "_", "_", "_"}, {"_", "_", "_", "_", "_"}, {"_", "_", "_", "_", "_"}, {"_", "_", "_", "_", "_"}, {"_", "_", "_", "_", "_"}},
		NumRemoved:   4,
		ValidAnswers: []string{"_ Q _ _ _\n_ _ _ _ Q\n_ _ Q _ _\nQ _ _ _ _\n_ _ _ Q _"},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"_ Q _ _ _\n_ _ _ _ Q\n_ _ Q _ _\nQ _ _ _ _\n_ _ _ Q _", 1, ""},
		{"_ Q _ _ _\n_ _ _ Q _\nQ _ _ _ _\n_ _ Q _ _\n_ _ _ _ Q", 1, "another solution"},
		{"_Q___\r\n____Q\r\n__Q__\r\nQ____\r\n___Q_\r\n", 1, "without spaces"},
		{". Q . . .\n. . . . Q\n. . Q . .\nQ . . . .\n. . . Q .", 1, "dots"},
		{`[["_","Q","_","_","_"],["_","_","_","_","Q"],["_","_","Q","_","_"],["Q","_","_","_","_"],["_","_","_","Q","_"]]`, 1, "as JSON; reasoning-gym pays 0.5"},
		{`[['_', 'Q', '_', '_', '_'], ['_', '_', '_', '_', 'Q'], ['_', '_', 'Q', '_', '_'], ['Q', '_', '_', '_', '_'], ['_', '_', '_', 'Q', '_']]`, 1, "as Python"},
		{"_ _ Q _ _\nQ _ _ _ _\n_ _ _ Q _\n_ Q _ _ _\n_ _ _ _ Q", 0, "the given queen is moved"},
		{"_ Q _ _ _\n_ _ _ Q _\n_ _ _ _ Q\n_ _ Q _ _\nQ _ _ _ _", 0, "two on a diagonal"},
		{"_ Q _ _ _\n_ _ _ _ Q\n_ _ Q _ _\nQ _ _ _ _\n_ _ _ _ _", 0, "a queen left out"},
		{"_ Q _ _ _\n_ _ _ _ Q\n_ _ Q _ _\nQ _ _ _ _\n_ _ _ Q Q", 0, "a queen too many"},
		{"_ Q _ _ Q\n_ _ _ _ _\n_ _ Q _ _\nQ _ _ _ _\n_ _ _ Q _", 0, "two in a row"},
		{"_ Q _ _ _\n_ _ _ _ Q\n_ _ Q _ _\nQ _ _ _ _", 0, "a row left out"},
		{"_ Q _ _ _\n_ _ _ _ _\n_ _ _ _ _\n_ _ _ _ _\n_ _ _ _ _", 0, "the board as it was"},
		{"_ Q _ _ _\n_ _ _ _ K\n_ _ Q _ _\nQ _ _ _ _\n_ _ _ Q _", 0, "a king"},
	})
	for _, record := range []string{
		`{}`,
		`{"puzzle":[["_"]],"valid_answers":[]}`,
		`{"puzzle":[["_"]],"valid_answers":["_"]}`,
		`{"puzzle":[["_","_"]],"valid_answers":["Q"]}`,
		`{"puzzle":[["_"]],"valid_answers":["Q"],"phrasing":6}`,
	} {
		tasktest.RefusedRecords(t, nQueens.Task(), []string{record})
	}
}

// The second solver reads the board from the prompt and looks at each pair of queens in the
// solution.
func TestNQueensSecond(t *testing.T) {
	check := func(q nQueensItem, prompt, got string) error {
		var board []string
		for line := range strings.Lines(prompt) {
			if line = strings.TrimSpace(line); line != "" && strings.Trim(line, " _Q") == "" && len(line) > 2 {
				board = append(board, line)
			}
		}
		solved := strings.Split(got, "\n")
		if len(solved) != len(board) || strings.Count(got, "Q") != len(board) || strings.Count(strings.Join(board, ""), "Q")+q.NumRemoved != len(board) {
			return fmt.Errorf("%d queens on a board of %d rows", strings.Count(got, "Q"), len(board))
		}
		var queens [][2]int
		for i, line := range solved {
			for j := range len(line) {
				if board[i][j] == 'Q' && line[j] != 'Q' {
					return fmt.Errorf("a given queen is gone")
				}
				if line[j] == 'Q' {
					queens = append(queens, [2]int{i, j / 2})
				}
			}
		}
		for k, a := range queens {
			for _, b := range queens[:k] {
				down, across := a[0]-b[0], a[1]-b[1]
				if down == 0 || across == 0 || down == across || down == -across {
					return fmt.Errorf("the queens %v and %v attack each other", a, b)
				}
			}
		}
		return nil
	}
	tasktest.Second(t, nQueens.Task(), 1002, check)
	tasktest.Second(t, tasktest.With(t, nQueens.Task(), `{"n":20,"min_remove":20,"max_remove":20}`), 20, check)
	tasktest.Second(t, tasktest.With(t, nQueens.Task(), `{"n":4,"min_remove":1,"max_remove":4}`), 20, check)
}

// Score tells right boards from wrong ones: a search of all boards with a queen in each row
// finds all solutions of the board of six rows.
func TestNQueensScoreByTrying(t *testing.T) {
	const n = 6
	item := nQueensItem{Puzzle: grid.Build(n, n, func(int, int) string { return "_" })}
	right := 0
	for code := range n * n * n * n * n * n {
		text := ""
		for range n {
			row := []byte("______")
			row[code%n] = 'Q'
			text += string(row) + "\n"
			code /= n
		}
		if item.Score(text).Score == 1 {
			right++
		}
	}
	if right != 4 {
		t.Errorf("%d boards of 6 rows are right, want 4", right)
	}
}

func TestNQueensKeys(t *testing.T) {
	tasktest.Variant(t, nQueens.Task(), "from another side", func(q *nQueensItem, r *rng.Rand) func(string) string {
		side := r.Between(1, canon.Sides-1)
		q.Puzzle, q.Solutions[0] = canon.Seen(q.Puzzle, side), canon.Seen(q.Solutions[0], side)
		q.ValidAnswers[0] = queensText(q.Solutions[0])
		return func(string) string { return q.ValidAnswers[0] }
	})
	tasktest.Other(t, nQueens.Task(), "a queen is left out", func(q *nQueensItem) {
		for i, row := range q.Puzzle {
			if j := slices.Index(row, "Q"); j >= 0 {
				q.Puzzle[i][j] = "_"
				return
			}
		}
	})
	tasktest.Same(t, nQueens.Task(), "the solutions in the record do not matter", func(q *nQueensItem) { q.Solutions = nil })
}
