package boards

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

const sudokuRight = "2 6 7 8 1 9 3 4 5\n1 9 5 3 4 6 8 7 2\n8 3 4 5 2 7 1 6 9\n9 8 2 1 7 3 6 5 4\n5 7 1 4 6 2 9 8 3\n3 4 6 9 5 8 7 2 1\n6 2 9 7 3 4 5 1 8\n7 1 3 2 8 5 4 9 6\n4 5 8 6 9 1 2 3 7"

func sudokuExample() sudokuItem {
	item := sudokuItem{Solution: tasktest.Matrix(sudokuRight), Puzzle: tasktest.Matrix(sudokuRight), NumEmpty: 2}
	item.Puzzle[0][0], item.Puzzle[8][8] = 0, 0
	return item
}

func TestSudokuScore(t *testing.T) {
	item := sudokuExample()
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{sudokuRight, 1, ""},
		{strings.ReplaceAll(sudokuRight, "\n", " \r\n") + "\n\n", 1, "space at the ends of lines"},
		{strings.ReplaceAll(sudokuRight, " ", ""), 1, "without spaces"},
		{strings.ReplaceAll(sudokuRight, " ", "  "), 1, "with two"},
		{strings.ReplaceAll(sudokuRight, " ", ", "), 1, "with commas"},
		{"[[" + strings.ReplaceAll(strings.ReplaceAll(sudokuRight, " ", ", "), "\n", "], [") + "]]", 1, "as JSON"},
		{strings.Replace(strings.ReplaceAll(sudokuRight, "7 8 1", "7 | 8 1"), "\n", "\n------+-------+------\n", 1), 1, "with bars and a ruler"},
		{strings.ReplaceAll(sudokuRight, "\n", "\n\n"), 1, "with empty lines"},
		{strings.Replace(sudokuRight, "2 3 7", "2 3 8", 1), 0, "one cell is wrong, and copying the given cells is no work"},
		{strings.ReplaceAll(sudokuRight, "\n", " "), 0, "on one line"},
		{strings.TrimSuffix(sudokuRight, " 7"), 0, "a cell left out"},
		{strings.Join(strings.Split(sudokuRight, "\n")[:8], "\n"), 0, "a row left out"},
		{sudokuRight + "\n4 5 8 6 9 1 2 3 7", 0, "a row too many"},
		{sudokuRight + " 7", 0, "a cell too many"},
		{"Solution:\n" + sudokuRight, 0, "words"},
		{strings.Replace(sudokuRight, "2", "_", 1), 0, "an empty cell"},
		{strings.Repeat(strings.Repeat("1 ", 9)+"\n", 9), 0, "reasoning-gym pays 0.1 for a constant"},
	})
	tasktest.RefusedRecords(t, sudoku.Task(), []string{
		`{"puzzle":[],"solution":[]}`,
		`{"puzzle":[[1]],"solution":[[1]]}`,
		strings.Replace(fmt.Sprintf(`{"puzzle":%v,"solution":%[1]v}`, jsonOf(item.Solution)), "2", "3", 1),
		strings.ReplaceAll(fmt.Sprintf(`{"puzzle":%v,"solution":%[1]v}`, jsonOf(item.Solution)), "2", "3"),
		fmt.Sprintf(`{"puzzle":%v,"solution":%[1]v,"phrasing":6}`, jsonOf(item.Solution)),
	})
}

// jsonOf writes rows as JSON.
func jsonOf(rows [][]int) string { return strings.ReplaceAll(fmt.Sprint(rows), " ", ",") }

// A cover is an exact cover problem, solved by Knuth's Algorithm X in its plainest form:
// exactly one of the chosen rows must cover each column.
type cover struct {
	rows  map[string][]string        // columns of each row
	open  map[string]map[string]bool // rows of each uncovered column
	found []map[string]bool          // the rows of each solution
	most  int                        // solutions to look for
}

func (c *cover) solve(chosen []string) {
	if len(c.open) == 0 {
		solution := map[string]bool{}
		for _, row := range chosen {
			solution[row] = true
		}
		c.found = append(c.found, solution)
		return
	}
	best := ""
	for column, rows := range c.open {
		if best == "" || len(rows) < len(c.open[best]) || len(rows) == len(c.open[best]) && column < best {
			best = column
		}
	}
	for _, row := range slices.Sorted(maps.Keys(c.open[best])) {
		if len(c.found) >= c.most {
			return
		}
		removed := map[string]map[string]bool{}
		for _, column := range c.rows[row] {
			for other := range c.open[column] {
				for _, also := range c.rows[other] {
					if also != column && c.open[also] != nil {
						delete(c.open[also], other)
					}
				}
			}
			removed[column] = c.open[column]
			delete(c.open, column)
		}
		c.solve(append(chosen, row))
		for i := len(c.rows[row]) - 1; i >= 0; i-- {
			column := c.rows[row][i]
			c.open[column] = removed[column]
			for other := range c.open[column] {
				for _, also := range c.rows[other] {
					if also != column && c.open[also] != nil {
						c.open[also][other] = true
					}
				}
			}
		}
	}
}

// latinCover returns the exact cover problem of a puzzle: each number once in each row and
// column, and in each box, if there are boxes.
func latinCover(puzzle [][]string, box int) *cover {
	c := &cover{rows: map[string][]string{}, open: map[string]map[string]bool{}, most: 2}
	for i, line := range puzzle {
		for j, cell := range line {
			for n := 1; n <= len(puzzle); n++ {
				if cell != "_" && cell != fmt.Sprint(n) {
					continue
				}
				columns := []string{fmt.Sprint("cell ", i, j), fmt.Sprint("row ", i, n), fmt.Sprint("column ", j, n)}
				if box > 0 {
					columns = append(columns, fmt.Sprint("box ", i/box, j/box, n))
				}
				name := fmt.Sprintf("%d,%d,%d", i, j, n)
				c.rows[name] = columns
				for _, column := range columns {
					if c.open[column] == nil {
						c.open[column] = map[string]bool{}
					}
					c.open[column][name] = true
				}
			}
		}
	}
	return c
}

// The second solver reads the puzzle from the prompt and finds all solutions as exact
// covers: there is one, and it is ours.
func TestSudokuSecond(t *testing.T) {
	tasktest.Second(t, sudoku.Task(), 1002, func(s sudokuItem, prompt, got string) error {
		puzzle := blankRows(prompt)
		empty := 0
		for _, row := range puzzle {
			empty += strings.Count(strings.Join(row, ""), "_")
		}
		if len(puzzle) != 9 || empty != s.NumEmpty {
			return fmt.Errorf("%d rows with %d empty cells, want 9 with %d", len(puzzle), empty, s.NumEmpty)
		}
		c := latinCover(puzzle, 3)
		c.solve(nil)
		if len(c.found) != 1 {
			return fmt.Errorf("%d solutions", len(c.found))
		}
		for i, line := range strings.Split(got, "\n") {
			for j, n := range strings.Split(line, " ") {
				if !c.found[0][fmt.Sprintf("%d,%d,%s", i, j, n)] {
					return fmt.Errorf("%s in row %d, column %d is not in the solution", n, i, j)
				}
			}
		}
		return nil
	})
}

// blankRows returns the cells in the lines of a prompt that consist of digits and
// underscores.
func blankRows(prompt string) (rows [][]string) {
	for line := range strings.Lines(prompt) {
		if line = strings.TrimSpace(line); line != "" && strings.Trim(line, " _0123456789") == "" {
			rows = append(rows, strings.Fields(line))
		}
	}
	return rows
}

// Levels follow their settings; if those are out of reach, the puzzle has fewer empty
// cells.
func TestSudokuEmpties(t *testing.T) {
	tasktest.Second(t, sudoku.Task(), 600, func(s sudokuItem, prompt, _ string) error {
		for _, p := range sudoku.Levels {
			if s.NumEmpty >= p.MinEmpty && s.NumEmpty <= p.MaxEmpty {
				return nil
			}
		}
		return fmt.Errorf("%d empty cells are of no level", s.NumEmpty)
	})
	tasktest.Second(t, tasktest.With(t, sudoku.Task(), `{"min_empty":64,"max_empty":64}`), 10, func(s sudokuItem, prompt, _ string) error {
		if empty := strings.Count(strings.Join(strings.Fields(prompt), ""), "_"); s.NumEmpty < 53 || empty < s.NumEmpty {
			return fmt.Errorf("%d empty cells, want 53 or more", s.NumEmpty)
		}
		return nil
	})
}

// sudokuLines returns the nine rows in an order that keeps those of a box together.
func sudokuLines(r *rng.Rand) (order []int) {
	bands := []int{0, 3, 6}
	rng.Shuffle(r, bands)
	for _, first := range bands {
		band := []int{first, first + 1, first + 2}
		rng.Shuffle(r, band)
		order = append(order, band...)
	}
	return order
}

func TestSudokuKeys(t *testing.T) {
	tasktest.Variant(t, sudoku.Task(), "other numbers, rows and columns in another order, and exchanged", func(s *sudokuItem, r *rng.Rand) func(string) string {
		numbers := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		rng.Shuffle(r, numbers[1:])
		rows, cols := sudokuLines(r), sudokuLines(r)
		moved := func(g grid.Grid[int]) grid.Grid[int] {
			return grid.Build(9, 9, func(i, j int) int { return numbers[g[rows[j]][cols[i]]] })
		}
		s.Puzzle, s.Solution = moved(s.Puzzle), moved(s.Solution)
		return func(string) string { return grid.Ints(s.Solution) }
	})
	tasktest.Same(t, sudoku.Task(), "the solution follows from the puzzle", func(s *sudokuItem) { s.NumEmpty = 0 })
	tasktest.Other(t, sudoku.Task(), "another cell is given", func(s *sudokuItem) {
		for i, row := range s.Puzzle {
			for j := range row {
				if row[j] == 0 {
					row[j] = s.Solution[i][j]
					return
				}
			}
		}
	})
}
