package grader

import (
	"context"
	"errors"
	"strings"

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
		if reply.Text = answer; how.Info().Name == "reasoning_gym" {
			reply.Text = Tagged(answer)
		}
	}
	return env.Step(ctx, reply)
}

// Tagged puts an answer between the tags that scenarios look for, unless it has them.
func Tagged(answer string) string {
	if strings.Contains(strings.ToLower(answer), "<answer>") {
		return answer
	}
	return "<answer>" + answer + "</answer>"
}
