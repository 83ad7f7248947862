package rollout

import (
	"context"
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A frail is an episode whose program is lost in its first rounds.
type frail struct {
	echo
	asks string
	lost bool
}

func (f *frail) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: f.asks}}, nil
}

func (f *frail) Step(ctx context.Context, reply quintain.Reply) (quintain.Step, error) {
	if f.lost {
		return quintain.Step{}, fmt.Errorf("%w: the program ended, and its judge: %w", quintain.ErrLost, quintain.ErrUngraded)
	}
	return f.echo.Step(ctx, reply)
}

// An episode with a lost environment is played again like one with a failed policy, and no
// more often.
func TestLostEpisodesArePlayedAgain(t *testing.T) {
	for _, c := range []struct {
		why     string
		lost    int // rounds
		outcome quintain.Outcome
		again   bool
	}{
		{"never lost", 0, quintain.Scored, false},
		{"lost once", 1, quintain.Scored, false},
		{"lost until no replay is left", 3, quintain.InfraFailed, true},
	} {
		rounds := 0
		var out sink
		e := &Engine{
			Size: 1, Parallel: 1, Replays: 2, Done: out.done,
			Next: jobs(made{numbered{name: "a"}, func() quintain.Env {
				rounds++
				return &frail{asks: "a", lost: rounds <= c.lost}
			}}, 1),
			Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) { return says("end", r.N), nil }),
		}
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := out.results[0]; got.Trajectories[0].Outcome != c.outcome || got.Again != c.again || got.Trajectories[0].Replays != min(c.lost, e.Replays) {
			t.Errorf("%s: %+v", c.why, got)
		}
	}
}

// The first replies of a group answer the messages of one episode, so all must open alike.
func TestEpisodesOfAGroupOpenAlike(t *testing.T) {
	n := 0
	var out sink
	e := &Engine{
		Size: 3, Parallel: 1, Done: out.done,
		Next: jobs(made{numbered{name: "a"}, func() quintain.Env {
			n++
			return &frail{asks: fmt.Sprint("question ", n/3)}
		}}, 1),
		Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) { return says("end", r.N), nil }),
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []quintain.Outcome{quintain.Scored, quintain.Scored, quintain.EnvFailed} {
		if got := out.results[0].Trajectories[i]; got.Outcome != want {
			t.Errorf("episode %d: %s (%s), want %s", i, got.Outcome, got.Error, want)
		}
	}
}
