package mathematics

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestBinaryMatrixScore(t *testing.T) {
	item := binaryMatrixItem{Matrix: tasktest.Matrix("1 1\n0 1"), Solution: tasktest.Matrix("1 2\n0 1"), N: 2}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 2\n0 1", 1, ""},
		{"[[1, 2], [0, 1]]", 0, "a list, which Score gets as the plain text"},
		{`[["1", "2"], ["0", "1"]]`, 0, ""},
		{"(('1', '2'), ('0', '1'))", 0, ""},
		{"\n[[1,2],\n[0,1]]\n", 0, ""},
		{"[[1, 2], [0, 1.0]]", 0, "not the same text"},
		{"[[1, 2], [0, 2-1]]", 0, "nothing is worked out"},
		{"[1, 2, [0, 1]]", 0, ""},
		{"[[1, 2], [0, [1]]]", 0, ""},
		{"{'a': [1, 2], 'b': [0, 1]}", 0, "no list"},
		{"1 2\n0 1\n", 0, "a line too many, as in reasoning-gym"},
		{"1 2 0 1", 0, "one line"},
		{"1 1\n0 1", 0, "the question itself"},
		{"1 2\n1 1", 0, "one number is wrong"},
	})
	for _, bad := range []binaryMatrixItem{
		{},
		{Matrix: tasktest.Matrix("1 1\n1 1"), Solution: tasktest.Matrix("1 1\n1 1")},
		{Matrix: tasktest.Matrix("0 2"), Solution: tasktest.Matrix("0 1")},
		{Matrix: tasktest.Matrix("0 1"), Solution: tasktest.Matrix("0 2")},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The second solver measures each cell of the prompt against all zeros.
func TestBinaryMatrixSecond(t *testing.T) {
	check := func(item binaryMatrixItem, prompt, got string) error {
		m := tasktest.Matrix(prompt)
		answer := tasktest.Matrix(got)
		most := 0
		for i, row := range m {
			for j := range row {
				want := nearestZero(m, i, j)
				if answer[i][j] != want {
					return fmt.Errorf("cell %d, %d: %d, want %d", i, j, answer[i][j], want)
				}
				most = max(most, want)
			}
		}
		if len(m) != item.N || len(answer) != item.N || most < 2 {
			return fmt.Errorf("%d rows, %d asked, none farther than %d", len(answer), len(m), most)
		}
		return nil
	}
	tasktest.Second(t, binaryMatrix.Task(), 1200, check)
	for _, params := range []string{`{"min_n":2,"max_n":3,"p_zero":1}`, `{"min_n":2,"max_n":3,"p_zero":1e-9}`, `{"min_n":2,"max_n":5}`} {
		tasktest.Second(t, tasktest.With(t, binaryMatrix.Task(), params), 300, check)
	}
}

func nearestZero(m matrix, i, j int) int {
	best := len(m) + len(m[0])
	for k, row := range m {
		for l, n := range row {
			if n == 0 {
				best = min(best, max(k-i, i-k)+max(l-j, j-l))
			}
		}
	}
	return best
}

func TestBinaryMatrixKeys(t *testing.T) {
	tasktest.Variant(t, binaryMatrix.Task(), "from another side", func(b *binaryMatrixItem, r *rng.Rand) func(string) string {
		side := r.Between(1, canon.Sides-1)
		b.Matrix, b.Solution = canon.Seen(b.Matrix, side), canon.Seen(b.Solution, side)
		return func(string) string { return b.Solve() }
	})
	tasktest.Other(t, binaryMatrix.Task(), "another zero", func(b *binaryMatrixItem) {
		b.Matrix[0][0] = 0
		b.Solution = zeroDistances(b.Matrix)
	})
}
