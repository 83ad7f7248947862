package player_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenarios/games/alone"
	"github.com/quintain-rl/quintain/scenarios/games/cards"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// The embedded model learns games from its own episodes alone: held-out problems, which it never trains on, score
// higher after a few seconds of training. The same weights give the same replies in both evaluations, so nothing but
// training changes the score.
func TestTheStarterLearnsGames(t *testing.T) {
	for _, test := range []struct {
		game  string
		steps int
		rate  float64
		more  float64
	}{
		{"small_poker", 20, 1e-3, 0.1}, {"slippery_grid", 40, 2e-3, 0.1},
	}[:games] {
		t.Run(test.game, func(t *testing.T) {
			before, after := schooled(t, test.game, test.steps, test.rate)
			t.Logf("%.3f before, %.3f after", before, after)
			if after < before+test.more {
				t.Errorf("held-out problems score %.3f before and %.3f after, want %.2f more", before, after, test.more)
			}
		})
	}
}

// schooled trains the embedded model of a game at two levels, and returns its mean scores of
// held-out problems before and after.
func schooled(t *testing.T, game string, steps int, rate float64) (before, after float64) {
	t.Helper()
	var streams []rollout.Stream
	for _, g := range slices.Concat(alone.Games(), cards.Games()) {
		if g.Scenario.Name != game {
			continue
		}
		for _, choice := range starter.Ladder(game)[2:4] {
			of, err := g.Task.With(choice.Params)
			if err != nil {
				t.Fatal(err)
			}
			s, err := g.Scenario.Over(of, []byte(`{"short_prompts":true}`))
			if err != nil {
				t.Fatal(err)
			}
			streams = append(streams, rollout.Stream{Scenario: s, Seed: 1, Weight: choice.Weight})
		}
	}
	saved, err := starter.Load(game)
	if err != nil {
		t.Fatal(err)
	}
	how := tiny.Default()
	how.LearningRate, how.WeightCap = rate, 1
	trainer, err := starter.OpenTrainer(starter.Training{
		Path: filepath.Join(t.TempDir(), "checkpoint"), Sizes: saved.Model.Config(), Learn: how,
		Sampling: tiny.Options{MaxSequences: 256, Seed: 1},
		Fresh:    func() (*transformer.Model, error) { return saved.Model, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	c := run.Config{
		Settings: run.Defaults(), Rules: rollout.DefaultRules(), Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 48},
		Streams: streams, Policy: trainer.Policy(), Trainer: run.Trainer{Consumer: run.Train(trainer)}, Queue: q,
	}
	c.Settings.Steps, c.Settings.GroupSize, c.Settings.BatchSize, c.Settings.MaxLag, c.Settings.ExamProblems = steps, 16, 64, 1, 64
	c.Rules.MinTrainable = 1
	r, err := run.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	report := r.Report()
	if report.ExamBefore == nil || report.ExamAfter == nil {
		t.Fatalf("there are no two evaluations in %+v", report)
	}
	return *report.ExamBefore, *report.ExamAfter
}
