package list

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

// A Specimen is a problem of a task, with graded answers.
type Specimen struct {
	Problem  quintain.Problem
	Solution string
	Judged   []Judged // the solution first, then near misses
}

// A Judged is an answer with its verdict.
type Judged struct {
	task.Near
	quintain.Verdict
}

// NewSpecimen makes problem d of t, solves it, and grades the solution and near misses.
func NewSpecimen(t quintain.Task, d quintain.Draw) (s Specimen, err error) {
	if s.Problem, err = t.Problem(d); err != nil {
		return s, err
	}
	if s.Solution, err = t.Solve(s.Problem); err != nil {
		return s, err
	}
	d.Index++
	next, err := t.Problem(d)
	if err != nil {
		return s, err
	}
	other, err := t.Solve(next)
	if err != nil {
		return s, err
	}
	for _, near := range append([]task.Near{{Kind: "the solution", Answer: s.Solution}}, task.Nears(s.Solution, other)...) {
		v, err := t.Grade(s.Problem, near.Answer)
		if err != nil {
			return s, err
		}
		s.Judged = append(s.Judged, Judged{near, v})
	}
	return s, nil
}
