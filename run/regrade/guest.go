package regrade

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/trace"
)

// Guest returns the grader that is the program at an address. It grades what it is told of an episode; one
// that cannot, but can play episodes again, gets their replies again. Closing the grader closes the
// program, and so does an error.
func Guest(a guest.Address, p *external.Program) (*Grader, error) {
	hello, info, by := p.Hello(), p.Info(), &program{Program: p, own: p.Own()}
	if !hello.Replayable || hello.Drives {
		by.own = nil
	}
	if !hello.Grades && by.own == nil {
		p.Close()
		return nil, a.In(errors.New("it neither grades what was played before (grades), nor plays the problems of its own again (replayable)"))
	}
	named := trace.Grader{Name: a.String(), Version: info.ID()}
	if hello.Source != nil && hello.Source.Version != "" {
		named.Version += ", " + hello.Source.Package + " " + hello.Source.Version
	}
	files := ""
	if a.Scheme == "command" {
		var err error
		if files, err = hashOf(a.Name); err != nil {
			p.Close()
			return nil, a.In(err)
		}
	}
	named.Hash = fmt.Sprintf("%.8x", sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", named.Name, named.Version, files)))
	return &Grader{Close: func() error { p.Close(); return nil }, named: constant(named), grade: by.grade}, nil
}

// A program is a grader.
type program struct {
	*external.Program
	own quintain.Scenario // plays the replies again; nil: it cannot
}

// grade has the program grade each episode of a group.
func (p *program) grade(ctx context.Context, job rollout.Job, played []quintain.Trajectory) ([]verdict, error) {
	list := make([]verdict, len(played))
	if err := p.Knows(&job.Problem); err != nil {
		for i := range list {
			list[i].err = err
		}
		return list, nil
	}
	solved := solution(job)
	for i := range played {
		list[i] = p.one(ctx, job.Problem, solved, &played[i])
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(list[i].err, quintain.ErrStop):
			return nil, list[i].err
		}
	}
	return list, nil
}

// one has the program grade an episode, or play it again.
func (p *program) one(ctx context.Context, of quintain.Problem, solved string, t *quintain.Trajectory) (v verdict) {
	v.err = external.ErrNeedsState
	if p.Hello().Grades {
		last := t.Last()
		end := &t.Turns[last]
		v.Step, v.err = p.Grade(ctx, external.Played{Problem: &of, Solution: solved, Messages: t.Talk(t.Path(last)), Answer: end.Answer, Metrics: t.Metrics(), Record: end.Record})
		v.metrics = v.Metrics
	}
	if p.own == nil || !errors.Is(v.err, external.ErrNeedsState) {
		return v
	}
	of.Scenario = p.own.Info().ID()
	v = playAgain(ctx, rollout.Job{Scenario: p.own, Problem: of}, t, t.Turns[0].Observed)
	v.metrics = v.Metrics
	return v
}
