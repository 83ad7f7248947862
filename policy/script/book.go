package script

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
)

// A Book solves the problems of its scenarios: it makes the problem of a request's Key
// again, and solves it. Many goroutines may use it at once.
type Book []quintain.Scenario

// Answer returns the solution of the problem that r.Key names. It serves as the Answer of a
// [Solver].
func (b Book) Answer(r quintain.Request) (string, error) {
	id := r.Key
	if at := strings.IndexAny(id, "#~"); at >= 0 {
		id = id[:at]
	}
	scenario, task, d, err := quintain.ParseID(id)
	if err != nil {
		return "", err
	}
	for _, s := range b {
		if s.Info().ID() != scenario || s.TaskInfo().Name != task {
			continue
		}
		solver, can := s.(quintain.Solver)
		if !can {
			return "", fmt.Errorf("scenario %s does not solve its problems", s.Info().Name)
		}
		// A task with its own parameters has only level 0, but its IDs name another.
		for _, level := range []int{max(0, d.Level), 0} {
			p, err := s.Problem(quintain.Draw{Seed: d.Seed, Level: level, Index: d.Index})
			if err != nil || p.ID() != id {
				continue
			}
			return solver.Solve(p)
		}
	}
	return "", fmt.Errorf("no scenario of the book makes problem %s", id)
}
