package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
)

// An episode is one run of the program. It implements [quintain.Agent].
type episode struct {
	quintain.Env // makes the first messages, and judges the answer
	program      *Program
	problem      quintain.Problem
	info         quintain.ScenarioInfo // of the scenario that judges
	talk         []quintain.Message    // the first messages
}

// Open implements [quintain.Env].
func (e *episode) Open(ctx context.Context) (talk []quintain.Message, err error) {
	e.talk, err = e.Env.Open(ctx)
	return e.talk, err
}

// Play implements [quintain.Agent].
func (e *episode) Play(ctx context.Context, at quintain.Seat) (t quintain.Trajectory, err error) {
	p := e.program
	select {
	case p.free <- struct{}{}:
	case <-ctx.Done():
		return t, context.Cause(ctx)
	}
	defer func() { <-p.free }()
	session, err := gateway.NewSolo(p.how.session(), at, e.problem)
	if err != nil {
		return t, err
	}
	f, err := newFolder(e.problem, e.talk)
	if err != nil {
		return t, lost(err)
	}
	defer f.remove()
	said, err := p.start(ctx, session, f)
	final, failed := session.Close()
	var reward *gateway.Reward
	if err = cmp.Or(context.Cause(ctx), err, failed); err == nil {
		reward, err = e.reward(ctx, final, f)
	}
	t, failed = session.Trajectory(reward)
	t.Output = said
	if t.Outcome == quintain.ModelFailed && final.Finish == quintain.Length {
		t.End = quintain.Truncated
	}
	return t, cmp.Or(err, failed)
}

// lost marks a fault of this machine.
func lost(err error) error { return fmt.Errorf("%w: %w", quintain.ErrLost, err) }

// reward judges the end of a session. Nil: the agent gave its own reward.
func (e *episode) reward(ctx context.Context, final gateway.Final, f *folder) (*gateway.Reward, error) {
	r, err := f.result()
	may := e.program.how.AgentRewards
	switch {
	case err != nil:
		return nil, err
	case may && r.Reward != nil:
		return &gateway.Reward{Reward: *r.Reward, Right: r.Right, Why: because(final.Limit, r.Why), Answer: r.Answer}, nil
	case may && final.Rewarded:
		return nil, nil
	}
	reply := quintain.Reply{Text: final.Reply, Finish: final.Finish}
	for _, answer := range []string{final.Answer, r.Answer} {
		if answer != "" {
			reply = quintain.Reply{Text: e.info.Reply(answer), Finish: quintain.Stop}
		}
	}
	step, err := e.Step(ctx, reply)
	if err != nil {
		return nil, err
	}
	why := []string{final.Limit, step.Why}
	if r.Reward != nil {
		why = append(why, "the program's own reward does not count: sessions.rewards is off")
	}
	return &gateway.Reward{Reward: step.Reward, Right: step.Right, Malformed: step.Malformed, Answer: step.Answer, Why: because(why...)}, nil
}

// because joins reasons.
func because(all ...string) string {
	var given []string
	for _, one := range all {
		if one != "" {
			given = append(given, one)
		}
	}
	return strings.Join(given, "; ")
}
