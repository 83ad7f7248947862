package player_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/words"
	"github.com/quintain-rl/quintain/tiny/starter"
)

// A script refuses a scenario that tells no solutions, before it plays.
func TestScriptNeedsSolutions(t *testing.T) {
	t.Parallel()
	streams := []rollout.Stream{spelling()}
	streams[0].Scenario = struct{ quintain.Scenario }{streams[0].Scenario} // without its other methods
	s := player.Default(player.Script)
	var invalid player.InvalidError
	if _, err := s.Solver(streams, 1, nil); !errors.As(err, &invalid) || !strings.Contains(err.Error(), "which solves no problems") {
		t.Errorf("error %v, want one that names the scenario", err)
	}
}

// spelling is the stream of the task spell_backward.
func spelling() rollout.Stream {
	tasks, err := task.NewSet(words.Tasks())
	if err != nil {
		log.Fatal(err)
	}
	spell, err := tasks.Get("spell_backward")
	if err != nil {
		log.Fatal(err)
	}
	gym, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		log.Fatal(err)
	}
	s, err := gym.Over(spell, nil)
	if err != nil {
		log.Fatal(err)
	}
	return rollout.Stream{Scenario: s, Seed: 1, Weight: 1}
}

// A script that always solves its problems answers one of them.
func Example() {
	streams := []rollout.Stream{spelling()}
	s := player.Default(player.Script)
	s.Script.Accuracy, s.Script.Delay = 1, 0
	policy, err := s.Open(context.Background(), player.Start{Streams: streams, Seed: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		log.Fatal(err)
	}
	problem, err := streams[0].Scenario.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	played, err := rollout.Play(context.Background(), policy, s.Sampling, rollout.Job{Scenario: streams[0].Scenario, Problem: problem})
	fmt.Println(played.Reward(), err)
	// Output: 1 <nil>
}

func TestInvalidSettings(t *testing.T) {
	for _, test := range []struct {
		why  string
		set  func(*player.Settings)
		want string
	}{
		{"weights of a script", func(s *player.Settings) { s.Kind, s.Weights = player.Script, "w" }, "weights: they are those of the tiny policy"},
		{"weights of a new model", func(s *player.Settings) { s.FromScratch, s.Weights = true, "w" }, "weights: they are those of the tiny policy"},
		{"a new script", func(s *player.Settings) { s.Kind, s.FromScratch = player.Script, true }, "from_scratch: the policy script"},
		{"a server without an address", func(s *player.Settings) { s.Kind = "vllm" }, "url: is missing"},
		{"a kind that is none", func(s *player.Settings) { s.Kind = "oracle" }, "kind: is oracle"},
	} {
		s := player.Default(player.Tiny)
		test.set(&s)
		if err := settings.Check(&s); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	s, sizes := player.Default(player.Tiny), starter.DefaultSizes()
	for _, first := range []bool{true, false} {
		got, err := s.LastWeights(t.TempDir())
		if first {
			got, err = s.FirstWeights()
		}
		if err != nil || got.Name != "the embedded starter" {
			t.Errorf("the first: %v, weights %+v, error %v", first, got, err)
		}
	}
	s.Weights = filepath.Join(t.TempDir(), "none")
	if _, err := s.LastWeights(t.TempDir()); err == nil {
		t.Error("weights that are nowhere are read")
	}
	s.Weights, sizes.Layers = "", 3
	if _, err := s.FreshModel(sizes.Config(), nil); err == nil || !strings.Contains(err.Error(), "policy.from_scratch") {
		t.Errorf("other sizes: error %v", err)
	}
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		kind   string
		trains bool
		want   string // part of the only warning; empty: none
	}{
		{player.Tiny, false, ""}, {player.Script, true, ""}, {player.Server, true, ""},
		{player.Server, false, "nothing is trained here"}, {"openai", false, "nothing is trained here"}, {"openai", true, "the bytes of the texts"},
	} {
		s := player.Default(test.kind)
		got := strings.Join(s.Warnings(test.trains), "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s, trains %v: %q, want %q", test.kind, test.trains, got, test.want)
		}
	}
}

// A server that cannot be asked is a fault of the settings.
func TestAServerWithoutAnAddress(t *testing.T) {
	s := player.Default(player.Server)
	s.Server.Pool.URLs = []string{"nowhere"}
	_, err := s.Open(t.Context(), player.Start{Log: slog.New(slog.DiscardHandler), Say: func(string) {}})
	var invalid player.InvalidError
	if !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), "policy.") {
		t.Errorf("error %v, want one of a setting below policy", err)
	}
}
