package starter

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/learn"
	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/transformer"
)

func TestLoad(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Model.Config(); got != Sizes() {
		t.Errorf("the embedded model has %+v, want %+v", got, Sizes())
	}
	const most = 2 << 20
	if len(weights) > most {
		t.Errorf("the embedded file has %d bytes, want %d at most", len(weights), most)
	}
}

// small is a warm-up that takes no time.
func small() WarmUp {
	return WarmUp{
		Sizes: transformer.Config{Vocab: tiny.Size, Context: 32, Layers: 1, Width: 16, Heads: 1, Hidden: 16},
		Seed:  1, Updates: 30, Batch: 4,
	}
}

// A saying is the scenario, and the episode, of one question.
type saying struct{}

func (saying) Info() quintain.ScenarioInfo                { return quintain.ScenarioInfo{Name: "saying"} }
func (saying) TaskInfo() quintain.Info                    { return quintain.Info{Name: "saying"} }
func (saying) Key(quintain.Problem) (quintain.Key, error) { return quintain.Key{}, nil }
func (saying) Problem(quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Prompt: "say b"}, nil
}
func (s saying) Env(quintain.Problem) (quintain.Env, error) { return s, nil }
func (saying) Step(context.Context, quintain.Reply) (quintain.Step, error) {
	return quintain.Step{}, nil
}
func (saying) Close() error { return nil }
func (saying) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: "say b"}}, nil
}

func TestExample(t *testing.T) {
	s, err := Example(t.Context(), saying{}, quintain.Problem{}, "b")
	if err != nil {
		t.Fatal(err)
	}
	if got := tiny.Decode(s.Tokens); got != "say b<answer>b</answer>" {
		t.Errorf("the example reads %q", got)
	}
	trained := []quintain.Token{}
	for i, mask := range s.Masks {
		if mask != quintain.Untrained {
			trained = append(trained, s.Tokens[i])
		}
	}
	if want := []quintain.Token{tiny.Answer, 'b', tiny.EndAnswer, tiny.End}; !slices.Equal(trained, want) {
		t.Errorf("trained are %v, want %v", trained, want)
	}
}

func TestWarmUpLearns(t *testing.T) {
	next := func(ctx context.Context) (learn.Sequence, error) {
		return Example(ctx, saying{}, quintain.Problem{}, "b")
	}
	var losses []float64
	told := func(update int, loss float64) {
		if losses = append(losses, loss); update != len(losses) {
			t.Errorf("update %d is told as number %d", len(losses), update)
		}
	}
	first, err := small().Make(t.Context(), next, told)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(losses); n != 30 || losses[n-1] > losses[0]-0.5 {
		t.Errorf("losses %v", losses)
	}
	second, err := small().Make(t.Context(), next, func(int, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	a, errA := tiny.WriteWeights(transformer.Checkpoint{Model: first}, transformer.Float32)
	b, errB := tiny.WriteWeights(transformer.Checkpoint{Model: second}, transformer.Float32)
	if err := errors.Join(errA, errB); err != nil || string(a) != string(b) {
		t.Errorf("two warm-ups make different weights, error %v", err)
	}
}
