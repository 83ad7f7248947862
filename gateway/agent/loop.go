package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/scenario/external"
)

// A loop is the scenario of a program that drives its own loop: one lasting process plays many
// episodes, each with a session of its own. It embeds the scenario of the program's own problems.
type loop struct {
	quintain.Scenario
	program *external.Program
	how     Settings
	free    chan struct{} // filled for each episode that the program plays
}

// Drive returns the problems of a program that drives its own loop ([external.Program.Drives]) as it
// plays them, by the rules of the sessions of how. The error says why it cannot play.
func Drive(program *external.Program, how Settings) (quintain.Scenario, error) {
	own := program.Own()
	if own == nil {
		return nil, errors.New("it drives its own loop, and has no problems of its own")
	}
	session := how.session()
	if _, err := session.Player(nil, nil); err != nil {
		return nil, err
	}
	return &loop{own, program, how, make(chan struct{}, program.Parallel())}, nil
}

// Size implements [quintain.Finite].
func (l *loop) Size(level int) int {
	if f, can := l.Scenario.(quintain.Finite); can {
		return f.Size(level)
	}
	return 0
}

// Helpers implements [quintain.Helped].
func (l *loop) Helpers() []string { return l.program.Models() }

// Env implements [quintain.Scenario].
func (l *loop) Env(p quintain.Problem) (quintain.Env, error) {
	env, err := l.Scenario.Env(p)
	return &driven{Env: env, loop: l, problem: p}, err
}

// A driven episode is one that the program plays. It implements [quintain.Agent].
type driven struct {
	quintain.Env // is never opened
	loop         *loop
	problem      quintain.Problem
	helped       []quintain.Talk // by the other models
}

// Open implements [quintain.Env]. The program alone knows the first messages.
func (*driven) Open(context.Context) ([]quintain.Message, error) { return nil, nil }

// Play implements [quintain.Agent].
func (d *driven) Play(ctx context.Context, at quintain.Seat) (t quintain.Trajectory, err error) {
	select {
	case d.loop.free <- struct{}{}:
	case <-ctx.Done():
		return t, context.Cause(ctx)
	}
	defer func() { <-d.loop.free }()
	session, err := gateway.NewSolo(d.loop.how.session(), at, d.problem)
	if err != nil {
		return t, err
	}
	var end quintain.Step
	var said error
	models := map[string]external.Model{}
	err = d.serve(ctx, session, external.PolicyRole, models, func() error {
		return d.help(ctx, at, d.loop.Helpers(), models, func() { end, said = d.ask(ctx, session, models) })
	})
	if said != nil && !errors.Is(said, quintain.ErrStop) && !session.Holds() {
		said = lost(said) // before any reply, or while it waited for one
	}
	final, failed := session.Close()
	var reward *gateway.Reward
	if err = cmp.Or(context.Cause(ctx), err, d.fault(final, failed, said)); err == nil {
		reward = &gateway.Reward{Reward: end.Reward, Right: end.Right, Malformed: end.Malformed, Answer: end.Answer, Why: because(final.Limit, end.Why)}
	}
	t, failed = session.Trajectory(reward)
	t.Helpers = d.helped
	if t.Outcome.Rewarded() && (end.End == quintain.Truncated || final.Finish == quintain.Length) {
		t.End = quintain.Truncated
	}
	if t.Outcome.Rewarded() {
		turn := &t.Turns[t.Last()]
		turn.Metrics, turn.Record = end.Metrics, end.Record
	}
	return t, cmp.Or(err, failed)
}

// fault is why an episode has no reward; nil: it has one. What failed is that of the session, and
// said what the program says of itself: a fault of the policy, a limit of time, or a prompt that is too long
// is the cause of both.
func (d *driven) fault(final gateway.Final, failed, said error) error {
	for _, cause := range []error{quintain.ErrLost, quintain.ErrTimeout, quintain.ErrNoRoom, quintain.ErrCancelled, quintain.ErrStop} {
		if errors.Is(failed, cause) {
			return failed
		}
	}
	if said != nil && final.Limit != "" {
		said = fmt.Errorf("%s; %w", final.Limit, said)
	}
	return cmp.Or(said, failed)
}

// serve serves a session as the model of a role while do runs.
func (d *driven) serve(ctx context.Context, session *gateway.Solo, role string, models map[string]external.Model, do func() error) error {
	var done error
	err := serveLocally(ctx, session.Routes(), func(address string) {
		models[role] = external.Model{URL: address + sessionPath + session.ID() + "/v1", Key: session.Key()}
		done = do()
	})
	return cmp.Or(done, err)
}

// help serves a session for each of the roles that other policies play while do runs. A policy that fails
// is no fault of the replies.
func (d *driven) help(ctx context.Context, at quintain.Seat, roles []string, models map[string]external.Model, do func()) error {
	if len(roles) == 0 {
		do()
		return nil
	}
	seat, has := at.Helpers[roles[0]]
	if !has {
		return fmt.Errorf("%w: it calls the model %s, and policy.seats has no %s", quintain.ErrStop, roles[0], roles[0])
	}
	session, err := gateway.NewSolo(d.loop.how.session(), seat, d.problem)
	if err != nil {
		return err
	}
	err = d.serve(ctx, session, roles[0], models, func() error { return d.help(ctx, at, roles[1:], models, do) })
	if _, failed := session.Close(); errors.Is(failed, quintain.ErrLost) || errors.Is(failed, quintain.ErrCancelled) {
		err = cmp.Or(err, fmt.Errorf("the model %s: %w", roles[0], failed))
	}
	played, failed := session.Trajectory(nil)
	said := quintain.Talk{Player: quintain.ServerPlayer + roles[0], Messages: played.Messages(), Replies: len(played.Turns), Tokens: played.Sampled()}
	for _, turn := range played.Turns {
		said.Took += turn.Call.Took
	}
	if said.Replies > 0 {
		d.helped = append(d.helped, said)
	}
	return cmp.Or(err, failed)
}

// ask has the program play with the models. It gives up some time after the session is
// over.
func (d *driven) ask(ctx context.Context, session *gateway.Solo, models map[string]external.Model) (quintain.Step, error) {
	ctx, stop := until(ctx, session, d.loop.how.Leave)
	defer stop()
	end, err := d.loop.program.Play(ctx, &d.problem, models)
	if errors.Is(err, errKilled) {
		err = errors.New("its session is over, and it does not end")
	}
	return end, err
}
