package external

import (
	"context"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
)

// env returns a new episode of a problem of a task; nil: of the program's own.
func (p *Program) env(t quintain.Task, problem quintain.Problem) (quintain.Env, error) {
	return &episode{program: p, task: t, problem: problem}, nil
}

// An episode is one that the program plays.
type episode struct {
	program *Program
	task    quintain.Task // nil: the problem is the program's own
	problem quintain.Problem
	seat    *seat // nil: it has not been opened
	link    link  // nil: the program does not have it, or need not be told of its end
	id      uint64
	turns   int // replies so far
}

// ask asks the program. If ctx ends, the run does: the program is busy with the episode, and
// not told that it is given up.
func (e *episode) ask(ctx context.Context, r *request) (*answer, error) {
	r.ID = e.id
	a, err := e.link.ask(ctx, r)
	if ctx.Err() != nil {
		e.link = nil
	}
	return a, err
}

// Open implements [quintain.Env]. That the program ends, or does not answer, has nothing to do
// with the problem: the error is [quintain.ErrLost] then.
func (e *episode) Open(ctx context.Context) (_ []quintain.Message, err error) {
	if e.seat, err = e.program.take(); err != nil {
		return nil, err
	}
	if e.link, err = e.program.reach(ctx, e.seat); err != nil {
		return nil, err
	}
	e.id = e.program.number()
	a, err := e.ask(ctx, &request{Open: &e.problem})
	if err != nil {
		return nil, lost(err)
	}
	talk, err := a.opening()
	return talk, e.program.blame(err)
}

// Step implements [quintain.Env]. If the program ends, or does not answer, while it has the
// reply, that is a failure of the environment, since it may be because of the reply. If it
// ended before, the error is [quintain.ErrLost].
func (e *episode) Step(ctx context.Context, r quintain.Reply) (quintain.Step, error) {
	a, err := e.ask(ctx, &request{Step: &reply{r.Text, r.ToolCalls, r.Finish}})
	if err != nil {
		return quintain.Step{}, err
	}
	if err := a.judge(e.task, e.problem); err != nil {
		return quintain.Step{}, e.program.blame(err)
	}
	s, err := a.step()
	if err != nil {
		return s, e.program.blame(err)
	}
	e.turns++
	switch {
	case s.End != quintain.Going:
		e.link = nil
	case e.turns == e.program.how.MaxTurns:
		s.Observe, s.End, s.Why = nil, quintain.Truncated, "the episode has as many replies as it may: scenario.program.max_turns"
	}
	return s, nil
}

// Close implements [quintain.Env]. The program is told, unless it ended the episode itself;
// whether it hears of it changes nothing.
func (e *episode) Close() error {
	if e.seat == nil {
		return nil
	}
	e.program.leave(e.seat)
	if e.link != nil {
		e.program.farewells.Go(func() { _, _ = e.ask(e.program.ctx, &request{Close: &struct{}{}}) })
	}
	return nil
}

// solve asks the program for the solution of a problem of its own. A program that hangs does not
// hold up the end of the work.
func (p *Program) solve(problem quintain.Problem) (string, error) {
	ctx, cancel := lateness(p.work)
	defer cancel()
	l, err := p.reach(ctx, p.seats[0])
	if err != nil {
		return "", err
	}
	a, err := l.ask(ctx, &request{ID: p.number(), Solve: &problem})
	switch {
	case err != nil:
		return "", err
	case a.Error != "":
		return "", p.blame(errors.New(clip(a.Error)))
	case a.Solution == nil:
		return "", p.blame(errors.New("there is no solution"))
	}
	return *a.Solution, nil
}

// blame says that the program is at fault for err; nil remains nil.
func (p *Program) blame(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("scenario %s: %w", p.name(), err)
}

// lost says that a fault has nothing to do with the reply of a policy.
func lost(fault error) error {
	if errors.Is(fault, quintain.ErrLost) {
		return fault
	}
	return lostError{fault}
}

// A lostError is a [quintain.ErrLost] because of a fault.
type lostError struct{ fault error }

// Error tells of the fault.
func (e lostError) Error() string { return quintain.ErrLost.Error() + ": " + e.fault.Error() }

// Unwrap returns both.
func (e lostError) Unwrap() []error { return []error{quintain.ErrLost, e.fault} }
