package grids

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// movements are the eight ways to look at a square, in the order of views, as changes of the
// lines of an answer.
var movements = [views]struct {
	name                   string
	exchange, turn, mirror bool
}{
	{name: "as it is"},
	{name: "rows and columns exchanged", exchange: true},
	{name: "upside down", turn: true},
	{name: "a quarter turn", exchange: true, turn: true},
	{name: "left and right exchanged", mirror: true},
	{name: "a quarter turn back", exchange: true, mirror: true},
	{name: "half a turn", turn: true, mirror: true},
	{name: "rows and columns exchanged at the other diagonal", exchange: true, turn: true, mirror: true},
}

// fields reads a board of cells with spaces between them.
func fields(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

// moved moves the cells of a board.
func moved(text string, v view) string {
	rows, m := fields(text), movements[v]
	n := len(rows)
	lines := make([]string, n)
	for i := range rows {
		cells := make([]string, n)
		for j := range cells {
			from, at := i, j
			if m.turn {
				from = n - 1 - from
			}
			if m.mirror {
				at = n - 1 - at
			}
			if m.exchange {
				from, at = at, from
			}
			cells[j] = rows[from][at]
		}
		lines[i] = strings.Join(cells, " ")
	}
	return strings.Join(lines, "\n")
}

// symmetric checks that a puzzle has one key and the moved solution in all views; see changes a
// record to what is seen in a view.
func symmetric[I any](t *testing.T, task quintain.Task, see func(record *I, v view)) {
	t.Helper()
	for v := range view(views) {
		if v == 0 {
			continue
		}
		tasktest.Variant(t, task, movements[v].name, func(record *I, _ *rng.Rand) func(string) string {
			see(record, v)
			return func(answer string) string { return moved(answer, v) }
		})
	}
}

// promptBoard returns the board of a prompt: its lines between the first empty line and the
// second, as fields.
func promptBoard(prompt string) [][]string {
	_, board, _ := strings.Cut(prompt, "\n\n")
	board, _, _ = strings.Cut(board, "\n\n")
	return fields(board)
}

// countBoards fills a board row by row, and counts the fillings up to two. options returns the
// rows that may come next, and fits whether the last of the rows agrees with those above it.
func countBoards(size int, options func(row int) [][]int, fits func(rows [][]int) bool) (n int, found [][]int) {
	var rows [][]int
	var all [][][]int
	for i := range size {
		all = append(all, options(i))
	}
	var fill func()
	fill = func() {
		if len(rows) == size {
			n++
			found = append([][]int(nil), rows...)
			return
		}
		for _, row := range all[len(rows)] {
			rows = append(rows, row)
			if fits(rows) {
				fill()
			}
			if rows = rows[:len(rows)-1]; n > 1 {
				return
			}
		}
	}
	fill()
	return n, found
}

// bitRows returns all rows of zeros and ones that keep a rule.
func bitRows(size int, keeps func(row []int) bool) (all [][]int) {
	for bits := range 1 << size {
		row := make([]int, size)
		for j := range row {
			row[j] = bits >> j & 1
		}
		if keeps(row) {
			all = append(all, row)
		}
	}
	return all
}

// only returns an error unless there is one filling, and it is the answer.
func only(n int, found [][]int, sign func(cell int) string, got string) error {
	if n != 1 {
		return fmt.Errorf("%d solutions", n)
	}
	var lines []string
	for _, row := range found {
		var cells []string
		for _, c := range row {
			cells = append(cells, sign(c))
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if want := strings.Join(lines, "\n"); want != got {
		return fmt.Errorf("the solution is\n%s\nand the answer\n%s", want, got)
	}
	return nil
}

// firstGroup returns the first group of a match that is not empty.
func firstGroup(groups []string) string {
	for _, g := range groups[min(1, len(groups)):] {
		if g != "" {
			return g
		}
	}
	return ""
}

// columnOf returns a column of the rows so far.
func columnOf(rows [][]int, j int) []int {
	column := make([]int, len(rows))
	for i, row := range rows {
		column[i] = row[j]
	}
	return column
}

// countLatin fills a Latin square cell by cell, and counts the fillings up to two. fits reports
// whether the last cell agrees with the rows so far.
func countLatin(size int, fits func(rows [][]int) bool) (n int, found [][]int) {
	rows := [][]int{{}}
	var fill func()
	fill = func() {
		last := len(rows) - 1
		if len(rows[last]) == size {
			if last == size-1 {
				n++
				found = nil
				for _, row := range rows {
					found = append(found, slices.Clone(row))
				}
				return
			}
			rows = append(rows, []int{})
			fill()
			rows = rows[:last+1]
			return
		}
		j := len(rows[last])
		for k := 1; k <= size && n < 2; k++ {
			taken := slices.Contains(rows[last], k)
			for _, row := range rows[:last] {
				taken = taken || row[j] == k
			}
			if taken {
				continue
			}
			rows[last] = append(rows[last], k)
			if fits(rows) {
				fill()
			}
			rows[last] = rows[last][:j]
		}
	}
	fill()
	return n, found
}
