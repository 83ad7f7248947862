package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain"
)

// TestConversationsWithoutRoom plays groups of two episodes, in which the policy's context
// is full at a turn of the second. An echo earns 1, 1 and 3 for its three turns.
func TestConversationsWithoutRoom(t *testing.T) {
	full := fmt.Errorf("the context is full: %w", quintain.ErrNoRoom)
	for _, test := range []struct {
		why  string
		at   int  // turn without room, from 1 on; 1: of both
		cut  bool // the reply before it
		want string
		drop Drop
	}{
		{"at no turn", 0, false, "scored terminated 5 in 3", ""},
		{"at the third", 3, false, "scored truncated 2 in 2", ""},
		{"at the second", 2, false, "scored truncated 1 in 1", ""},
		{"at the second, after a reply that a limit cut", 2, true, "model_failed truncated 1 in 1", ""},
		{"at the first: nothing is judged, and nothing is played again", 1, false, "prompt_too_long  0 in 0", DropPrompt},
	} {
		var asked atomic.Int64
		result := playEchoes(t, func(r quintain.Request) ([]quintain.Sample, error) {
			asked.Add(1)
			turn := (len(r.Messages) + 1) / 2
			if turn == test.at && (turn == 1 || strings.HasSuffix(r.Key, "#1")) {
				return nil, full
			}
			samples := says([]string{"more", "more", "end"}[turn-1], r.N)
			if test.cut && turn == test.at-1 {
				samples[r.N-1].Finish = quintain.Length
			}
			return samples, nil
		})
		second := &result.Trajectories[1]
		if got := fmt.Sprintf("%s %s %v in %d", second.Outcome, second.End, second.Reward(), len(second.Turns)); got != test.want || result.Again {
			t.Errorf("%s: %s, again %t; want %s", test.why, got, result.Again, test.want)
		}
		if told := len(second.Turns) > 0 && strings.HasSuffix(second.Turns[len(second.Turns)-1].Why, "there is no room for another reply"); told != (second.End == quintain.Truncated) {
			t.Errorf("%s: turns %+v", test.why, second.Turns)
		}
		if first := &result.Trajectories[0]; test.at > 1 && first.Reward() != 5 {
			t.Errorf("%s: the other episode earns %v", test.why, first.Reward())
		}
		if test.at == 1 && (asked.Load() != 1 || !strings.Contains(second.Error, "the context is full") || !second.Outcome.Failed()) {
			t.Errorf("%s: %d requests, error %q", test.why, asked.Load(), second.Error)
		}
		rules := Rules{Estimator: GRPO, TurnDiscount: 1, KeepEqual: true}
		if j, err := rules.Judge(result); j.Drop != test.drop || err != nil {
			t.Errorf("%s: dropped as %q, error %v", test.why, j.Drop, err)
		}
	}
}

// A grading episode judges what is there when its conversation is full.
type grading struct {
	echo
	step quintain.Step
	err  error
}

func (g *grading) Cut(context.Context) (quintain.Step, error) { return g.step, g.err }

func TestACutEpisodeMayBeJudged(t *testing.T) {
	paid := quintain.Step{Reward: 4, Right: true, Why: "the tests pay 4", Metrics: map[string]float64{"x": 1}, Record: json.RawMessage("{}")}
	for _, test := range []struct {
		why  string
		env  func() quintain.Env
		want string
	}{
		{"it is", func() quintain.Env { return &grading{step: paid} }, "scored truncated 5 right, map[x:1] {}: there is no room for another reply; the tests pay 4"},
		{"it fails", func() quintain.Env {
			return &grading{step: quintain.Step{Metrics: paid.Metrics}, err: errors.New("no reward")}
		}, "env_failed  1, map[x:1] : there is no room for another reply"},
		{"the machine fails", func() quintain.Env { return &grading{err: quintain.ErrLost} }, "infra_failed  1, map[] : there is no room for another reply"},
		{"a reward that is none", func() quintain.Env { return &grading{step: quintain.Step{Reward: math.NaN()}} }, "env_failed  1, map[] : there is no room for another reply"},
	} {
		var out sink
		e := &Engine{
			Size: 1, Parallel: 1, Next: jobs(made{numbered{name: "a"}, test.env}, 1), Done: out.done,
			Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
				if len(r.Messages) > 1 {
					return nil, quintain.ErrNoRoom
				}
				return says("more", 1), nil
			}),
		}
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := &out.results[0].Trajectories[0]
		last := got.Turns[0]
		if text := fmt.Sprintf("%s %s %v%s, %v %s: %s", got.Outcome, got.End, last.Reward, map[bool]string{true: " right"}[last.Right], last.Metrics, last.Record, last.Why); text != test.want {
			t.Errorf("%s: %s, want %s", test.why, text, test.want)
		}
	}
}

// playEchoes plays a group of two episodes of echo, which begin again at most twice.
func playEchoes(t *testing.T, sample func(quintain.Request) ([]quintain.Sample, error)) Result {
	t.Helper()
	var out sink
	e := &Engine{
		Size: 2, Parallel: 1, Replays: 2, Next: jobs(made{numbered{name: "a"}, func() quintain.Env { return &echo{} }}, 1), Done: out.done,
		Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) { return sample(r) }),
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.results[0]
}
