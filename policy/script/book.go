package script

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
)

// A Book knows the solutions of the problems of its scenarios: it makes the problem
// that a request's Key names once more, and solves it. Many goroutines may use it.
type Book []quintain.Scenario

// Answer returns the solution of the problem that r is about: a [Solver] asks it.
func (b Book) Answer(r quintain.Request) (string, error) {
	id, _, _ := strings.Cut(r.Key, "#")
	scenario, task, d, err := quintain.ParseID(id)
	if err != nil {
		return "", err
	}
	for _, s := range b {
		solver, can := s.(quintain.Solver)
		if !can || s.Info().ID() != scenario || s.TaskInfo().Name != task {
			continue
		}
		// Tasks with parameters of their own have one level, and another name for it.
		for _, level := range []int{max(0, d.Level), 0} {
			p, err := s.Problem(quintain.Draw{Seed: d.Seed, Level: level, Index: d.Index})
			if err == nil && p.ID() == id {
				return solver.Solve(p)
			}
		}
	}
	return "", fmt.Errorf("no scenario here makes problem %s", id)
}
