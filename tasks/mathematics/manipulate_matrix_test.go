package mathematics

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestManipulateMatrixScore(t *testing.T) {
	item := manipulateMatrixItem{
		Matrix: tasktest.Matrix("1 2\n3 4"), Operations: []matrixOperation{{Transform: "rotate", Degrees: "90"}}, Solution: tasktest.Matrix("3 1\n4 2"),
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"3 1\n4 2", 1, ""},
		{" 3  1 \n4\t2\n\n", 1, "space is free within a line"},
		{"3 1\n4 2 .", 7. / 9, "reasoning-gym pays for a text that contains the answer"},
		{"The matrix is\n3 1\n4  2", 7. / 21, ""},
		{"3 1\n\n4 2", 0, "an empty line between"},
		{"3 1 4 2", 0, "one line"},
		{"1 2\n3 4", 0, "the question itself"},
		{"2 4\n1 3", 0, "the other way round"},
		{"[[3, 1], [4, 2]]", 0, "a list"},
		{" \n ", 0, "space"},
	})
}

func TestMatrixOperations(t *testing.T) {
	five, zero := 5, 0
	m := tasktest.Matrix("1 2 3\n4 5 6")
	for _, test := range []struct {
		op   matrixOperation
		want string
	}{
		{matrixOperation{Transform: "rotate", Degrees: "360"}, "1 2 3\n4 5 6"},
		{matrixOperation{Transform: "rotate", Degrees: "270"}, "3 6\n2 5\n1 4"},
		{matrixOperation{Transform: "hmirror"}, "4 5 6\n1 2 3"},
		{matrixOperation{Transform: "vmirror"}, "3 2 1\n6 5 4"},
		{matrixOperation{Transform: "dmirror"}, "1 4\n2 5\n3 6"},
		{matrixOperation{Transform: "cmirror"}, "6 3\n5 2\n4 1"},
		{matrixOperation{Transform: "map", From: &five, To: &zero}, "1 2 3\n4 0 6"},
		{matrixOperation{Transform: "crop", RowStart: 2, RowEnd: 2, ColStart: 2, ColEnd: 3}, "5 6"},
		{matrixOperation{Transform: "remove_every_nth_row", N: 2}, "1 2 3"},
		{matrixOperation{Transform: "remove_every_nth_row", N: 3}, "1 2 3\n4 5 6"},
		{matrixOperation{Transform: "remove_every_nth_col", N: 2}, "1 3\n4 6"},
		{matrixOperation{Transform: "zero_divisible", K: 3}, "1 2 0\n4 5 0"},
	} {
		if err := test.op.check(m); err != nil {
			t.Errorf("%s: %v", test.op.Transform, err)
		}
		if got := grid.Ints(test.op.apply(m)); got != test.want {
			t.Errorf("%s: %q, want %q", test.op.Transform, got, test.want)
		}
	}
}

func TestManipulateMatrixRecords(t *testing.T) {
	for _, bad := range []string{
		`{"matrix":[[1]],"solution":[[1]],"operations":[{"transform":"spin"}]}`,
		`{"matrix":[[1]],"solution":[[1]],"operations":[{"transform":"rotate","degrees":"45"}]}`,
		`{"matrix":[[1]],"solution":[[1]],"operations":[{"transform":"map","from":1}]}`,
		`{"matrix":[[1]],"solution":[[1]],"operations":[{"transform":"crop","row_start":1,"row_end":2,"col_start":1,"col_end":1}]}`,
		`{"matrix":[[1]],"solution":[[1]],"operations":[{"transform":"remove_every_nth_row","n":1}]}`,
		`{"matrix":[[1]],"solution":[[1]],"operations":[{"transform":"zero_divisible"}]}`,
		`{"matrix":[[1]],"solution":[[2]],"operations":[]}`,
		`{"matrix":[],"solution":[],"operations":[]}`,
		`{"matrix":[[1]],"solution":[[1]],"operations":[],"phrasing":99}`,
	} {
		if _, err := manipulateMatrix.Task().Grade(quintain.Problem{Task: "manipulate_matrix", Instance: quintain.RawRecord([]byte(bad))}, "1"); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func TestManipulateMatrixParams(t *testing.T) {
	tasktest.Refused(t, manipulateMatrix.Task(), map[string]string{
		`{"min_rows":1}`:         "min_rows",
		`{"max_cols":201}`:       "max_cols",
		`{"min_transforms":0}`:   "min_transforms",
		`{"min_transforms":11}`:  "max_transforms",
		`{"max_transforms":101}`: "max_transforms",
		`{"w_map":-1}`:           "w_",
		`{"w_rotate":0,"w_hmirror":0,"w_vmirror":0,"w_dmirror":0,"w_cmirror":0,"w_map":0,"w_crop":0,"w_remove_every_nth_row":0,"w_remove_every_nth_col":0,"w_zero_divisible":0}`: "w_",
	})
}

// Weights choose the operations, and 0 means never.
func TestMatrixWeights(t *testing.T) {
	seen := map[string]int{}
	own := tasktest.With(t, manipulateMatrix.Task(), `{"w_rotate":0,"w_map":3,"w_crop":0}`)
	tasktest.Every(t, own, 500, func(item manipulateMatrixItem, _, _ string) error {
		for _, op := range item.Operations {
			seen[op.Transform]++
		}
		return nil
	})
	if len(seen) != 8 || seen["rotate"]+seen["crop"] > 0 || seen["map"] < 2*seen["hmirror"] {
		t.Errorf("operations by name: %v", seen)
	}
}

var stepRE = regexp.MustCompile(`^- (Rotate|Mirror|Replace|Keep|Remove)(.*)\.$`)

// The second solver follows the sentences of the prompt on a list of rows, and transposes
// it to work on columns.
func TestManipulateMatrixSecond(t *testing.T) {
	tasktest.Second(t, manipulateMatrix.Task(), 1500, func(item manipulateMatrixItem, prompt, got string) error {
		start, steps, _ := strings.Cut(prompt[strings.Index(prompt, "\n\n")+2:], "\n\n")
		m, n := tasktest.Matrix(start), 0
		for step := range strings.SplitSeq(steps, "\n") {
			if words := stepRE.FindStringSubmatch(step); words != nil {
				m = follow(m, words[1], words[2])
				n++
			}
		}
		if grid.Ints(m) != got || n != item.NumTransforms || got == start {
			return fmt.Errorf("after %d steps: %q, want %q", n, got, grid.Ints(m))
		}
		return nil
	})
}

// onItsSide transposes m.
func onItsSide(m matrix) (out matrix) {
	for j := range m[0] {
		var col []int
		for _, row := range m {
			col = append(col, row[j])
		}
		out = append(out, col)
	}
	return out
}

func follow(m matrix, verb, rest string) matrix {
	var n []int
	for _, digits := range regexp.MustCompile(`\d+`).FindAllString(rest, -1) {
		v, _ := strconv.Atoi(digits)
		n = append(n, v)
	}
	upsideDown := func(m matrix) matrix {
		m = slices.Clone(m)
		slices.Reverse(m)
		return m
	}
	switch {
	case verb == "Rotate":
		for range n[0] / 90 {
			m = onItsSide(upsideDown(m))
		}
	case strings.Contains(rest, "top to bottom"):
		m = upsideDown(m)
	case strings.Contains(rest, "left to right"):
		m = onItsSide(upsideDown(onItsSide(m)))
	case strings.Contains(rest, "main diagonal"):
		m = onItsSide(m)
	case strings.Contains(rest, "other diagonal"):
		m = upsideDown(onItsSide(upsideDown(m)))
	case verb == "Keep":
		m = onItsSide(onItsSide(m[n[0]-1 : n[1]])[n[2]-1 : n[3]])
	case verb == "Remove" && strings.Contains(rest, "row"):
		m = without(m, n[0])
	case verb == "Remove":
		m = onItsSide(without(onItsSide(m), n[0]))
	case strings.Contains(rest, "divisible"):
		m = replace(m, func(v int) bool { return v/n[0]*n[0] == v }, n[1])
	default:
		m = replace(m, func(v int) bool { return v == n[0] }, n[1])
	}
	return m
}

func without(m matrix, every int) (out matrix) {
	for i, row := range m {
		if (i+1)%every > 0 {
			out = append(out, row)
		}
	}
	return out
}

func replace(m matrix, those func(int) bool, by int) (out matrix) {
	for _, row := range m {
		row = slices.Clone(row)
		for j, v := range row {
			if those(v) {
				row[j] = by
			}
		}
		out = append(out, row)
	}
	return out
}

func TestManipulateMatrixKeys(t *testing.T) {
	tasktest.Variant(t, manipulateMatrix.Task(), "rows as columns", func(m *manipulateMatrixItem, _ *rng.Rand) func(string) string {
		m.Matrix, m.Solution = canon.Seen(m.Matrix, 4), canon.Seen(m.Solution, 4)
		for i, op := range m.Operations {
			m.Operations[i] = op.transposed()
		}
		return func(string) string { return m.Solve() }
	})
	tasktest.Variant(t, manipulateMatrix.Task(), "from another side", func(m *manipulateMatrixItem, r *rng.Rand) func(string) string {
		side := r.Between(1, 7)
		if slices.ContainsFunc(m.Operations, matrixOperation.counts) {
			return nil
		}
		m.Matrix, m.Solution = canon.Seen(m.Matrix, side), canon.Seen(m.Solution, side)
		for i, op := range m.Operations {
			m.Operations[i] = op.seen(side)
		}
		return func(string) string { return m.Solve() }
	})
	tasktest.Other(t, manipulateMatrix.Task(), "turned once more", func(m *manipulateMatrixItem) {
		m.Operations = append(m.Operations, matrixOperation{Transform: "rotate", Degrees: "90"})
		m.Solution = m.Solution.Turned(1)
	})
	tasktest.Same(t, manipulateMatrix.Task(), "how an operation is worded is free", func(m *manipulateMatrixItem) {
		for i := range m.Operations {
			m.Operations[i].Instruction += " Do it well."
		}
	})
}
