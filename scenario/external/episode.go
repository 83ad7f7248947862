package external

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
)

// env returns a new episode of a problem of t, or of the program's own if t is nil.
func (p *Program) env(t quintain.Task, problem quintain.Problem) (quintain.Env, error) {
	return &episode{program: p, task: t, problem: problem}, nil
}

// An episode is played by the program.
type episode struct {
	program *Program
	task    quintain.Task // nil: the problem is the program's own
	problem quintain.Problem
	slot    *slot // nil: not opened
	link    link  // nil: the program does not have the episode, or need not hear of its end
	id      uint64
	tools   []quintain.Tool
	turns   int     // replies so far
	sum     float64 // of their rewards
}

// ask asks the program. If ctx ends, so does the run: the program works on, and does not
// hear that the episode is given up.
func (e *episode) ask(ctx context.Context, r *Request) (*Answer, error) {
	r.ID = e.id
	a, err := e.link.ask(ctx, r)
	if ctx.Err() != nil {
		e.link = nil
	}
	return a, err
}

// Open implements [quintain.Env]. A program that ends or does not answer is no fault of the
// problem: the error is [quintain.ErrLost].
func (e *episode) Open(ctx context.Context) (_ []quintain.Message, err error) {
	if e.slot, err = e.program.take(); err != nil {
		return nil, err
	}
	if e.link, err = e.program.reach(ctx, e.slot); err != nil {
		return nil, err
	}
	e.id = e.program.number()
	a, err := e.ask(ctx, &Request{Open: e.program.asked(e.problem)})
	if err != nil {
		return nil, lost(err)
	}
	if err := a.wait(ctx); err != nil {
		return nil, err
	}
	e.tools = a.tools()
	talk, err := a.opening()
	return talk, e.program.blame(err)
}

// Tools implements [quintain.Tooled].
func (e *episode) Tools() []quintain.Tool { return e.tools }

// Step implements [quintain.Env]. A program that ends or does not answer while it has the
// reply is a failure of the environment, because the reply may be the cause. If it ended
// before, the error is [quintain.ErrLost].
func (e *episode) Step(ctx context.Context, r quintain.Reply) (quintain.Step, error) {
	a, err := e.ask(ctx, &Request{Step: &Reply{r.Text, r.ToolCalls, r.CallFault, r.Finish}})
	if err != nil {
		return quintain.Step{}, err
	}
	if err := a.wait(ctx); err != nil {
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
	most, limit := e.program.turns()
	switch {
	case s.End != quintain.Going:
		e.link = nil
	case e.turns == most:
		s.Observe, s.End, s.Why = nil, quintain.Truncated, "the episode has reached its limit of replies, "+limit
	}
	e.sum += s.Reward
	return s, e.program.blame(e.program.hello.total(e.sum, &s))
}

// turns returns the most replies of an episode, and whose limit it is. That of the program takes the place
// of the default.
func (p *Program) turns() (most int, limit string) {
	if own := p.hello.MaxTurns; own > 0 && p.how.MaxTurns == Default().MaxTurns {
		return own, "its own"
	}
	return p.how.MaxTurns, "environment.max_turns"
}

// total looks at the sum of an episode's rewards. At the end it tells whether the episode is right, if the
// program said from which sum on it is, and refuses a sum that the program said there is none of.
func (h *Hello) total(sum float64, s *quintain.Step) error {
	if s.End == quintain.Going {
		return nil
	}
	const slack = 1e-9 // of a sum of decimal fractions
	if of := h.RewardRange; of != nil && (sum < of[0]-slack || sum > of[1]+slack) {
		return fmt.Errorf("the sum of its rewards is %v, and its hello promised %v to %v", sum, of[0], of[1])
	}
	if h.RightAt != nil {
		s.Right = sum >= *h.RightAt-slack
	}
	return nil
}

// wait waits before an episode is played again, as long as the program asks for.
func (a *Answer) wait(ctx context.Context) error {
	if a.Error == "" || !a.Again || a.After == 0 {
		return nil
	}
	if !(a.After > 0 && a.After <= mostAfter) {
		return fmt.Errorf("after is %v, want 0 to %d seconds", a.After, mostAfter)
	}
	if !pause.For(ctx, time.Duration(a.After*float64(time.Second))) {
		return context.Cause(ctx)
	}
	return nil
}

// Close implements [quintain.Env]. It tells the program, unless that ended the episode
// itself. A failure to tell is ignored.
func (e *episode) Close() error {
	if e.slot == nil {
		return nil
	}
	e.program.leave(e.slot)
	if e.link != nil {
		e.program.closing.Go(func() { _, _ = e.ask(e.program.ctx, &Request{Close: &struct{}{}}) })
	}
	return nil
}

// solve asks the program for the solution of one of its own problems. A hanging program
// does not hold up the end of the run.
func (p *Program) solve(problem quintain.Problem) (string, error) {
	ctx, cancel := lateness(p.work)
	defer cancel()
	l, err := p.reach(ctx, p.slots[0])
	if err != nil {
		return "", err
	}
	a, err := l.ask(ctx, &Request{ID: p.number(), Solve: p.asked(problem)})
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

// blame attributes err to the program; nil remains nil.
func (p *Program) blame(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("scenario %s: %w", p.name(), err)
}

// lost marks a fault as independent of the policy's reply.
func lost(fault error) error {
	if errors.Is(fault, quintain.ErrLost) {
		return fault
	}
	return lostError{fault}
}

// A lostError is a [quintain.ErrLost] with its cause.
type lostError struct{ fault error }

// Error includes the fault.
func (e lostError) Error() string { return quintain.ErrLost.Error() + ": " + e.fault.Error() }

// Unwrap returns both.
func (e lostError) Unwrap() []error { return []error{quintain.ErrLost, e.fault} }
