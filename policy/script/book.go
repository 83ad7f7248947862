package script

import (
	"context"
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
	s, p, err := b.find(r)
	if err != nil {
		return "", err
	}
	solver, can := s.(quintain.Solver)
	if !can {
		return "", fmt.Errorf("scenario %s does not solve its problems", s.Info().Name)
	}
	return solver.Solve(p)
}

// Advice returns what the environment of the problem that r.Key names advises after the replies in
// r, or nil if it advises nothing. It serves as the Advice of a [Solver].
func (b Book) Advice(ctx context.Context, r quintain.Request) (*quintain.Advice, error) {
	s, p, err := b.find(r)
	if err != nil {
		return nil, err
	}
	e, err := s.Env(p)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	advised, can := e.(quintain.Advised)
	if !can {
		return nil, nil
	}
	if _, err := e.Open(ctx); err != nil {
		return nil, err
	}
	for _, m := range r.Messages {
		if m.Role != quintain.RoleAssistant {
			continue
		}
		if _, err := e.Step(ctx, quintain.Reply{Text: m.Content, ToolCalls: m.ToolCalls, Finish: quintain.Stop}); err != nil {
			return nil, err
		}
	}
	advice := advised.Advice()
	return &advice, nil
}

// find returns the scenario and the problem that r.Key names.
func (b Book) find(r quintain.Request) (quintain.Scenario, quintain.Problem, error) {
	id := r.Key
	if at := strings.IndexAny(id, "#~"); at >= 0 {
		id = id[:at]
	}
	scenario, task, d, err := quintain.ParseID(id)
	if err != nil {
		return nil, quintain.Problem{}, err
	}
	for _, s := range b {
		if s.Info().ID() != scenario || s.TaskInfo().Name != task {
			continue
		}
		// A task with its own parameters has only level 0, but its IDs name another.
		for _, level := range []int{max(0, d.Level), 0} {
			p, err := s.Problem(quintain.Draw{Seed: d.Seed, Level: level, Index: d.Index})
			if err == nil && p.ID() == id {
				return s, p, nil
			}
		}
	}
	return nil, quintain.Problem{}, fmt.Errorf("no scenario of the book makes problem %s", id)
}
