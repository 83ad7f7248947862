package script

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
)

// A Book solves the problems of its scenarios: it makes the problem of a request's Key
// again, and solves it. It keeps the last problems that it made, and plays the last episodes that it advised
// beside the policy's own. Many goroutines may use it at once.
type Book struct {
	scenarios      map[names][]quintain.Scenario
	plans, advises bool            // a scenario does; if none does, no problem need be made to ask
	problems       recall[made]    // by ID, with the seat
	episodes       recall[episode] // by the key of the request
}

// The names of a scenario and its task, as they stand in the IDs of its problems.
type names struct{ scenario, task string }

// A made is a problem of a scenario.
type made struct {
	scenario quintain.Scenario
	problem  quintain.Problem
}

// NewBook returns the book of scenarios.
func NewBook(scenarios ...quintain.Scenario) *Book {
	b := &Book{scenarios: make(map[names][]quintain.Scenario, len(scenarios))}
	for _, s := range scenarios {
		of := names{s.Info().ID(), s.TaskInfo().Name}
		b.scenarios[of] = append(b.scenarios[of], s)
		_, plans := s.(quintain.Planner)
		_, advises := s.(quintain.Adviser)
		b.plans, b.advises = b.plans || plans, b.advises || advises
	}
	return b
}

// Answer returns the solution of the problem that r.Key names. It serves as the Answer of a
// [Solver].
func (b *Book) Answer(r quintain.Request) (string, error) {
	of, err := b.find(r)
	if err != nil {
		return "", err
	}
	solver, can := of.scenario.(quintain.Solver)
	if !can {
		return "", fmt.Errorf("scenario %s does not solve its problems", of.scenario.Info().Name)
	}
	return solver.Solve(of.problem)
}

// Plan returns the calls of the scenario's plan for the problem that r.Key names; none if it has no
// plans. It serves as the Plan of a [Solver].
func (b *Book) Plan(r quintain.Request) ([]quintain.ToolCall, error) {
	if !b.plans {
		return nil, nil
	}
	of, err := b.find(r)
	if err != nil {
		return nil, err
	}
	if planner, can := of.scenario.(quintain.Planner); can {
		return planner.Plan(of.problem)
	}
	return nil, nil
}

// Advice returns what the scenario of the problem that r.Key names advises after the replies in r, or nil
// if it advises nothing. It serves as the Advice of a [Solver].
func (b *Book) Advice(ctx context.Context, r quintain.Request) (*quintain.Advice, error) {
	if !b.advises {
		return nil, nil
	}
	of, err := b.find(r)
	if err != nil {
		return nil, err
	}
	if seated, ok := of.scenario.(quintain.Seated); ok && of.problem.Seat != nil {
		advice, err := seated.AdviseAt(of.problem, *of.problem.Seat, r.Messages)
		return &advice, err
	}
	if _, can := of.scenario.(quintain.Adviser); !can {
		return nil, nil
	}
	var said []quintain.Reply
	for _, m := range r.Messages {
		if m.Role == quintain.RoleAssistant {
			said = append(said, quintain.Reply{Text: m.Content, ToolCalls: m.ToolCalls, Finish: quintain.Stop})
		}
	}
	return b.advise(ctx, r.Key, of, said)
}

// find returns the problem that r.Key names, with the seat that it names.
func (b *Book) find(r quintain.Request) (made, error) {
	id := r.Key
	if at := strings.IndexAny(id, "#~"); at >= 0 {
		id = id[:at]
	}
	of, has := b.problems.take(id)
	if !has {
		var err error
		if of, err = b.make(id); err != nil {
			return of, err
		}
	}
	b.problems.put(id, of)
	return of, nil
}

// make makes the problem of an ID, with the seat that it names.
func (b *Book) make(id string) (of made, err error) {
	id, seat, seated := strings.Cut(id, "@")
	scenario, task, d, err := quintain.ParseID(id)
	if err != nil {
		return of, err
	}
	for _, s := range b.scenarios[names{scenario, task}] {
		// A task with its own parameters has only level 0, but its IDs name another.
		for _, level := range []int{max(0, d.Level), 0} {
			p, err := s.Problem(quintain.Draw{Seed: d.Seed, Level: level, Index: d.Index})
			if err != nil || p.ID() != id {
				continue
			}
			if at, err := strconv.Atoi(seat); seated && err == nil {
				p = p.At(at)
			}
			return made{s, p}, nil
		}
	}
	return of, fmt.Errorf("no scenario of the book makes problem %s", id)
}
