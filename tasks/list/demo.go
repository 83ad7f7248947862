package list

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/scenario"
)

// A Demo is an episode that demonstrates a scenario.
type Demo struct {
	Opening []quintain.Message // the first messages to the policy
	Tools   []quintain.Tool    // offered to it
	Turns   []DemoTurn
}

// A DemoTurn is a reply and the scenario's answer to it.
type DemoTurn struct {
	Kind  string // kind of reply: "wrong", "without an answer", "right"
	Reply string
	Step  quintain.Step
}

// Demonstrate plays problem d of t with a wrong reply, one without an answer, and a right
// one. If an episode ends early, the next reply begins another episode of the problem. An
// episode whose environment advises is played by a reply without an answer, and the first of the
// best ones.
func Demonstrate(ctx context.Context, spec scenario.Spec, t quintain.Task, d quintain.Draw) (demos []Demo, err error) {
	s, err := spec.Over(t, nil)
	if err != nil {
		return nil, err
	}
	p, err := s.Problem(d)
	if err != nil {
		return nil, err
	}
	if by, can := s.(adviser); can {
		demo, err := playAdvised(ctx, by, p)
		return []Demo{demo}, err
	}
	right, err := t.Solve(p)
	if err != nil {
		return nil, err
	}
	wrong, err := wrongAnswer(ctx, s, t, p, d)
	if err != nil {
		return nil, err
	}
	replies := []DemoTurn{
		{Kind: "wrong", Reply: "<answer>" + wrong + "</answer>"},
		{Kind: "without an answer", Reply: "I do not know."},
		{Kind: "right", Reply: "<answer>" + right + "</answer>"},
	}
	for len(replies) > 0 {
		demo, err := play(ctx, s, p, replies)
		if err != nil {
			return nil, err
		}
		demos, replies = append(demos, demo), replies[len(demo.Turns):]
	}
	return demos, nil
}

// wrongAnswer returns a wrong answer to p, problem d of t: the solution of another problem.
func wrongAnswer(ctx context.Context, s quintain.Scenario, t quintain.Task, p quintain.Problem, d quintain.Draw) (string, error) {
	const patience = 1000
	for range patience {
		d.Index++
		other, err := t.Problem(d)
		if err != nil {
			return "", err
		}
		answer, err := t.Solve(other)
		if err != nil {
			return "", err
		}
		demo, err := play(ctx, s, p, []DemoTurn{{Reply: "<answer>" + answer + "</answer>"}})
		if err != nil || !demo.Turns[0].Step.Right {
			return answer, err
		}
	}
	return "", fmt.Errorf("problem %s: the solutions of the next %d problems are all right", p.ID(), patience)
}

// An adviser is a scenario that knows what to reply.
type adviser interface {
	quintain.Scenario
	quintain.Adviser
}

// playAdvised plays an episode as its environment advises, after a reply without an answer.
func playAdvised(ctx context.Context, s adviser, p quintain.Problem) (demo Demo, err error) {
	const most = 6 // of the best replies
	replies := []DemoTurn{{Kind: "without an answer", Reply: "I do not know."}}
	for len(replies) <= most {
		var said []quintain.Reply
		for _, r := range replies {
			said = append(said, policy.PlainReply(r.Reply))
		}
		advice, err := s.Advise(ctx, p, said)
		if err != nil {
			return demo, err
		}
		if len(advice.Best) == 0 {
			break
		}
		replies = append(replies, DemoTurn{Kind: "right", Reply: advice.Best[0]})
	}
	return play(ctx, s, p, replies)
}

// play plays an episode until it ends or the replies run out.
func play(ctx context.Context, s quintain.Scenario, p quintain.Problem, replies []DemoTurn) (demo Demo, err error) {
	e, err := s.Env(p)
	if err != nil {
		return demo, err
	}
	defer func() {
		if closeErr := e.Close(); err == nil {
			err = closeErr
		}
	}()
	if demo.Opening, err = e.Open(ctx); err != nil {
		return demo, err
	}
	if t, has := e.(quintain.Tooled); has {
		demo.Tools = t.Tools()
	}
	for _, turn := range replies {
		if turn.Step, err = e.Step(ctx, policy.PlainReply(turn.Reply)); err != nil {
			return demo, err
		}
		demo.Turns = append(demo.Turns, turn)
		if turn.Step.End != quintain.Going {
			break
		}
	}
	return demo, nil
}
