package mathematics

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestRotateMatrixScore(t *testing.T) {
	item := rotateMatrixItem{Matrix: tasktest.Matrix("1 2\n3 4"), NumRotations: 5, Solution: tasktest.Matrix("3 1\n4 2"), N: 2}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, rotateMatrix.Scorer(item), []tasktest.Near{
		{"3 1\n4 2", 1, ""},
		{"3 1\n4 2\n", 7. / 8, "reasoning-gym pays for a text that contains the answer"},
		{"Turned:\n3 1\n4 2", 0, ""},
		{"2 4\n1 3", 0, "to the left"},
		{"4 3\n2 1", 0, "too far"},
		{"1 2\n3 4", 0, "the question itself"},
		{"3  1\n4  2", 0, "two spaces"},
		{"[[3, 1], [4, 2]]", 0, "a list"},
		{"3 1\n4 3", 0, "one number is wrong"},
	})
	for _, bad := range []rotateMatrixItem{
		{},
		{Matrix: tasktest.Matrix("1 2"), NumRotations: 1, Solution: tasktest.Matrix("2\n1")},
		{Matrix: tasktest.Matrix("1"), NumRotations: -1, Solution: tasktest.Matrix("1")},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestRotateMatrixParams(t *testing.T) {
	tasktest.Refused(t, rotateMatrix.Task(), map[string]string{
		`{"min_n":1}`:                             "min_n",
		`{"max_n":201}`:                           "max_n",
		`{"min_rotations":-1}`:                    "min_rotations",
		`{"min_rotations":11}`:                    "max_rotations",
		`{"max_rotations":1000001}`:               "max_rotations",
		`{"min_rotations":8,"max_rotations":8}`:   "max_rotations",
		`{"min_rotations":0,"max_rotations":0}`:   "max_rotations",
		`{"max_rotations":-4,"min_rotations":-4}`: "min_rotations",
	})
}

var degreesRE = regexp.MustCompile(`(\d+) degrees`)

// The second solver reads the prompt and moves each cell around the middle.
func TestRotateMatrixSecond(t *testing.T) {
	turns := map[int]int{}
	check := func(item rotateMatrixItem, prompt, got string) error {
		m, answer := tasktest.Matrix(prompt), tasktest.Matrix(got)
		degrees, _ := strconv.Atoi(degreesRE.FindStringSubmatch(prompt)[1])
		changed := false
		for i, row := range m {
			for j, n := range row {
				x, y := 2*j-len(m)+1, 2*i-len(m)+1 // from the middle, doubled
				for range degrees / 90 {
					x, y = -y, x
				}
				k, l := (y+len(m)-1)/2, (x+len(m)-1)/2
				if answer[k][l] != n {
					return fmt.Errorf("cell %d, %d: %d, want %d", k, l, answer[k][l], n)
				}
				changed = changed || m[k][l] != n
			}
		}
		if !changed || degrees%90 != 0 || len(m) != item.N {
			return fmt.Errorf("%d degrees, %d rows, changed: %v", degrees, len(m), changed)
		}
		turns[degrees/90%4]++
		return nil
	}
	tasktest.Every(t, tasktest.With(t, rotateMatrix.Task(), `{}`), tasktest.Count(600, 100), check)
	for rest, n := range turns {
		if rest == 0 || tasktest.Heavy && (n < 150 || n > 250) {
			t.Errorf("%d of 600 matrices are turned by %d right angles, want a third", n, rest)
		}
	}
	tasktest.Every(t, rotateMatrix.Task(), tasktest.Count(1200, 150), check)
	for _, params := range []string{`{"min_rotations":1,"max_rotations":1}`, `{"min_rotations":7,"max_rotations":8}`, `{"min_n":2,"max_n":2}`} {
		tasktest.Every(t, tasktest.With(t, rotateMatrix.Task(), params), tasktest.Count(300, 50), check)
	}
}

func TestRotateMatrixKeys(t *testing.T) {
	tasktest.Variant(t, rotateMatrix.Task(), "the matrix lies otherwise", func(m *rotateMatrixItem, r *rng.Rand) func(string) string {
		turns := r.Between(1, 3)
		m.Matrix, m.Solution = m.Matrix.Turned(turns), m.Solution.Turned(turns)
		if m.NumRotations%2 == 0 {
			m.Matrix, m.Solution = canon.Seen(m.Matrix, 1), canon.Seen(m.Solution, 1)
		}
		return func(string) string { return m.Solve() }
	})
	tasktest.Other(t, rotateMatrix.Task(), "a whole turn more has the same result, and is another question", func(m *rotateMatrixItem) { m.NumRotations += 4 })
}
