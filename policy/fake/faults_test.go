package fake_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A chat is a scenario of one turn that rewards any reply with 1.
type chat struct{}

func (chat) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: "chat", Version: 1, Default: true}
}

func (chat) TaskInfo() quintain.Info {
	return quintain.Info{Name: "chat", Levels: []json.RawMessage{[]byte("{}")}}
}

func (chat) Problem(d quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Task: "chat", Index: d.Index}, nil
}
func (chat) Key(p quintain.Problem) (quintain.Key, error) { return quintain.NewKey(p.ID()), nil }
func (chat) Env(quintain.Problem) (quintain.Env, error)   { return chat{}, nil }
func (chat) Close() error                                 { return nil }

func (chat) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: "How many?"}}, nil
}

func (chat) Step(context.Context, quintain.Reply) (quintain.Step, error) {
	return quintain.Step{Reward: 1, End: quintain.Terminated}, nil
}

// policies returns every policy that uses a server, by name.
func policies() map[string]func(remote.Config) (quintain.Policy, func(), error) {
	byTokens := func(g generator, err error) (quintain.Policy, func(), error) {
		if err != nil {
			return nil, nil, err
		}
		return exact.New(g, exact.Bytes{}), g.CloseIdle, nil
	}
	chat := func(ids bool) func(remote.Config) (quintain.Policy, func(), error) {
		return func(c remote.Config) (quintain.Policy, func(), error) {
			c.URL += "/v1"
			client, err := engines.NewOpenAI(engines.OpenAIConfig{Server: c, Model: "fake", TokenIDs: ids})
			if err != nil {
				return nil, nil, err
			}
			return client, client.CloseIdle, nil
		}
	}
	return map[string]func(remote.Config) (quintain.Policy, func(), error){
		"openai text": chat(false), "openai ids": chat(true),
		"openai completions": func(c remote.Config) (quintain.Policy, func(), error) {
			c.URL += "/v1"
			client, err := engines.NewOpenAI(engines.OpenAIConfig{Server: c, Model: "fake", Prompt: exact.Paragraphs})
			if err != nil {
				return nil, nil, err
			}
			return client, client.CloseIdle, nil
		},
		"vllm": func(c remote.Config) (quintain.Policy, func(), error) {
			return byTokens(engines.NewVLLM(engines.VLLMConfig{Server: c, Model: "fake"}))
		},
		"vllm native": func(c remote.Config) (quintain.Policy, func(), error) {
			return byTokens(engines.NewVLLM(engines.VLLMConfig{Server: c, Model: "fake", Native: true}))
		},
		"sglang":   func(c remote.Config) (quintain.Policy, func(), error) { return byTokens(engines.NewSGLang(c)) },
		"llamacpp": func(c remote.Config) (quintain.Policy, func(), error) { return byTokens(engines.NewLlamaCPP(c)) },
		"pool of sglang": func(c remote.Config) (quintain.Policy, func(), error) {
			g, err := pool.NewGenerator(two(c), func(c remote.Config) (pool.Tokens, error) { return engines.NewSGLang(c) })
			if err != nil {
				return nil, nil, err
			}
			return exact.New(g, exact.Bytes{}), beside(g.Run, g.CloseIdle), nil
		},
		"pool of vllm": func(c remote.Config) (quintain.Policy, func(), error) {
			g, err := pool.NewGenerator(two(c), func(c remote.Config) (pool.Tokens, error) {
				return engines.NewVLLM(engines.VLLMConfig{Server: c, Model: "fake"})
			})
			if err != nil {
				return nil, nil, err
			}
			return exact.New(g, exact.Bytes{}), beside(g.Run, g.CloseIdle), nil
		},
		"pool of openai ids": func(c remote.Config) (quintain.Policy, func(), error) {
			p, err := pool.NewPolicy(two(c), func(c remote.Config) (pool.Chat, error) {
				return engines.NewOpenAI(engines.OpenAIConfig{Server: c, Model: "fake", TokenIDs: true})
			})
			if err != nil {
				return nil, nil, err
			}
			return p, beside(p.Run, p.CloseIdle), nil
		},
	}
}

// two configures a pool with one server at two addresses.
func two(c remote.Config) pool.Config {
	return pool.Config{URLs: []string{c.URL + "/v1", c.URL + "/v1/"}, Server: c, Control: true}
}

// beside runs something until end is called.
func beside(run func(context.Context) error, closeIdle func()) (end func()) {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = run(ctx) })
	return func() { stop(); running.Wait(); closeIdle() }
}

// play plays n groups of two, and returns their trajectories.
func play(t *testing.T, p quintain.Policy, n int) (played []quintain.Trajectory) {
	t.Helper()
	var mu sync.Mutex
	next := 0
	e := rollout.Engine{
		Policy: p, Size: 2, Parallel: 1, Grace: time.Minute, Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 30},
		Next: func(context.Context) (rollout.Job, error) {
			if next == n {
				return rollout.Job{}, io.EOF
			}
			next++
			problem, err := chat{}.Problem(quintain.Draw{Index: next})
			return rollout.Job{Scenario: chat{}, Problem: problem}, err
		},
		Done: func(_ context.Context, r rollout.Result) error {
			mu.Lock()
			defer mu.Unlock()
			played = append(played, r.Trajectories...)
			return nil
		},
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return played
}

// unseen lists the faults that a policy cannot see, and why none of them gives a wrong
// reward.
func unseen() map[string]string {
	return map[string]string{
		"openai text few_probs":         "the sample has no log-probabilities, and is counted",
		"openai text foreign":           "a policy of text reads no tokens",
		"openai completions foreign":    "a policy of text reads no tokens",
		"openai ids foreign":            "only a tokenizer knows the vocabulary",
		"openai text many_token":        "a server of text does not tell its tokens",
		"openai text stray":             "a server of text does not tell what it read",
		"openai completions few_probs":  "the sample has no log-probabilities, and is counted",
		"openai completions many_token": "a server of text does not tell its tokens",
		"openai completions stray":      "a server of text does not tell what it read",
		"openai ids stray":              "what a chat template makes of a conversation is the server's secret",
		"llamacpp few_probs":            "llama.cpp leaves some out; the sample has no log-probabilities, and is counted",
	}
}

// patience is the time limit of a request: short if nothing else ends it.
func patience(f fake.Fault) time.Duration {
	if f == fake.Stalled {
		return 300 * time.Millisecond
	}
	return time.Minute
}

// A lasting fault ends every episode as infra_failed or timed_out: none has a reward.
func TestEveryFaultEndsWithoutAReward(t *testing.T) {
	t.Parallel()
	for name, connect := range policies() {
		for _, fault := range fake.Faults() {
			t.Run(name+" "+string(fault), func(t *testing.T) {
				t.Parallel()
				_, web := serve(t, func(c *fake.Config) {
					c.Server.Length, c.Server.Faults = "fixed:1000", string(fault)+"=1"
				})
				p, end, err := connect(remote.Config{URL: web.URL, Timeout: patience(fault), Retries: 2, Backoff: 1, MaxBackoff: 1})
				if err != nil {
					t.Fatal(err)
				}
				defer end()
				for k, episode := range play(t, p, 1) {
					why, cannot := unseen()[strings.TrimPrefix(name, "pool of ")+" "+string(fault)]
					if cannot && episode.Outcome.Rewarded() {
						if probs := episode.Turns[0].LogProbs; fault == fake.FewProbs && k == 0 && probs != nil {
							t.Errorf("%d log-probabilities, want none: %s", len(probs), why)
						}
						continue
					}
					want := quintain.InfraFailed
					if fault == fake.Stalled || fault == fake.GaveUp {
						want = quintain.TimedOut
					}
					if cannot || episode.Outcome != want || len(episode.Turns) > 0 || !strings.Contains(episode.Error, web.URL) {
						t.Errorf("outcome %s, %d turns, error %q", episode.Outcome, len(episode.Turns), episode.Error)
					}
				}
			})
		}
	}
}

// A passing fault leaves no trace, unless it used up a time limit, ours or a proxy's:
// another try would favour short replies. Samples that were lost are in no episode.
func TestFaultsThatPassLeaveNoTrace(t *testing.T) {
	t.Parallel()
	for name, connect := range policies() {
		for _, fault := range fake.Faults() {
			t.Run(name+" "+string(fault), func(t *testing.T) {
				t.Parallel()
				_, web := serve(t, func(c *fake.Config) { c.Server.Length, c.Script = "fixed:1000", []fake.Fault{fault} })
				p, end, err := connect(remote.Config{URL: web.URL, Timeout: patience(fault), Backoff: 1, MaxBackoff: 1})
				if err != nil {
					t.Fatal(err)
				}
				defer end()
				episodes, rewarded := play(t, p, 1), 0
				for _, episode := range episodes {
					if episode.Outcome.Rewarded() {
						rewarded++
					}
				}
				slow := fault == fake.Stalled || fault == fake.GaveUp
				if len(episodes) != 2 || (rewarded == 0) != slow || rewarded == 1 {
					t.Errorf("%d of %d episodes have a reward", rewarded, len(episodes))
				}
			})
		}
	}
}

// A server that dies and comes back gets requests again.
func TestServersThatComeBackAreUsed(t *testing.T) {
	t.Parallel()
	for name, connect := range policies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := serve(t, nil)
			address := web.Listener.Addr().String()
			second := sync.OnceValues(func() (*httptest.Server, error) {
				l, err := net.Listen("tcp", address)
				for deadline := time.Now().Add(time.Minute); err != nil && time.Now().Before(deadline); l, err = net.Listen("tcp", address) {
					<-time.After(time.Millisecond) // a client has the port for a moment
				}
				if err != nil {
					return nil, err
				}
				again := &httptest.Server{Listener: l, Config: httptest.NewUnstartedServer(s).Config}
				again.Start()
				return again, nil
			})
			p, end, err := connect(remote.Config{URL: web.URL, Backoff: 1, MaxBackoff: time.Millisecond, Retries: 1000, Told: func(*remote.Error, int) {
				_, _ = second() // its error is that of the call below
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer end()
			before := play(t, p, 1)
			web.Close()
			late := time.AfterFunc(time.Second, func() { _, _ = second() }) // a pool that looked at the server first sends it no request, of which it could tell
			defer late.Stop()
			after := play(t, p, 2)
			for _, episode := range slices.Concat(before, after) {
				if !episode.Outcome.Rewarded() {
					t.Errorf("outcome %s, want a reward; error %q", episode.Outcome, episode.Error)
				}
			}
			again, err := second()
			if err != nil {
				t.Fatal(err)
			}
			again.Close()
		})
	}
}

// Aborts before the first token, as of all requests when new weights come, are no outage.
func TestAbortsAreNoOutage(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	_, web := serve(t, func(c *fake.Config) {
		c.Server.Length, c.Script = "fixed:9", slices.Repeat([]fake.Fault{fake.Aborted}, 6)
	})
	var mu sync.Mutex
	var told []remote.Kind
	g, err := pool.NewGenerator(pool.Config{
		URLs: []string{web.URL}, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Server: remote.Config{Backoff: 1, MaxBackoff: 1, Told: func(fault *remote.Error, _ int) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fault.Kind)
		}},
	}, func(c remote.Config) (pool.Tokens, error) {
		return engines.NewVLLM(engines.VLLMConfig{Server: c, Model: "fake"})
	})
	if err != nil {
		t.Fatal(err)
	}
	end := beside(g.Run, g.CloseIdle)
	episodes := play(t, exact.New(g, exact.Bytes{}), 1)
	end()
	for _, episode := range episodes {
		if !episode.Outcome.Rewarded() {
			t.Errorf("outcome %s: %s", episode.Outcome, episode.Error)
		}
	}
	if strings.Contains(log.String(), "is down") || !slices.Equal(told, slices.Repeat([]remote.Kind{remote.Aborted}, 6)) {
		t.Errorf("told of %v, logged %q", told, log.String())
	}
}
