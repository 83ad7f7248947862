package boards

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestKakurasuScore(t *testing.T) {
	item := kakurasuItem{
		NRows: 3, NCols: 4, RowSums: []int{4, 3, 7}, ColSums: []int{1, 2, 4, 3},
		Solution: [][]int{{1, 0, 1, 0}, {0, 1, 0, 0}, {0, 0, 1, 1}},
	}
	item.RowSums, item.ColSums = marking{0b0101, 0b0010, 0b1100}.sums(4)
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 0 1 0\n0 1 0 0\n0 0 1 1", 1, ""},
		{"1010\n0100\n0011", 1, "without spaces"},
		{" 1  0 1 0 \r\n0 1 0 0\r\n\r\n0 0 1 1\n", 1, "with more space"},
		{"[[1, 0, 1, 0],\n [0, 1, 0, 0],\n [0, 0, 1, 1]]", 1, "as JSON"},
		{"1 0 1 0\n0 1 0 0\n0 0 1 0", 0, "one cell is wrong"},
		{"0 1 0 1\n1 0 1 1\n1 1 0 0", 0, "the other cells"},
		{"1 0 1 0\n0 1 0 0", 0, "a row left out"},
		{"1 0 1 0\n0 1 0 0\n0 0 1 1\n0 0 0 0", 0, "a row too many"},
		{"1 0 0\n0 1 0\n1 0 1\n0 0 1", 0, "rows for columns"},
		{"1 0 1 0 0 1 0 0 0 0 1 1", 0, "on one line"},
		{"1 0 1 0 4\n0 1 0 0 2\n0 0 1 1 7", 0, "with the sums"},
		{"row 1: 1 0 1 0\nrow 2: 0 1 0 0\nrow 3: 0 0 1 1", 0, "words; reasoning-gym ignores them"},
	})
	tasktest.RefusedRecords(t, kakurasu.Task(), []string{
		`{}`,
		`{"n_rows":1,"n_cols":2,"row_sums":[1],"col_sums":[1],"solution":[[1,0]]}`,
		`{"n_rows":1,"n_cols":2,"row_sums":[2],"col_sums":[1,0],"solution":[[1,0]]}`,
		`{"n_rows":1,"n_cols":2,"row_sums":[1],"col_sums":[0,1],"solution":[[1,0]]}`,
		`{"n_rows":10,"n_cols":1,"row_sums":[0,0,0,0,0,0,0,0,0,0],"col_sums":[0],"solution":[[0],[0],[0],[0],[0],[0],[0],[0],[0],[0]]}`,
		`{"n_rows":1,"n_cols":2,"row_sums":[1],"col_sums":[1,0],"solution":[[1,0]],"phrasing":6}`,
	})
}

// The second solver reads the sums from the prompt and counts the solutions column by
// column: there is one, and ours has these sums.
func TestKakurasuSecond(t *testing.T) {
	tasktest.Second(t, kakurasu.Task(), 1002, func(k kakurasuItem, prompt, got string) error {
		rowSums, colSums := kakurasuSums(prompt)
		if n := countMarkings(rowSums, colSums); n != 1 {
			return fmt.Errorf("%d solutions", n)
		}
		lines := strings.Split(got, "\n")
		if len(lines) != len(rowSums) {
			return fmt.Errorf("%d lines, want %d", len(lines), len(rowSums))
		}
		for i, line := range lines {
			for j, cell := range strings.Split(line, " ") {
				if cell == "1" {
					rowSums[i] -= j + 1
					colSums[j] -= i + 1
				}
			}
		}
		for _, left := range append(rowSums, colSums...) {
			if left != 0 {
				return fmt.Errorf("the sums of %q are off by %v %v", got, rowSums, colSums)
			}
		}
		return nil
	})
}

// kakurasuSums reads the sums from the picture in a prompt.
func kakurasuSums(prompt string) (rows, cols []int) {
	below := false
	for line := range strings.Lines(prompt) {
		switch {
		case strings.Count(line, "|") == 2:
			n, _ := strconv.Atoi(strings.TrimSpace(line[strings.LastIndex(line, "|")+1:]))
			rows = append(rows, n)
		case strings.HasPrefix(line, "  +--"):
			below = len(rows) > 0
		case below && cols == nil:
			for _, field := range strings.Fields(line) {
				n, _ := strconv.Atoi(field)
				cols = append(cols, n)
			}
		}
	}
	return rows, cols
}

// countMarkings chooses the marks of the columns, the last column first, and prunes choices
// that no earlier column can mend. It counts to 2.
func countMarkings(rowSums, colSums []int) (n int) {
	if len(colSums) == 0 {
		return 1
	}
	weight := len(colSums)
	for set := range 1 << len(rowSums) {
		sum, fits := 0, true
		left := slices.Clone(rowSums)
		for i := range left {
			if set>>i&1 == 1 {
				sum += i + 1
				left[i] -= weight
			}
			fits = fits && left[i] >= 0 && left[i] <= weight*(weight-1)/2
		}
		if fits && sum == colSums[weight-1] {
			n += countMarkings(left, colSums[:weight-1])
		}
		if n > 1 {
			break
		}
	}
	return n
}

func TestKakurasuKeys(t *testing.T) {
	tasktest.Variant(t, kakurasu.Task(), "rows as columns", func(k *kakurasuItem, _ *rng.Rand) func(string) string {
		k.NRows, k.NCols, k.RowSums, k.ColSums = k.NCols, k.NRows, k.ColSums, k.RowSums
		k.Puzzle, k.Solution = canon.Seen(k.Puzzle, 4), canon.Seen(k.Solution, 4)
		return func(string) string { return grid.Ints(k.Solution) }
	})
	tasktest.Variant(t, kakurasu.Task(), "the other cells are marked", func(k *kakurasuItem, _ *rng.Rand) func(string) string {
		marked := grid.Build(k.NRows, k.NCols, func(i, j int) int { return 1 - k.Solution[i][j] })
		k.Solution, k.RowSums, k.ColSums = marked, make([]int, k.NRows), make([]int, k.NCols)
		for i, row := range marked {
			for j, mark := range row {
				k.RowSums[i] += mark * (j + 1)
				k.ColSums[j] += mark * (i + 1)
			}
		}
		return func(string) string { return grid.Ints(marked) }
	})
	tasktest.Same(t, kakurasu.Task(), "the solution follows from the sums", func(k *kakurasuItem) { k.POnes = 0; k.Puzzle = nil })
}
