package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A jury is a scenario that judges groups by a function.
type jury struct {
	made
	judge func(ctx context.Context, replies []quintain.Reply) []quintain.Ruling
}

// Judge implements [quintain.Panel].
func (j jury) Judge(ctx context.Context, _ quintain.Problem, replies []quintain.Reply) []quintain.Ruling {
	return j.judge(ctx, replies)
}

// An alone is an environment that judges no reply.
type alone struct{ echo }

func (a *alone) Step(context.Context, quintain.Reply) (quintain.Step, error) {
	panic("a reply of a group was judged alone")
}

// playedBy plays a group of three by a panel. The policy fails the first request if failing.
func playedBy(t *testing.T, failing bool, judge func(context.Context, []quintain.Reply) []quintain.Ruling) (Result, error) {
	t.Helper()
	var out sink
	asked := 0
	e := &Engine{
		Size: 3, Parallel: 1, Replays: 1, Done: out.done,
		Next: jobs(jury{made{numbered{name: "a"}, func() quintain.Env { return &alone{} }}, judge}, 1),
		Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
			if asked++; failing && asked == 1 {
				return says("end", r.N)[:1], errors.New("no server")
			}
			all := says("a", r.N)
			for i := range all {
				all[i].Text = fmt.Sprint("reply ", i)
			}
			return all, nil
		}),
	}
	err := e.Run(t.Context())
	if len(out.results) != 1 {
		t.Fatalf("%d results, error %v", len(out.results), err)
	}
	return out.results[0], err
}

// ends returns a ruling with a reward.
func ends(reward float64) quintain.Ruling {
	return quintain.Ruling{Step: quintain.Step{Reward: reward, End: quintain.Terminated}}
}

// A panel gets all replies of a group at once, after the replays of those that failed.
func TestAPanelJudgesTheWholeGroupAtOnce(t *testing.T) {
	for _, failing := range []bool{false, true} {
		calls := 0
		r, err := playedBy(t, failing, func(_ context.Context, replies []quintain.Reply) []quintain.Ruling {
			calls++
			if len(replies) != 3 || replies[2].Text != "reply 2" {
				t.Errorf("got %v", replies)
			}
			return []quintain.Ruling{ends(0), ends(0.5), ends(1)}
		})
		if err != nil || calls != 1 {
			t.Fatalf("%d calls, error %v", calls, err)
		}
		for i, played := range r.Trajectories {
			if played.Outcome != quintain.Scored || played.Reward() != float64(i)/2 || played.End != quintain.Terminated {
				t.Errorf("failing %v: episode %d: %+v", failing, i, played)
			}
		}
	}
}

// What nobody judged has no reward, keeps its tokens, and is not played again.
func TestWhatAPanelCannotJudgeIsKeptUngraded(t *testing.T) {
	lost := fmt.Errorf("the judge is away: %w, %w", quintain.ErrUngraded, quintain.ErrLost)
	over := fmt.Errorf("no tokens are left: %w, %w", quintain.ErrUngraded, quintain.ErrStop)
	for _, c := range []struct {
		why      string
		rulings  []quintain.Ruling
		outcomes []quintain.Outcome
		drop     Drop
		stops    bool
	}{
		{"one is ungraded", []quintain.Ruling{ends(1), {Err: lost}, ends(0)}, []quintain.Outcome{quintain.Scored, quintain.Ungraded, quintain.Scored}, DropUngraded, false},
		{"the budget is used up", []quintain.Ruling{{Err: over}, {Err: over}, {Err: over}}, []quintain.Outcome{quintain.Ungraded, quintain.Ungraded, quintain.Ungraded}, DropUngraded, true},
		{"the panel itself fails", []quintain.Ruling{ends(1), {Err: errors.New("no such column")}, {Err: lost}}, []quintain.Outcome{quintain.Scored, quintain.EnvFailed, quintain.Ungraded}, DropEnvFailed, false},
		{"too few rulings", []quintain.Ruling{ends(1)}, []quintain.Outcome{quintain.EnvFailed, quintain.EnvFailed, quintain.EnvFailed}, DropEnvFailed, false},
		{"it goes on", []quintain.Ruling{ends(1), {}, ends(1)}, []quintain.Outcome{quintain.EnvFailed, quintain.EnvFailed, quintain.EnvFailed}, DropEnvFailed, false},
	} {
		r, err := playedBy(t, false, func(context.Context, []quintain.Reply) []quintain.Ruling { return c.rulings })
		if c.stops != errors.Is(err, quintain.ErrStop) {
			t.Errorf("%s: error %v", c.why, err)
		}
		var outcomes []quintain.Outcome
		for _, played := range r.Trajectories {
			outcomes = append(outcomes, played.Outcome)
			if len(played.Turns) != 1 || len(played.Turns[0].Wrote) == 0 || played.Replays > 0 {
				t.Errorf("%s: %+v", c.why, played)
			}
		}
		j, err := Rules{Size: 3}.Judge(r)
		group, scores, drop := j.Group, j.Scores, j.Drop
		if err != nil || group != nil || scores != nil || drop != c.drop || r.Again || !slices.Equal(outcomes, c.outcomes) {
			t.Errorf("%s: outcomes %v, dropped as %q, again %v, error %v", c.why, outcomes, drop, r.Again, err)
		}
	}
}

// A panic of a panel is a failure of the environment.
func TestAPanelThatPanics(t *testing.T) {
	r, err := playedBy(t, false, func(context.Context, []quintain.Reply) []quintain.Ruling { panic("out of ink") })
	if err != nil || r.Trajectories[0].Outcome != quintain.EnvFailed {
		t.Errorf("%+v, error %v", r.Trajectories[0], err)
	}
}
