package grader

import (
	"context"
	"errors"

	"github.com/quintain-rl/quintain"
)

// Task has the scenario of a problem judge one reply, or the agent's own answer instead; empty: it
// gave none.
func Task(ctx context.Context, how quintain.Scenario, p quintain.Problem, reply quintain.Reply, answer string) (none quintain.Step, err error) {
	if how == nil {
		return none, errors.New("nothing can judge it")
	}
	env, err := how.Env(p)
	if err != nil {
		return none, err
	}
	defer func() { _ = env.Close() }()
	if _, err := env.Open(ctx); err != nil {
		return none, err
	}
	if answer != "" {
		reply.Text = how.Info().Reply(answer)
	}
	return env.Step(ctx, reply)
}
