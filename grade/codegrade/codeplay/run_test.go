package codeplay

import (
	"context"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/sandbox"
)

// replies of the fake server: calls in two spellings, one that cannot be read, and answers.
const replies = `{"text":"<tool_call>\n{\"name\": \"python\", \"arguments\": {\"code\": \"+20\"}}\n</tool_call>"}
{"text":"I add.\n<tool_call>{\"arguments\":{\"code\":\"+1\"},\"name\":\"python\"}</tool_call>"}
{"text":"<tool_call>{\"name\": \"python\", \"arguments\": {\"code\": 7}}</tool_call>"}
{"text":"<tool_call>{\"name\": \"python\", \"arguments\": {"}
{"text":"<answer>42</answer>"}
{"text":"<answer>41</answer>"}
`

// serve returns a policy with exact tokens over a fake server.
func serve(t *testing.T) quintain.Policy {
	t.Helper()
	c := fake.Config{Server: fake.Defaults()}
	c.Server.Rate, c.Server.FirstToken, c.Server.Seed, c.Server.Replies = 0, 0, 7, filepath.Join(t.TempDir(), "replies.jsonl")
	if err := os.WriteFile(c.Server.Replies, []byte(replies), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := fake.New(c)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	from, err := engines.NewSGLang(remote.Config{URL: web.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(from.CloseIdle)
	r, err := (&exact.Files{Tokenizer: policytest.ByteModel(t, policytest.Hermes, 0)}).Renderer("fake", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return exact.New(from, r)
}

// A failing is a sandbox, each of whose sessions ends with its third cell, by a fault of the machine.
type failing struct {
	mu  sync.Mutex
	all []*fakeBox
}

func (f *failing) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	box := &fakeBox{faults: map[int]error{3: sandbox.ErrWeak}}
	f.all = append(f.all, box)
	return box.Open(ctx, spec)
}

// Groups are played over a fake server with exact tokens, while the sandbox loses sessions. No episode forks, the
// results are read and not trained on, and no fault is text.
func TestARunWithCalls(t *testing.T) {
	t.Parallel()
	s, box := PythonToolSpec.New().(*PythonTool), &failing{}
	s.Use(box)
	of, err := PythonToolSpec.With(question{}, s)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var played []quintain.Trajectory
	next := 0
	e := &rollout.Engine{
		Policy: serve(t), Sampling: quintain.Sampling{Temperature: 1}, Size: 4, Parallel: 4,
		Next: func(context.Context) (rollout.Job, error) {
			if next++; next > 12 {
				return rollout.Job{}, io.EOF
			}
			p, err := of.Problem(quintain.Draw{Index: next})
			return rollout.Job{Scenario: of, Problem: p}, err
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
	calls, lost, unread := 0, 0, 0
	for _, tr := range played {
		if !tr.Outcome.Rewarded() {
			if tr.Outcome != quintain.InfraFailed || tr.Reward() != 0 {
				t.Errorf("%s: %s, %s", tr.ID, tr.Outcome, tr.Error)
			}
			lost++
		}
		for k := range tr.Turns {
			turn := &tr.Turns[k]
			calls += len(turn.ToolCalls)
			if turn.CallFault != "" {
				unread++
			}
			read := spelt(turn.Read)
			for _, m := range turn.Observed {
				if strings.Contains(m.Content, sandbox.ErrWeak.Error()) || k > 0 && !strings.Contains(read, m.Content) {
					t.Errorf("%s, turn %d: %+v, read as %q", tr.ID, k, m, read)
				}
			}
			if turn.Fork || strings.Contains(read, "<tool_call>{") || len(turn.ToolCalls) > 0 && !strings.Contains(spelt(turn.Wrote), "tool_call") {
				t.Errorf("%s, turn %d: fork %v, read %q, wrote %q", tr.ID, k, turn.Fork, read, spelt(turn.Wrote))
			}
		}
	}
	if len(played) != 48 || calls < 48 || unread == 0 || lost == len(played) {
		t.Errorf("%d episodes, %d calls, %d unread, %d lost", len(played), calls, unread, lost)
	}
	if !slices.ContainsFunc(box.all, func(b *fakeBox) bool { return b.cells > 2 }) {
		t.Error("no session was lost")
	}
	for _, b := range box.all {
		if b.opened != b.closed {
			t.Errorf("%d of %d sessions are closed", b.closed, b.opened)
		}
	}
}

// spelt is the text of tokens that are bytes.
func spelt(tokens []quintain.Token) string {
	raw := make([]byte, len(tokens))
	for i, token := range tokens {
		raw[i] = byte(token)
	}
	return string(raw)
}
