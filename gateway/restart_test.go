package gateway

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/gateway/tree"
)

// in is a configuration whose journal is in a folder.
func in(folder string) func(*Config) {
	return func(c *Config) { c.Folder, c.Keys = folder, true }
}

// again ends a gateway, and opens another on its folder.
func (b *bench) again(folder string) *bench {
	b.t.Helper()
	b.stop()
	return open(b.t, in(folder))
}

// at is the address of a session's calls on this port: a restarted gateway has another.
func (b *bench) at(s MadeSession) MadeSession {
	s.OpenAI = b.url + "/sessions/" + s.ID + "/v1"
	return s
}

const ask = `{"messages": [{"role": "user", "content": "?"}]}`

// post makes a call with a session's key.
func (b *bench) post(s MadeSession, status int, body string, headers ...string) string {
	b.t.Helper()
	return b.want(status, "POST", b.at(s).OpenAI+"/chat/completions", body, append([]string{"Authorization", "Bearer " + s.Key}, headers...)...)
}

// After a restart the sessions, their keys and their replies are there.
func TestRestart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.post(s, 200, ask)
	second := b.post(s, 200, ask)
	two := b.post(s, 200, `{"n": 2, "messages": [{"role": "user", "content": "two"}]}`)
	b = b.again(folder)
	if got := b.post(s, 200, ask, "X-Stainless-Retry-Count", "1"); got != second {
		t.Errorf("the retry got\n%s\nwant\n%s", got, second)
	}
	if got := b.post(s, 200, `{"n": 2, "messages": [{"role": "user", "content": "two"}]}`, "X-Stainless-Retry-Count", "1"); got != two {
		t.Errorf("the retry got\n%s\nwant\n%s", got, two)
	}
	b.post(s, 200, `{"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "reply 2"}, {"role": "user", "content": "on"}]}`)
	if last := b.gateway.sessions[s.ID].tree.Nodes[4]; last.Parent == nil || last.Turn.Call.Class != tree.Extends {
		t.Errorf("%+v", last.Turn.Call)
	}
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	if r := b.result(); len(r.Trajectories[0].Turns) != 5 || r.Trajectories[0].Outcome != quintain.Scored || r.Trajectories[0].Vocabulary != "bytes" {
		t.Errorf("%+v", r.Trajectories[0])
	}
}

// A reply that did not arrive before a restart counts as lost after it, until its retry.
func TestRestartWithLostReplies(t *testing.T) {
	for _, test := range []struct {
		why  string
		then func(b *bench, s MadeSession)
		want string
	}{
		{"nobody asks again", func(*bench, MadeSession) {}, tree.Undelivered},
		{"a retry that does not arrive either", func(b *bench, s MadeSession) { b.lose(s, ask, "X-Stainless-Retry-Count", "1") }, tree.Undelivered},
		{"a retry", func(b *bench, s MadeSession) { b.post(s, 200, ask, "X-Stainless-Retry-Count", "1") }, ""},
	} {
		folder := filepath.Join(t.TempDir(), "s")
		b := open(t, in(folder))
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		b.lose(s, ask)
		b = b.again(folder)
		test.then(b, s)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		if turns := b.result().Trajectories[0].Turns; len(turns) != 1 || turns[0].Call.Unused != test.want {
			t.Errorf("%s: %d calls, unused %q, want %q", test.why, len(turns), turns[0].Call.Unused, test.want)
		}
	}
}

// A scored task keeps its reward through a restart between its seal and that of its group.
func TestRestartBetweenSealAndGroup(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	made := b.make(`{"of": 2}`)
	b.policy.says = []string{"right"}
	b.post(made.Sessions[0], 200, ask)
	b.want(200, "POST", "/v1/sessions/"+made.Sessions[0].ID+"/end", "")
	b.want(200, "GET", "/v1/sessions/"+made.Sessions[0].ID+"?wait=10&state=sealed", "")
	b = b.again(folder)
	b.policy.says = []string{"wrong"}
	b.post(made.Sessions[1], 200, ask)
	b.want(200, "POST", "/v1/sessions/"+made.Sessions[1].ID+"/end", "")
	all := b.result().Trajectories
	if all[0].Reward() != 1 || all[1].Reward() != 0 || all[0].Outcome != quintain.Scored || all[1].Outcome != quintain.Scored {
		t.Errorf("rewards %v and %v, outcomes %s and %s", all[0].Reward(), all[1].Reward(), all[0].Outcome, all[1].Outcome)
	}
}

// What ended or failed a session holds after a restart.
func TestRestartKeepsEndsAndFailures(t *testing.T) {
	for _, test := range []struct {
		why, spec string
		play      func(b *bench, s MadeSession)
		outcome   quintain.Outcome
		end       quintain.End
	}{
		{"the policy failed the last call", `{"name": "x", "of": 1}`, func(b *bench, s MadeSession) {
			b.post(s, 200, ask)
			b.policy.fails = []error{errors.New("the engine is gone")}
			b.post(s, 503, `{"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "reply 1"}, {"role": "user", "content": "on"}]}`)
			b.post(s, 200, ask) // another branch
		}, quintain.InfraFailed, ""},
		{"a later call made it good", `{"name": "x", "of": 1}`, func(b *bench, s MadeSession) {
			b.policy.fails = []error{errors.New("the engine is gone")}
			b.post(s, 503, ask)
			b.post(s, 200, ask)
		}, quintain.Scored, quintain.Terminated},
		{"a limit of calls ended it", `{"name": "x", "of": 1, "limits": {"calls": 1}}`, func(b *bench, s MadeSession) {
			b.post(s, 200, ask)
			b.post(s, 410, ask)
		}, quintain.Scored, quintain.Truncated},
		{"a limit of tokens ended it", `{"name": "x", "of": 1, "limits": {"tokens": 5}}`, func(b *bench, s MadeSession) {
			b.post(s, 200, ask)
			b.post(s, 410, ask)
		}, quintain.Scored, quintain.Truncated},
	} {
		folder := filepath.Join(t.TempDir(), "s")
		b := open(t, in(folder))
		s := b.make(test.spec).Sessions[0]
		test.play(b, s)
		b = b.again(folder)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		if got := b.result().Trajectories[0]; got.Outcome != test.outcome || got.End != test.end {
			t.Errorf("%s: outcome %s, end %q, want %s and %q", test.why, got.Outcome, got.End, test.outcome, test.end)
		}
	}
}

// Calls under way at the end of the gateway may be made again.
func TestStopDuringCall(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.policy.hold = make(chan struct{})
	got := make(chan string)
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.OpenAI+"/chat/completions", strings.NewReader(ask))
		if err != nil {
			t.Error(err)
		}
		got <- b.send(r)
	}()
	b.until(func() bool {
		b.policy.mu.Lock()
		defer b.policy.mu.Unlock()
		return len(b.policy.asked) > 0
	})
	go b.stop()
	if text := <-got; !strings.Contains(text, codeAskAgain) {
		t.Error(text)
	}
	b.stop()
	if of := b.gateway.sessions[s.ID]; len(of.failures) > 0 || of.state != Live {
		t.Errorf("%v, %s", of.failures, of.state)
	}
}

// A failure is in the journal before its client hears of it, and that a lost reply arrives after
// all before it goes out: else a process killed right then would tell otherwise.
func TestTheJournalComesFirst(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.policy.fails = []error{errors.New("the engine is gone")}
	b.post(s, 503, ask)
	b.disk.has(t, kindFailed)
	b.lose(s, ask)
	b.disk.has(t, kindLost)
	b.disk.fails(journal.ErrFull)
	b.post(s, 507, ask, "X-Stainless-Retry-Count", "1")
	b.disk.fails(nil)
	b.post(s, 200, ask, "X-Stainless-Retry-Count", "1")
	b.disk.has(t, kindDelivered)
}

// The news of a reply are told apart, in whatever order they are written.
func TestNewsInAnyOrder(t *testing.T) {
	g, err := New(Config{Settings: Defaults(), Secret: []byte("secret")})
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(g, &group{}, sessionRecord{ID: "s"})
	n := &tree.Node{ID: "a", Turn: quintain.Turn{Call: &quintain.Call{ID: "a"}}}
	s.tree.Add(n)
	for _, r := range []journal.Record{{Kind: kindDelivered, Data: []byte("a.2")}, {Kind: kindLost, Data: []byte("a.1")}} {
		if err := (&restorer{Gateway: g}).restoreInto(s, r); err != nil {
			t.Fatal(err)
		}
	}
	if n.Lost {
		t.Error("the reply counts as lost, which it was before it arrived")
	}
}
