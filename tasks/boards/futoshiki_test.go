package boards

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestFutoshikiScore(t *testing.T) {
	item := futoshikiItem{
		Puzzle:      [][]int{{0, 2, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 4, 0}},
		Constraints: []futoshikiSign{{0, 0, 0, 1, true}, {0, 0, 1, 0, true}},
		Solution:    [][]int{{1, 2, 3, 4}, {3, 4, 1, 2}, {4, 3, 2, 1}, {2, 1, 4, 3}},
		BoardSize:   4,
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 2 3 4\n3 4 1 2\n4 3 2 1\n2 1 4 3", 1, ""},
		{"1 < 2   3   4\n∧            \n3   4   1   2\n             \n4   3   2   1\n             \n2   1   4   3", 1, "with the signs"},
		{"1<2 3 4\n^\n3 4 1 2\n4 3 2 1\n2 1 4 3", 1, "with signs of ASCII"},
		{"1 2 3 4 \r\n3 4 1 2 \r\n4 3 2 1 \r\n2 1 4 3 \r\n", 1, "other line ends"},
		{"1234\n3412\n4321\n2143", 1, "without spaces"},
		{"[[1,2,3,4],[3,4,1,2],[4,3,2,1],[2,1,4,3]]", 1, "as JSON"},
		{"1 2 3 4\n3 4 1 2\n4 3 2 1\n2 1 4 4", 0, "one cell is wrong; reasoning-gym pays 0.84"},
		{"1 2 3 4\n4 3 1 2\n3 4 2 1\n2 1 4 3", 0, "another square"},
		{"1 2 3 4\n3 4 1 2\n4 3 2 1", 0, "a row left out"},
		{"_ 2 _ _\n_ _ _ _\n_ _ _ 1\n_ _ 4 _", 0, "the puzzle"},
		{"The solution is 1 2 3 4\n3 4 1 2\n4 3 2 1\n2 1 4 3", 0, "words"},
	})
	for _, record := range []string{
		`{"board_size":4,"puzzle":[[0,0]],"solution":[[1,2],[2,1]],"constraints":[]}`,
		`{"board_size":2,"puzzle":[[0,0],[0,0]],"solution":[[1,2],[2,1]],"constraints":[[0,0,1,1,"<"]]}`,
		`{"board_size":2,"puzzle":[[0,0],[0,0]],"solution":[[1,2],[2,1]],"constraints":[[0,0,0,1,">"]]}`,
		`{"board_size":2,"puzzle":[[0,0],[0,0]],"solution":[[1,2],[2,1]],"constraints":[[0,0,0,1,"="]]}`,
		`{"board_size":2,"puzzle":[[0,0],[0,0]],"solution":[[1,2],[2,1]],"constraints":[[0,0,0,1]]}`,
		`{"board_size":2,"puzzle":[[0,0],[0,0]],"solution":[[1,2],[2,1]],"constraints":[[0,1,0,2,"<"]]}`,
		`{"board_size":2,"puzzle":[[0,0],[0,0]],"solution":[[1,2],[1,2]],"constraints":[]}`,
		`{"board_size":10}`, `{"board_size":0}`,
	} {
		tasktest.RefusedRecords(t, futoshiki.Task(), []string{record})
	}
}

// A futoshikiBoard is a puzzle as read from the prompt.
type futoshikiBoard struct {
	cells [][]int     // 0 is empty
	less  [][2][2]int // pairs of cells, the first smaller
}

// readFutoshiki reads the board of a prompt: the lines of cells, and the lines of signs
// between them.
func readFutoshiki(prompt string) *futoshikiBoard {
	b := &futoshikiBoard{}
	for line := range strings.Lines(prompt) {
		line = strings.TrimRight(line, "\n")
		signs := []rune(line)
		switch {
		case line != "" && line[0] != ' ' && strings.Trim(line, " _<>123456789") == "" && len(signs)%4 == 1:
			row := make([]int, 0, 9)
			for j, c := range signs {
				switch {
				case j%4 == 0:
					n, _ := strconv.Atoi(strings.Trim(string(c), "_"))
					row = append(row, n)
				case c == '<':
					b.less = append(b.less, [2][2]int{{len(b.cells), j / 4}, {len(b.cells), j/4 + 1}})
				case c == '>':
					b.less = append(b.less, [2][2]int{{len(b.cells), j/4 + 1}, {len(b.cells), j / 4}})
				}
			}
			if len(row) > 1 {
				b.cells = append(b.cells, row)
			}
		case len(b.cells) > 0 && strings.Trim(line, " ∧∨") == "":
			for j, c := range signs {
				above, below := [2]int{len(b.cells) - 1, j / 4}, [2]int{len(b.cells), j / 4}
				switch c {
				case '∧':
					b.less = append(b.less, [2][2]int{above, below})
				case '∨':
					b.less = append(b.less, [2][2]int{below, above})
				}
			}
		}
	}
	return b
}

// literal returns the literal of a formula for n in a cell.
func (b *futoshikiBoard) literal(cell [2]int, n int) int {
	return (cell[0]*len(b.cells)+cell[1])*len(b.cells) + n
}

// formula writes the rules of the board as clauses.
func (b *futoshikiBoard) formula() *formula {
	size := len(b.cells)
	f := newFormula(size * size * size)
	for i := range size {
		for j := range size {
			var cell, row, column []int
			for k := range size {
				cell = append(cell, b.literal([2]int{i, j}, k+1))
				row = append(row, b.literal([2]int{i, k}, j+1))
				column = append(column, b.literal([2]int{k, i}, j+1))
			}
			f.addOne(cell)
			f.addOne(row)
			f.addOne(column)
			if n := b.cells[i][j]; n > 0 {
				f.add(b.literal([2]int{i, j}, n))
			}
		}
	}
	for _, pair := range b.less {
		for n := 1; n <= size; n++ { // each number needs a larger, or smaller, one on the other side
			above, below := []int{-b.literal(pair[0], n)}, []int{-b.literal(pair[1], n)}
			for m := 1; m <= size; m++ {
				if m > n {
					above = append(above, b.literal(pair[1], m))
				}
				if m < n {
					below = append(below, b.literal(pair[0], m))
				}
			}
			f.add(above...)
			f.add(below...)
		}
	}
	return f
}

// The second solver reads board and signs from the prompt and writes the rules as a
// formula: our solution satisfies it, and no other does.
func TestFutoshikiSecond(t *testing.T) {
	tasktest.Second(t, futoshiki.Task(), 1002, func(f futoshikiItem, prompt, got string) error {
		b := readFutoshiki(prompt)
		if len(b.cells) != f.BoardSize || len(b.less) != len(f.Constraints) {
			return fmt.Errorf("the prompt shows %d rows and %d signs", len(b.cells), len(b.less))
		}
		rules := b.formula()
		var other []int
		lines := strings.Split(got, "\n")
		for i := range b.cells {
			for j := range b.cells {
				n, _ := strconv.Atoi(string([]rune(lines[2*i])[4*j]))
				other = append(other, -b.literal([2]int{i, j}, n))
			}
		}
		for _, literal := range other {
			if !rules.consistent(-literal) {
				return fmt.Errorf("solution %q breaks the rules", got)
			}
		}
		rules = b.formula()
		rules.add(other...)
		if rules.satisfiable() {
			return errors.New("there is another solution")
		}
		return nil
	})
}

func TestFutoshikiKeys(t *testing.T) {
	tasktest.Variant(t, futoshiki.Task(), "counted from the other end", func(f *futoshikiItem, _ *rng.Rand) func(string) string {
		for i := range f.BoardSize {
			for j := range f.BoardSize {
				f.Solution[i][j] = f.BoardSize + 1 - f.Solution[i][j]
				if f.Puzzle[i][j] > 0 {
					f.Puzzle[i][j] = f.Solution[i][j]
				}
			}
		}
		for i := range f.Constraints {
			f.Constraints[i].less = !f.Constraints[i].less
		}
		return func(string) string { return grid.Ints(f.Solution) }
	})
	tasktest.Variant(t, futoshiki.Task(), "mirrored, or rows as columns", func(f *futoshikiItem, r *rng.Rand) func(string) string {
		side, last := r.Between(1, 2), f.BoardSize-1
		if r.Chance(0.5) {
			side = 4
		}
		for i, s := range f.Constraints {
			switch side {
			case 4:
				s.row, s.col, s.row2, s.col2 = s.col, s.row, s.col2, s.row2
			case 1:
				if s.row, s.row2 = last-s.row, last-s.row2; s.row > s.row2 {
					s.row, s.row2, s.less = s.row2, s.row, !s.less
				}
			case 2:
				if s.col, s.col2 = last-s.col, last-s.col2; s.col > s.col2 {
					s.col, s.col2, s.less = s.col2, s.col, !s.less
				}
			}
			f.Constraints[i] = s
		}
		f.Puzzle, f.Solution = canon.Seen(f.Puzzle, side), canon.Seen(f.Solution, side)
		return func(string) string { return grid.Ints(f.Solution) }
	})
	tasktest.Same(t, futoshiki.Task(), "the rating is not part of the question", func(f *futoshikiItem) { f.DifficultyRating++ })
	tasktest.Other(t, futoshiki.Task(), "a sign is left out", func(f *futoshikiItem) { f.Constraints = f.Constraints[1:] })
}
