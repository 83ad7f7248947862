package run_test

import (
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

// talks returns a stream of conversations of up to four turns.
func talks(t *testing.T) rollout.Stream {
	t.Helper()
	tasks, err := task.NewSet(arithmetic.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	of, err := tasks.Get("chain_sum")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(scenarios.All, func(s scenario.Spec) bool { return s.Name == "math_multi_turn" })
	s, err := scenarios.All[i].Over(of, []byte(`{"num_turns":4,"system_prompt":"You solve math problems. Reason step by step, then give your final answer once, inside \\boxed{}."}`))
	if err != nil {
		t.Fatal(err)
	}
	return rollout.Stream{Scenario: s, Seed: 1, Weight: 1}
}

// narrow serves a model with a context until the test ends, and returns its address. Nobody
// says the version of its weights.
func narrow(t *testing.T, context int) remote.Config {
	t.Helper()
	s := fake.Defaults()
	s.Context, s.Rate, s.FirstToken, s.Length = context, 0, 0, "uniform:80-250"
	server, err := fake.New(fake.Config{Server: s})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	return remote.Config{URL: web.URL + "/v1", Version: func() int32 { return -1 }, VersionPath: remote.Unasked}
}

// byTokens and byChat return policies of a server.
func byTokens(t *testing.T, at remote.Config) quintain.Policy {
	t.Helper()
	c, err := engines.NewVLLM(engines.VLLMConfig{Server: at, Model: "fake"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return exact.New(c, exact.Bytes{})
}

func byChat(t *testing.T, at remote.Config) quintain.Policy {
	t.Helper()
	c, err := engines.NewOpenAI(engines.OpenAIConfig{Server: at, Model: "fake"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// Conversations that fill the context of the policy's server stay in their groups. Prompts
// that fill it alone are left out, under their own name.
func TestNarrowContext(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		policy  func(*testing.T, remote.Config) quintain.Policy
		context int
		kept    bool // all groups; else some, because of their prompts
	}{
		{"room for some of the turns, by tokens", byTokens, 1024, true},
		{"the same, by chat completions", byChat, 1024, true},
		{"room for some of the prompts", byTokens, 205, false},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			c, seen, log := config(t, open(t, queue.NewMemory())), &events{}, &rowsLog{}
			metrics := run.NewMetrics(log, 0, 300)
			c.Streams, c.Policy, c.Sinks = []rollout.Stream{talks(t)}, test.policy(t, narrow(t, test.context)), []run.Sink{seen, metrics}
			c.Rules.KeepEqual, c.Rules.MinTrainable, c.Sampling.MaxTokens, c.Settings.Steps = true, 1, 300, 4
			_, report := finish(t, c)
			if err := metrics.Close(); err != nil {
				t.Fatal(err)
			}
			refused := report.GroupsDropped[rollout.DropPrompt]
			if report.Steps != 4 || (refused == 0) != test.kept || report.Episodes[quintain.PromptTooLong] != 4*refused || report.PlayedAgain+report.Replays+report.Failed() > 0 || (len(report.Advice) == 0) != test.kept {
				t.Errorf("report %+v", report)
			}
			counted := log.rows[len(log.rows)-1].Values["total/dropped/prompt_too_long"]
			if int(counted) != refused {
				t.Errorf("the metrics count %v groups with too long prompts, the report %d", counted, refused)
			}
			short := 0 // conversations that end before their last turn
			for _, p := range of[run.Played](seen) {
				for i := range p.Trajectories {
					if e := &p.Trajectories[i]; e.End == quintain.Truncated && e.Outcome.Rewarded() && len(e.Turns) < 4 {
						short++
					}
				}
			}
			if test.kept && short == 0 || report.GroupsMade == 0 {
				t.Errorf("%d conversations are cut, %d groups made", short, report.GroupsMade)
			}
		})
	}
}
