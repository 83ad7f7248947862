package grids

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSkyscrapersScore(t *testing.T) {
	item := skyscrapersItem{
		Puzzle:   [][]int{{0, 3, 0, 0, 0}, {3, 0, 0, 0, 1}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 2}, {0, 1, 0, 0, 0}},
		Solution: [][]int{{1, 2, 3}, {2, 3, 1}, {3, 1, 2}},
	}
	if err := item.Check(); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 2 3\n2 3 1\n3 1 2", 1, ""},
		{"123\n231\n312", 1, "without spaces"},
		{"[[1,2,3],[2,3,1],[3,1,2]]", 1, "as JSON"},
		{"| 1 | 2 | 3 |\n|---|---|---|\n| 2 | 3 | 1 |\n| 3 | 1 | 2 |", 1, "as a table"},
		{"1 2 3\n3 1 2\n2 3 1", 0, "the given height has changed"},
		{"2 1 3\n3 2 1\n1 3 2", 0, "another Latin square"},
		{"1 2 3\n2 3 1\n3 1 3", 0, "a height twice"},
		{"1 2 3\n2 3 1\n3 1 4", 0, "a height too large"},
		{"  3 . .\n3 1 2 3 1\n. 2 3 1 .\n. 3 1 2 2\n  1 . .", 0, "with the numbers around"},
		{"1 2 3\n2 3 1", 0, "a row left out"},
		{"_ _ _\n_ _ 1\n_ _ _", 0, "the puzzle"},
		{"Heights: 1 2 3\n2 3 1\n3 1 2", 0, "words"},
		{"", 0, "nothing"},
	})
	tasktest.RefusedRecords(t, skyscrapers.Task(), []string{
		`{}`,
		`{"puzzle":[[0,1,0],[1,0,1]],"solution":[[1]],"phrasing":0}`,
		`{"puzzle":[[0,2,0],[1,0,1],[0,1,0]],"solution":[[1]],"phrasing":0}`,
		`{"puzzle":[[0,1,0],[1,0,1],[0,1,0]],"solution":[[2]],"phrasing":0}`,
		`{"puzzle":[[0,1,0],[1,0,1],[0,1,0]],"solution":[[1]],"phrasing":6}`,
		`{"puzzle":[[0,1,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]],"solution":[[1,2],[2,1]],"phrasing":0}`,
		`{"puzzle":[[0,0,0,0],[0,2,0,0],[0,0,0,0],[0,0,0,0]],"solution":[[1,2],[2,1]],"phrasing":0}`,
		`{"puzzle":[],"solution":[[1],[1],[1],[1],[1],[1],[1],[1]],"phrasing":0}`,
	})
}

func TestSkyscrapersParams(t *testing.T) {
	tasktest.Refused(t, skyscrapers.Task(), map[string]string{
		`{"min_size":3}`:       "min_size",
		`{"max_size":8}`:       "max_size",
		`{"given_percent":-1}`: "given_percent",
		`{"given_percent":81}`: "given_percent",
	})
}

// The second solver reads the picture from the prompt and fills the cells row by row.
func TestSkyscrapersSecond(t *testing.T) {
	tasktest.Second(t, skyscrapers.Task(), 1002, func(_ skyscrapersItem, prompt, got string) error {
		_, picture, _ := strings.Cut(prompt, "\n\n")
		picture, _, _ = strings.Cut(picture, "\n\n")
		var left, right, top, bottom []string
		var board [][]string
		for line := range strings.Lines(picture) {
			parts := strings.Split(strings.TrimSpace(line), "|")
			switch {
			case len(parts) == 3:
				left, right = append(left, strings.TrimSpace(parts[0])), append(right, strings.TrimSpace(parts[2]))
				board = append(board, strings.Fields(parts[1]))
			case !strings.Contains(line, "+"):
				top, bottom = bottom, strings.Fields(line)
			}
		}
		size := len(board)
		// sees compares a line, of which a part may be known, with a number at its beginning.
		sees := func(line []int, clue string) bool {
			want, err := strconv.Atoi(clue)
			if err != nil {
				return true
			}
			n, highest := 0, 0
			for _, h := range line {
				if h > highest {
					highest, n = h, n+1
				}
			}
			return n <= want && n+size-highest >= want && (len(line) < size || n == want)
		}
		back := func(line []int) []int {
			line = slices.Clone(line)
			slices.Reverse(line)
			return line
		}
		n, found := countLatin(size, func(rows [][]int) bool {
			i := len(rows) - 1
			row := rows[i]
			j := len(row) - 1
			if text := board[i][j]; text != "_" && text != strconv.Itoa(row[j]) {
				return false
			}
			column := make([]int, 0, size)
			for k := range rows {
				column = append(column, rows[k][j])
			}
			return sees(row, left[i]) && sees(column, top[j]) &&
				(len(row) < size || sees(back(row), right[i])) && (len(column) < size || sees(back(column), bottom[j]))
		})
		return only(n, found, strconv.Itoa, got)
	})
}

func TestSkyscrapersKeys(t *testing.T) {
	symmetric(t, skyscrapers.Task(), func(s *skyscrapersItem, v view) { s.Puzzle, s.Solution = seen(v, s.Puzzle), seen(v, s.Solution) })
	tasktest.Other(t, skyscrapers.Task(), "a number of the frame is left out", func(s *skyscrapersItem) {
		for _, e := range edgesOf(len(s.Solution)) {
			if s.Puzzle[e.i][e.j] != 0 {
				s.Puzzle[e.i][e.j] = 0
				return
			}
		}
	})
}
