package run_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
)

// broken is a scenario whose environment fails.
type broken struct{ quintain.Scenario }

func (broken) Env(quintain.Problem) (quintain.Env, error) { return nil, errors.New("no such table") }

// A run that can take no step ends with the cause, and one whose server fails or that learned before
// goes on.
func TestARunThatGetsNowhereEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  string
		set  func(*run.Config)
		says string // a pattern; "": it makes its steps
	}{
		{"it can", func(*run.Config) {}, ""},
		{"no reply is right", func(c *run.Config) { c.Policy = script.Always("<answer>no, it is 0.5</answer>") }, `equal_scores, \d+ times; all replies to a problem have the same score: choose easier or harder ones`},
		{"every reply is right", func(c *run.Config) { c.Policy = solver(c.Streams, 1) }, `equal_scores, \d+ times`},
		{"replies are too short", func(c *run.Config) { c.Rules.MinTrainable = 9999 }, `too_few_tokens, \d+ times; what decides: rules.min_trainable`},
		{"replies are too long", func(c *run.Config) { c.Rules.MaxSequence = 1 }, `too_long, \d+ times; what decides: rules.max_sequence`},
		{"the environment fails", func(c *run.Config) {
			for i := range c.Streams {
				c.Streams[i].Scenario = broken{c.Streams[i].Scenario}
			}
		}, `env_failed, \d+ times; the last failure: `},
		{"others play", func(c *run.Config) {
			c.Rules.MinTrainable, c.Settings.Minutes = 9999, 0.01
			c.Players.Play = func(ctx context.Context, table *run.Table) error { return table.Play(ctx, 64) }
		}, ""},
		{"a group of one", func(c *run.Config) { c.Settings.GroupSize = 1 }, "group_size: is 1, and the scores of a group of one are all equal"},
		{"a group of one that is kept", func(c *run.Config) { c.Settings.GroupSize, c.Rules.KeepEqual = 1, true }, ""},
		{"a group of one with a baseline of its own", func(c *run.Config) { c.Settings.GroupSize, c.Rules.Baseline = 1, rollout.BaselineSeat }, ""},
	} {
		c := config(t, open(t, queue.NewMemory()))
		test.set(&c)
		r, err := run.Open(t.Context(), c)
		if err == nil {
			if s, ok := c.Policy.(*script.Solver); ok {
				s.Version = func() int32 { return int32(r.Version()) }
			}
			err = r.Run(t.Context())
		}
		if test.says == "" && err != nil || test.says != "" && (err == nil || !regexp.MustCompile(test.says).MatchString(err.Error())) {
			t.Errorf("%s: %v, want %q", test.why, err, test.says)
		}
	}
}

// A run whose replies nobody can read says so once, with the last reply and what to look at.
func TestUnreadableRepliesAreTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		finish quintain.Finish
		says   string
	}{
		{"they end", quintain.Stop, `none of the last 200 replies has a readable answer, and 0 were cut; the last one: "<tool\x1b>"; look at the chat template (policy.chat_template)`},
		{"they are cut", quintain.Length, "; raise --max-tokens"},
	} {
		c, seen := config(t, open(t, queue.NewMemory())), &events{}
		c.Policy, c.Sinks = script.Say(func(quintain.Request, int) (string, quintain.Finish) { return "<tool\x1b>", test.finish }), []run.Sink{seen}
		r := begin(t, c)
		if err := r.Run(t.Context()); err == nil {
			t.Errorf("%s: the run does not end", test.why)
		}
		told := 0
		for _, said := range of[run.Said](seen) {
			if strings.Contains(said.Text, "readable answer") {
				told++
				if !strings.Contains(said.Text, test.says) {
					t.Errorf("%s: %s", test.why, said.Text)
				}
			}
		}
		if told != 1 {
			t.Errorf("%s: it is told %d times", test.why, told)
		}
	}
}
