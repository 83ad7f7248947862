package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A hosts scenario counts with a machine, in which live runs the program.
type hosts struct {
	counts
	live func(ctx context.Context, url string, problem []byte, asked func() time.Duration) (string, error)
}

func (h hosts) Env(p quintain.Problem) (quintain.Env, error) {
	env, err := h.counts.Env(p)
	return &host{env, h.live, 0}, err
}

// A host is an episode whose reward is the number of its calls.
type host struct {
	quintain.Env
	live  func(ctx context.Context, url string, problem []byte, asked func() time.Duration) (string, error)
	calls int
}

func (h *host) Step(context.Context, quintain.Reply) (quintain.Step, error) {
	return quintain.Step{Reward: float64(h.calls), End: quintain.Truncated, Metrics: map[string]float64{"calls": float64(h.calls)}, Record: []byte(`{"a":1}`)}, nil
}

func (h *host) About() map[string]any { return map[string]any{"instruction": "go"} }

func (h *host) Routes() []web.Route {
	return []web.Route{{Method: "POST", Path: "/exec", Serve: func(c *web.Call) error {
		h.calls++
		return c.JSON(200, []byte(`{"output": "done"}`))
	}}}
}

func (h *host) Live(ctx context.Context, problem []byte, asked func() time.Duration, serve Serve) (said string, err error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	failed := serve(ctx, l, func() { said, err = h.live(ctx, "http://"+l.Addr().String(), problem, asked) })
	return said, errors.Join(err, failed)
}

func TestAProgramWithinAHost(t *testing.T) {
	call := func(url, key string) (int, string) { return post(url+"/v1/chat/completions", key, body) }
	for _, test := range []struct {
		why  string
		live func(ctx context.Context, url string, problem []byte, asked func() time.Duration) (string, error)
		want string
	}{
		{"it asks with any key, and waits for the reply", func(_ context.Context, url string, problem []byte, asked func() time.Duration) (string, error) {
			var about struct{ Instruction string }
			err := json.Unmarshal(problem, &about)
			status, _ := call(url, "sk-any")
			again, _ := call(url, "")
			return fmt.Sprint(about.Instruction, status, again, asked() > 0), err
		}, "scored truncated 2 go200 200 true"},
		{"it asks nothing", func(context.Context, string, []byte, func() time.Duration) (string, error) { return "", nil }, "env_failed  0 "},
		{"its machine fails", func(_ context.Context, url string, _ []byte, _ func() time.Duration) (string, error) {
			_, _ = call(url, "")
			return "", quintain.ErrLost
		}, "infra_failed  1 "},
		{"it stays once the session is over", func(ctx context.Context, url string, _ []byte, _ func() time.Duration) (string, error) {
			for status := 200; status == 200; {
				status, _ = call(url, "")
			}
			<-ctx.Done()
			return "so far\n", context.Cause(ctx)
		}, "scored truncated 3 so far\n[the program ended: killed by quintain]\n"},
	} {
		how := Default()
		how.Limits.Calls, how.Leave = 3, time.Millisecond
		program, err := Within(how)
		if err != nil {
			t.Fatal(err)
		}
		of := program.Over(hosts{live: test.live})
		problem, err := of.Problem(quintain.Draw{Index: 3})
		if err != nil {
			t.Fatal(err)
		}
		played, err := rollout.Play(t.Context(), says("a"), quintain.Sampling{}, rollout.Job{Scenario: of, Problem: problem})
		if got := fmt.Sprintf("%s %s %d %s", played.Outcome, played.End, len(played.Turns), played.Output); got != test.want || err != nil {
			t.Errorf("%s: %q, error %v; want %q", test.why, got, played.Error, test.want)
		}
		if played.Outcome.Rewarded() && string(played.Turns[played.Last()].Record) != `{"a":1}` {
			t.Errorf("%s: %+v", test.why, played.Turns)
		}
	}
}

func TestAScenarioWithoutAMachine(t *testing.T) {
	program, err := Within(Default())
	if err != nil {
		t.Fatal(err)
	}
	of := program.Over(counts{})
	problem, err := of.Problem(quintain.Draw{Index: 3})
	if err != nil {
		t.Fatal(err)
	}
	if played, err := rollout.Play(t.Context(), says("a"), quintain.Sampling{}, rollout.Job{Scenario: of, Problem: problem}); err != nil || !strings.Contains(played.Error, "no machine") {
		t.Errorf("%s: %s, error %v", played.Outcome, played.Error, err)
	}
}

// A program outside acts on the machine of its host, whose tests judge it even if it failed.
func TestAProgramActsOnAHost(t *testing.T) {
	for _, way := range []string{"acts", "acts and fails"} {
		played := playOf(t, scene(t, way), script.Always("a"), hosts{})
		if played.Outcome != quintain.Scored || played.Reward() != 1 || !strings.Contains(played.Output, "404 200 done") {
			t.Errorf("%s: %s, reward %v, %s, error %s", way, played.Outcome, played.Reward(), played.Output, played.Error)
		}
	}
}
