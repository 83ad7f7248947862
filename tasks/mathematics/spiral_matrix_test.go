package mathematics

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSpiralMatrixScore(t *testing.T) {
	item := spiralMatrixItem{Matrix: tasktest.Matrix("1 2\n3 4"), Solution: []int{1, 2, 4, 3}, N: 2}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 2 4 3", 1, ""},
		{" 1 2 4 3\n", 1, "space around it"},
		{"[1, 2, 4, 3]", 0, "a list, which Score gets as the plain text"},
		{"['1', '2', '4', '3']", 0, ""},
		{"(1,2,4,3)", 0, ""},
		{"[[1, 2], [4, 3]]", 0, "lists in the list"},
		{"[1, 2, 4, 3.0]", 0, "not the same text"},
		{"[1, 2, 4, 1+2]", 0, "nothing is worked out"},
		{"1  2 4 3", 0, "two spaces, as in reasoning-gym"},
		{"1 2 4", 0, "one is missing"},
		{"1 2 3 4", 0, "row by row"},
		{"1 2\n3 4", 0, "the question itself"},
		{"1 3 4 2", 0, "counterclockwise"},
		{"1 2 4 3.", 0, "a full stop"},
	})
	for _, bad := range []spiralMatrixItem{
		{},
		{Matrix: tasktest.Matrix("1 2\n3 4"), Solution: []int{1, 2, 3, 4}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestSpiral(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1", "1 2 3": "1 2 3", "1\n2\n3": "1 2 3", "1 2\n3 4\n5 6": "1 2 4 6 5 3", "1 2 3\n4 5 6": "1 2 3 6 5 4", "1 2 3\n4 5 6\n7 8 9": "1 2 3 6 9 8 7 4 5",
	} {
		if got := grid.Ints(matrix{spiral(tasktest.Matrix(text))}); got != want {
			t.Errorf("spiral of %q: %s, want %s", text, got, want)
		}
	}
}

func TestSpiralMatrixParams(t *testing.T) {
	tasktest.Refused(t, spiralMatrix.Task(), map[string]string{`{"min_n":1}`: "min_n", `{"min_n":11}`: "max_n", `{"max_n":201}`: "max_n"})
}

// The second solver takes the first row off the matrix of the prompt and turns the rest to
// the left, until nothing is left.
func TestSpiralMatrixSecond(t *testing.T) {
	check := func(_ spiralMatrixItem, prompt, got string) error {
		m := tasktest.Matrix(prompt)
		rows := strings.ReplaceAll(grid.Ints(m), "\n", " ")
		var want []string
		for len(m) > 0 {
			for _, n := range m[0] {
				want = append(want, strconv.Itoa(n))
			}
			if m = m[1:]; len(m) > 0 {
				m = m.Turned(3)
			}
		}
		if got != strings.Join(want, " ") || got == rows {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	}
	tasktest.Second(t, spiralMatrix.Task(), 1200, check)
	tasktest.Second(t, tasktest.With(t, spiralMatrix.Task(), `{"min_n":2,"max_n":2}`), 300, check)
}

func TestSpiralMatrixVariants(t *testing.T) {
	tasktest.NoVariants(t, spiralMatrix.Task(), "turned, mirrored or transposed, the matrix has another spiral from its upper left corner; its numbers are not names but what is copied")
}
