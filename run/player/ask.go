package player

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
)

// One plays one problem of a stream, the one with an index, by the policies of an engine.
func One(ctx context.Context, by rollout.Engine, s rollout.Stream, index int) (played quintain.Trajectory, err error) {
	problem, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: index})
	if err != nil {
		return played, err
	}
	err = Beside(ctx, by.Policy, func(ctx context.Context) (err error) {
		played, err = rollout.Once(ctx, by, rollout.Job{Scenario: s.Scenario, Problem: problem})
		return err
	})
	return played, err
}

// Ask asks questions, one a line, and shows the reply to each. Empty lines are no questions.
func Ask(ctx context.Context, p quintain.Policy, how quintain.Sampling, questions io.Reader, show func(reply string)) error {
	return Beside(ctx, p, func(ctx context.Context) error {
		lines, asked := bufio.NewScanner(questions), false
		for n := 0; lines.Scan(); n++ {
			if strings.TrimSpace(lines.Text()) == "" {
				continue
			}
			samples, err := p.Sample(ctx, quintain.Request{
				Key: fmt.Sprint("ask ", n), N: 1, Sampling: how,
				Messages: []quintain.Message{{Role: quintain.RoleUser, Content: lines.Text()}},
			})
			if err != nil {
				return err
			}
			show(samples[0].Text)
			asked = true
		}
		if lines.Err() == nil && ctx.Err() == nil && !asked {
			return Invalid(errors.New("no question came: name a task, or a question in quotation marks, or write questions to the standard input"))
		}
		return errors.Join(lines.Err(), context.Cause(ctx))
	})
}
