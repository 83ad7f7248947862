package script

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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

// Plan returns the calls of the scenario's plan for the problem that r.Key names; none if it has no
// plans. It serves as the Plan of a [Solver].
func (b Book) Plan(r quintain.Request) ([]quintain.ToolCall, error) {
	if !has[quintain.Planner](b) {
		return nil, nil
	}
	s, p, err := b.find(r)
	if err != nil {
		return nil, err
	}
	if planner, can := s.(quintain.Planner); can {
		return planner.Plan(p)
	}
	return nil, nil
}

// Advice returns what the scenario of the problem that r.Key names advises after the replies in r, or nil
// if it advises nothing. It serves as the Advice of a [Solver].
func (b Book) Advice(ctx context.Context, r quintain.Request) (*quintain.Advice, error) {
	if !has[quintain.Adviser](b) {
		return nil, nil
	}
	s, p, err := b.find(r)
	if err != nil {
		return nil, err
	}
	if of, is := s.(quintain.Seated); is && p.Seat != nil {
		advice, err := of.AdviseAt(p, *p.Seat, r.Messages)
		return &advice, err
	}
	adviser, can := s.(quintain.Adviser)
	if !can {
		return nil, nil
	}
	var said []quintain.Reply
	for _, m := range r.Messages {
		if m.Role == quintain.RoleAssistant {
			said = append(said, quintain.Reply{Text: m.Content, ToolCalls: m.ToolCalls, Finish: quintain.Stop})
		}
	}
	advice, err := adviser.Advise(ctx, p, said)
	return &advice, err
}

// has reports whether a scenario of the book is a T. If none is, no problem need be made to ask.
func has[T any](b Book) bool {
	return slices.ContainsFunc(b, func(s quintain.Scenario) bool {
		_, is := s.(T)
		return is
	})
}

// find makes the problem that r.Key names, with the seat that it names.
func (b Book) find(r quintain.Request) (of quintain.Scenario, p quintain.Problem, err error) {
	id := r.Key
	if at := strings.IndexAny(id, "#~"); at >= 0 {
		id = id[:at]
	}
	id, seat, seated := strings.Cut(id, "@")
	scenario, task, d, err := quintain.ParseID(id)
	if err != nil {
		return nil, p, err
	}
	for _, s := range b {
		if s.Info().ID() != scenario || s.TaskInfo().Name != task {
			continue
		}
		// A task with its own parameters has only level 0, but its IDs name another.
		for _, level := range []int{max(0, d.Level), 0} {
			p, err := s.Problem(quintain.Draw{Seed: d.Seed, Level: level, Index: d.Index})
			if err != nil || p.ID() != id {
				continue
			}
			if at, err := strconv.Atoi(seat); seated && err == nil {
				p = p.At(at)
			}
			return s, p, nil
		}
	}
	return nil, p, fmt.Errorf("no scenario of the book makes problem %s", id)
}
