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
	said, r, err := e.run(ctx, session)
	final, failed := session.Close()
	var reward *gateway.Reward
	var last quintain.Step
	if err = cmp.Or(context.Cause(ctx), err, failed); err == nil {
		reward, last, err = e.reward(ctx, final, r)
	}
	t, failed = session.Trajectory(reward)
	t.Output = said
	if (last.Record != nil || last.Metrics != nil) && len(t.Turns) > 0 {
		turn := &t.Turns[t.Last()]
		turn.Metrics, turn.Record = last.Metrics, last.Record
	}
	if last.End == quintain.Truncated && t.Outcome.Rewarded() || t.Outcome == quintain.ModelFailed && final.Finish == quintain.Length {
		t.End = quintain.Truncated
	}
	return t, cmp.Or(err, failed)
}

// run runs the program, and returns the end of its output, and what it says of itself.
func (e *episode) run(ctx context.Context, session *gateway.Solo) (said string, r result, err error) {
	if e.program.words == nil {
		said, err = e.within(ctx, session)
		return said, r, err
	}
	f, err := newFolder(e)
	if err != nil {
		return "", r, lost(err)
	}
	defer f.remove()
	said, err = e.program.start(ctx, session, f)
	r, r.fault = f.result()
	return said, r, err
}

// lost marks a fault of this machine.
func lost(err error) error { return fmt.Errorf("%w: %w", quintain.ErrLost, err) }

// reward judges the end of a session. Nil: the agent gave its own reward.
func (e *episode) reward(ctx context.Context, final gateway.Final, r result) (_ *gateway.Reward, step quintain.Step, err error) {
	may := e.program.how.AgentRewards
	switch {
	case r.fault != nil:
		return nil, step, r.fault
	case may && r.Reward != nil:
		return &gateway.Reward{Reward: *r.Reward, Right: r.Right, Why: because(final.Limit, r.Why), Answer: r.Answer}, step, nil
	case may && final.Rewarded:
		return nil, step, nil
	}
	reply := quintain.Reply{Text: final.Reply, Finish: final.Finish}
	for _, answer := range []string{final.Answer, r.Answer} {
		if answer != "" {
			reply = quintain.Reply{Text: e.info.Reply(answer), Finish: quintain.Stop}
		}
	}
	if step, err = e.Step(ctx, reply); err != nil {
		return nil, step, err
	}
	why := []string{final.Limit, step.Why}
	if r.Reward != nil {
		why = append(why, "the program's own reward does not count: sessions.rewards is off")
	}
	return &gateway.Reward{Reward: step.Reward, Right: step.Right, Malformed: step.Malformed, Answer: step.Answer, Why: because(why...)}, step, nil
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
