package external

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
)

// A Played is an episode that was played before, as a program reads it that grades.
type Played struct {
	Problem  *quintain.Problem  `json:"problem"`
	Solution string             `json:"solution,omitempty"` // empty: unknown
	Messages []quintain.Message `json:"messages"`           // the whole conversation, the policy's last reply last
	Answer   string             `json:"answer,omitempty"`   // that was judged then; empty: none
	Metrics  map[string]float64 `json:"metrics,omitempty"`  // that the environment gave in the end
	Record   json.RawMessage    `json:"record,omitempty"`   // the environment's own; nil: there is none
}

// ErrNeedsState says that a program cannot grade an episode without its running environment.
var ErrNeedsState = errors.New("it needs the state of the episode (needs_state), which is over")

// Knows returns why a problem is not one that the program plays or grades; nil: it is one. A program that
// plays tasks may know any.
func (p *Program) Knows(problem *quintain.Problem) error {
	levels := p.hello.levels()
	if levels == nil {
		return nil
	}
	if problem.Task != p.hello.Name || problem.Level < 0 || problem.Level >= len(levels) || !bytes.Equal(problem.Params, levels[problem.Level]) {
		return fmt.Errorf("%s has no problem of task %s, level %d", p.name(), problem.Task, problem.Level)
	}
	return nil
}

// Grade has the program grade an episode that was played before. The step has no messages. The error is
// [ErrNeedsState] if the program says so, and [quintain.ErrStop] after too many restarts; after any error
// the episode has no reward.
func (p *Program) Grade(ctx context.Context, of Played) (quintain.Step, error) {
	if err := p.Knows(of.Problem); err != nil {
		return quintain.Step{}, err
	}
	of.Problem = p.asked(*of.Problem)
	s, err := p.take()
	if err != nil {
		return quintain.Step{}, err
	}
	defer p.leave(s)
	l, err := p.reach(ctx, s)
	if err != nil {
		return quintain.Step{}, err
	}
	a, err := l.ask(ctx, &Request{ID: p.number(), Grade: &of})
	if err != nil {
		return quintain.Step{}, err
	}
	if a.NeedsState && a.Error == "" {
		return quintain.Step{}, ErrNeedsState
	}
	a.End = quintain.Terminated
	v, err := a.step()
	if err == nil {
		err = p.hello.total(v.Reward, &v)
	}
	return v, p.blame(err)
}
