package boards

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSurvoScore(t *testing.T) {
	item := survoItem{
		Puzzle:           [][]int{{9, 3, 6, 18}, {0, 0, 0, 11}, {8, 0, 0, 22}, {25, 10, 16, 51}},
		Solution:         [][]int{{9, 3, 6, 18}, {8, 2, 1, 11}, {8, 5, 9, 22}, {25, 10, 16, 51}},
		CandidateNumbers: []int{8, 9, 1, 5, 2},
		BoardSize:        4,
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"9 3 6 18\n8 2 1 11\n8 5 9 22\n25 10 16 51", 1, ""},
		{"9 3 6 | 18 \r\n8 2 1 | 11\r\n8 5 9 | 22\r\n------+---\r\n25 10 16 | 51\r\n", 1, "as it is printed"},
		{"[[9, 3, 6, 18], [8, 2, 1, 11], [8, 5, 9, 22], [25, 10, 16, 51]]", 1, "as JSON"},
		{"9 3 6 18\n8 2 1 11\n8 5 9 22\n25 10 16 52", 0, "a sum is changed"},
		{"9 3 6 18\n8 1 2 11\n8 6 8 22\n25 10 16 51", 0, "all sums are right, but the numbers are not the given ones"},
		{"9 3 6 18\n8 2 1 11\n8 9 5 22\n25 10 16 51", 0, "the columns do not add up"},
		{"9 3 6\n8 2 1\n8 5 9", 0, "without the sums"},
		{"9 3 6 18\n8 2 1 11\n8 5 9 22", 0, "without the last row"},
		{"9 3 6 18\n0 0 0 11\n8 0 0 22\n25 10 16 51", 0, "the puzzle"},
		{"9 3 6 18\n+8 2 1 11\n8 5 9 22\n25 10 16 51", 0, "a sign"},
		{"9 3 6 18\n8 2 1 11\n8 5 9 22\n25 10 16 051", 1, "a zero in front, as in reasoning-gym"},
		{"936\n821", 0, ""},
	})
	for _, record := range []string{
		`{}`,
		`{"board_size":2,"puzzle":[[0,4],[4,5]],"solution":[[4,4],[4,5]],"candidate_numbers":[4]}`,
		`{"board_size":2,"puzzle":[[0,4],[4,4]],"solution":[[3,4],[4,4]],"candidate_numbers":[3]}`,
		`{"board_size":2,"puzzle":[[0,4],[4,4]],"solution":[[4,4],[4,4]],"candidate_numbers":[3]}`,
		`{"board_size":2,"puzzle":[[0,4,4],[4,4,4]],"solution":[[4,4],[4,4]],"candidate_numbers":[4]}`,
		`{"board_size":2,"puzzle":[[-1,4],[4,4]],"solution":[[4,4],[4,4]],"candidate_numbers":[4]}`,
		`{"board_size":2,"puzzle":[[0,4],[4,4]],"solution":[[4,4],[4,4]],"candidate_numbers":[4],"phrasing":6}`,
	} {
		tasktest.RefusedRecords(t, survo.Task(), []string{record})
	}
}

func TestSurvoParams(t *testing.T) {
	tasktest.Refused(t, survo.Task(), map[string]string{
		`{"min_board_size":3}`:                    "min_board_size",
		`{"max_board_size":13}`:                   "max_board_size",
		`{"min_empty":0}`:                         "min_empty",
		`{"max_empty":10}`:                        "max_empty",
		`{"min_num":0}`:                           "min_num",
		`{"min_num":9}`:                           "max_num",
		`{"max_num":10001}`:                       "max_num",
		`{"min_board_size":5,"max_board_size":4}`: "max_board_size",
	})
}

var survoNumbersRE = regexp.MustCompile(`\d+(?:, \d+)* and \d+`)

// The second solver reads table and numbers from the prompt, and fills the empty cells row
// by row with every arrangement of the numbers, as long as the sums can still be right.
func TestSurvoSecond(t *testing.T) {
	tasktest.Second(t, survo.Task(), 1002, func(s survoItem, prompt, got string) error {
		var table [][]string
		for line := range strings.Lines(prompt) {
			if strings.Contains(line, " | ") || len(table) == s.BoardSize-1 && strings.Count(line, "|") == 1 {
				table = append(table, strings.Fields(strings.ReplaceAll(line, "|", " ")))
			}
		}
		f := survoFillings{table: table, rowLeft: map[int]int{}, columnLeft: map[int]int{}, numbers: map[int]int{}}
		for _, field := range regexp.MustCompile(`\d+`).FindAllString(survoNumbersRE.FindString(prompt), -1) {
			n, _ := strconv.Atoi(field)
			f.numbers[n]++
		}
		if len(table) != s.BoardSize {
			return fmt.Errorf("the prompt shows %d rows", len(table))
		}
		f.prepare()
		f.fill(0)
		if len(f.found) != 1 {
			return fmt.Errorf("%d solutions", len(f.found))
		}
		if f.found[0] != got {
			return errors.New("another solution: " + f.found[0])
		}
		return nil
	})
}

// survoFillings are the solutions of a table, at most two.
type survoFillings struct {
	table               [][]string
	rowLeft, columnLeft map[int]int // the missing sum of each line
	numbers             map[int]int // remaining numbers, with their counts
	blanks              [][2]int
	found               []string
}

func (f *survoFillings) prepare() {
	last := len(f.table) - 1
	for i := range last {
		f.rowLeft[i], _ = strconv.Atoi(f.table[i][last])
		f.columnLeft[i], _ = strconv.Atoi(f.table[last][i])
	}
	for i := range last {
		for j := range last {
			if f.table[i][j] == "_" {
				f.blanks = append(f.blanks, [2]int{i, j})
				continue
			}
			n, _ := strconv.Atoi(f.table[i][j])
			f.rowLeft[i] -= n
			f.columnLeft[j] -= n
		}
	}
}

// fill fills blank k and those after it.
func (f *survoFillings) fill(k int) {
	if k == len(f.blanks) {
		var lines []string
		for _, row := range f.table {
			lines = append(lines, strings.Join(row, " "))
		}
		f.found = append(f.found, strings.Join(lines, "\n"))
		return
	}
	i, j := f.blanks[k][0], f.blanks[k][1]
	lastInRow := k+1 == len(f.blanks) || f.blanks[k+1][0] != i
	lastInColumn := !slices.ContainsFunc(f.blanks[k+1:], func(b [2]int) bool { return b[1] == j })
	for n, times := range f.numbers {
		if times == 0 || len(f.found) > 1 || lastInRow && n != f.rowLeft[i] || lastInColumn && n != f.columnLeft[j] || n > f.rowLeft[i] || n > f.columnLeft[j] {
			continue
		}
		f.numbers[n]--
		f.rowLeft[i] -= n
		f.columnLeft[j] -= n
		f.table[i][j] = strconv.Itoa(n)
		f.fill(k + 1)
		f.table[i][j] = "_"
		f.columnLeft[j] += n
		f.rowLeft[i] += n
		f.numbers[n]++
	}
}

func TestSurvoKeys(t *testing.T) {
	tasktest.Variant(t, survo.Task(), "rows and columns in another order, and exchanged", func(s *survoItem, r *rng.Rand) func(string) string {
		order := [2][]int{make([]int, s.BoardSize), make([]int, s.BoardSize)}
		for k := range order {
			for i := range order[k] {
				order[k][i] = i
			}
			rng.Shuffle(r, order[k][:s.BoardSize-1])
		}
		moved := func(g grid.Grid[int]) grid.Grid[int] {
			return grid.Build(s.BoardSize, s.BoardSize, func(i, j int) int { return g[order[0][j]][order[1][i]] })
		}
		s.Puzzle, s.Solution = moved(s.Puzzle), moved(s.Solution)
		return func(string) string { return grid.Ints(s.Solution) }
	})
	tasktest.Other(t, survo.Task(), "a cell is filled", func(s *survoItem) {
		for i, row := range s.Puzzle {
			for j := range row {
				if row[j] == 0 {
					row[j] = s.Solution[i][j]
					at := slices.Index(s.CandidateNumbers, row[j])
					s.CandidateNumbers = slices.Delete(s.CandidateNumbers, at, at+1)
					return
				}
			}
		}
	})
	tasktest.Same(t, survo.Task(), "the numbers may be in any order", func(s *survoItem) { slices.Reverse(s.CandidateNumbers) })
	tasktest.Variant(t, survo.Task(), "the numbers counted from the other end", func(s *survoItem, _ *rng.Rand) func(string) string {
		last := s.BoardSize - 1
		for _, g := range []grid.Grid[int]{s.Puzzle, s.Solution} {
			for i, row := range g {
				for j, n := range row {
					times := 1
					if i == last {
						times *= last
					}
					if j == last {
						times *= last
					}
					if n != 0 {
						row[j] = times*(s.MinNum+s.MaxNum) - n
					}
				}
			}
		}
		for i, n := range s.CandidateNumbers {
			s.CandidateNumbers[i] = s.MinNum + s.MaxNum - n
		}
		return func(string) string { return s.Solve() }
	})
	tasktest.Same(t, survo.Task(), "the limits of the numbers are not part of the question", func(s *survoItem) { s.MaxNum++ })
}
