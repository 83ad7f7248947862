package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// holds is a configuration whose sessions may take that many bytes in memory.
func holds(t *testing.T, bytes int64) func(*Config) {
	t.Helper()
	return func(c *Config) { c.Folder, c.Settings.Hold = filepath.Join(t.TempDir(), "s"), bytes }
}

// released reports whether a session's tokens and texts are on disk alone.
func (b *bench) released(s MadeSession) bool {
	of := b.gateway.sessions[s.ID]
	of.mu.Lock()
	defer of.mu.Unlock()
	return of.tree.Released
}

// away has all idle sessions give up what they hold, and checks that this one did.
func (b *bench) away(s MadeSession) {
	b.t.Helper()
	b.until(func() bool { makeRoom(b.gateway); return b.released(s) })
}

// What a session gave up comes back byte by byte, whoever needs it: a look, a call that goes on, a
// retry, a response that is named, a judge, its group.
func TestHeldSessionsComeBack(t *testing.T) {
	b := open(t, holds(t, 0))
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.policy.says = []string{"Well. <tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\":1}}\n</tool_call>"}
	m := b.chatWith(s, map[string]any{"messages": []quintain.Message{user("1+2?")}, "tools": json.RawMessage(tools)}).Choices[0].Message
	retried := b.post(s, 200, ask)
	if b.released(s) {
		t.Fatal("the session is on disk before it must be")
	}
	for _, route := range []string{"/calls", "/sequences"} {
		before := b.want(200, "GET", "/v1/sessions/"+s.ID+route, "")
		b.away(s)
		if after := b.want(200, "GET", "/v1/sessions/"+s.ID+route, ""); after != before || b.released(s) {
			t.Errorf("%s:\n%s\nwas\n%s", route, after, before)
		}
	}
	before, _, _ := strings.Cut(b.want(200, "GET", "/v1/sessions/"+s.ID, ""), `"idle_for"`)
	b.away(s)
	if after := b.want(200, "GET", "/v1/sessions/"+s.ID, ""); !strings.HasPrefix(after, before) || !b.released(s) {
		t.Errorf("view %s, was %s", after, before)
	}
	if got := b.post(s, 200, ask, "X-Stainless-Retry-Count", "1"); got != retried {
		t.Errorf("the retry got %s, was %s", got, retried)
	}
	b.away(s)
	on := []quintain.Message{user("1+2?"), m, {Role: quintain.RoleTool, Content: "3", ToolCallID: m.ToolCalls[0].ID}}
	b.chatWith(s, map[string]any{"messages": on, "tools": json.RawMessage(tools)})
	if got := b.lastCall(s); got != "extends 0" {
		t.Errorf("the call that goes on: %s", got)
	}
	named := parse[struct{ ID string }](t, b.want(200, "POST", s.OpenAI+"/responses", `{"input": "one"}`))
	b.away(s)
	b.want(200, "POST", s.OpenAI+"/responses", fmt.Sprintf(`{"input": "two", "previous_response_id": %q}`, named.ID))
	if last := b.policy.asked[len(b.policy.asked)-1]; len(last.Messages) != 3 || textOf(last.Context) != "<user>onereply 4\n" {
		t.Errorf("it continues %+v, %q", last.Messages, textOf(last.Context))
	}
	b.away(s)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	if r := b.result().Trajectories[0]; r.Outcome != quintain.Scored || len(r.Turns) != 5 || textOf(r.Turns[0].Read) != "<user>1+2?" || r.Turns[0].Call.Tools == nil {
		t.Errorf("%+v", r)
	}
	b.until(func() bool { // its group is done, and then the journal has nothing of it
		makeRoom(b.gateway)
		status, _ := b.do("GET", "/v1/sessions/"+s.ID+"/calls", "")
		return status == 410
	})
	b.post(s, 410, ask, "X-Stainless-Retry-Count", "1")
}

// The task and the program judge what is on disk.
func TestHeldSessionsAreJudged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grade.sh")
	if err := os.WriteFile(path, []byte(`grep -q '"right"' && echo '{"reward": 1}'`), 0o600); err != nil {
		t.Fatal(err)
	}
	for spec, program := range map[string]string{`{}`: "", `{"name": "x"}`: "sh " + path} {
		b := open(t, func(c *Config) {
			holds(t, 0)(c)
			c.GroupSize, c.Settings.Grader = 1, program
		})
		b.policy.says = []string{"right"}
		s := b.make(spec).Sessions[0]
		b.post(s, 200, ask)
		b.away(s)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		if r := b.result().Trajectories[0]; r.Outcome != quintain.Scored || r.Reward() != 1 {
			t.Errorf("%s: %s, %v, %s", spec, r.Outcome, r.Reward(), r.Error)
		}
	}
}

// A session whose calls cannot be read back refuses calls, and has no reward. One that can be read
// again goes on.
func TestHeldSessionsOnABrokenDisk(t *testing.T) {
	broken := errors.New("input/output error at /secret/place")
	for _, test := range []struct {
		why  string
		then func(b *bench, s MadeSession)
		want quintain.Outcome
	}{
		{"a call", func(b *bench, s MadeSession) {
			if text := b.post(s, 503, ask); strings.Contains(text, "secret") {
				t.Error(text)
			}
		}, quintain.InfraFailed},
		{"a retry", func(b *bench, s MadeSession) { b.post(s, 503, ask, "X-Stainless-Retry-Count", "1") }, quintain.InfraFailed},
		{"a look", func(b *bench, s MadeSession) { b.want(503, "GET", "/v1/sessions/"+s.ID+"/calls", "") }, quintain.InfraFailed},
		{"nobody before its group", func(*bench, MadeSession) {}, quintain.InfraFailed},
		{"a call before the disk is back", func(b *bench, s MadeSession) {
			b.post(s, 503, ask)
			b.disk.loses(nil)
			b.post(s, 200, ask)
		}, quintain.Scored},
	} {
		b := open(t, holds(t, 0))
		made := b.make(`{"name": "x", "of": 2}`)
		s, other := made.Sessions[0], made.Sessions[1]
		b.post(s, 200, ask)
		b.away(s)
		b.disk.loses(broken)
		test.then(b, s)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		b.play(other, "1")
		r := b.result()
		if got := r.Trajectories[0]; got.Outcome != test.want || got.Reward() != map[bool]float64{true: 1}[got.Outcome.Rewarded()] {
			t.Errorf("%s: %s, %s", test.why, got.Outcome, got.Error)
		}
		if got := r.Trajectories[1]; got.Outcome != quintain.Scored {
			t.Errorf("%s: the other session: %s, %s", test.why, got.Outcome, got.Error)
		}
	}
}

// The journal rewrites its files while sessions are on disk alone, and a later process reads them
// only when it needs them.
func TestHeldSessionsThroughTidyingAndRestart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	change := func(c *Config) { c.Folder, c.Settings.Hold, c.Settings.MaxSessions = folder, 0, 1000 }
	b := open(t, change)
	var stay []MadeSession
	var want []string
	for i := range 40 {
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		b.post(s, 200, fmt.Sprintf(`{"messages": [{"role": "user", "content": "%s"}]}`, strings.Repeat("word ", 100)))
		if i%4 == 0 {
			stay = append(stay, s)
			want = append(want, b.want(200, "GET", "/v1/sessions/"+s.ID+"/calls", ""))
			continue
		}
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		b.result()
	}
	check := func() {
		t.Helper()
		for i, s := range stay {
			if got := b.want(200, "GET", "/v1/sessions/"+s.ID+"/calls", ""); got != want[i] {
				t.Errorf("session %d: %s\nwas\n%s", i, got, want[i])
			}
		}
	}
	for _, s := range stay {
		b.away(s)
	}
	kept := b.disk.store.(*journal.Journal)
	b.until(func() bool { st := kept.Stats(); return st.Live > st.Bytes/2 })
	check()
	b.stop()
	b = open(t, change)
	for _, s := range stay {
		if !b.released(s) {
			t.Error("a session is in memory from the beginning")
		}
	}
	check()
}

// Those that are idle the longest go first, and no more than need be; none goes without a journal.
func TestTheLongestIdleGoFirst(t *testing.T) {
	for _, kept := range []bool{true, false} {
		b := open(t, func(c *Config) {
			if holds(t, 1<<30)(c); !kept {
				c.Folder = ""
			}
		})
		made := b.make(`{"name": "x", "of": 4}`).Sessions
		now := time.Now()
		for i, s := range made {
			b.post(s, 200, ask)
			of := b.gateway.sessions[s.ID]
			b.until(func() bool {
				of.mu.Lock()
				defer of.mu.Unlock()
				return of.isIdle()
			})
			of.mu.Lock()
			of.used = now.Add(-time.Duration([]int{1, 4, 2, 3}[i]) * time.Minute)
			of.mu.Unlock()
		}
		size := int64(b.gateway.sessions[made[0].ID].tree.Size)
		b.gateway.config.Settings.Hold = 7 * size / 2
		b.until(func() bool { makeRoom(b.gateway); return !kept || b.released(made[1]) })
		var got []bool
		for _, s := range made {
			got = append(got, b.released(s))
		}
		if want := []bool{false, kept, false, kept}; !slices.Equal(got, want) {
			t.Errorf("with a journal: %v; on disk alone: %v, want %v", kept, got, want)
		}
	}
}

// An agent that does whatever agents do gets the same from sessions that are on disk whenever nobody
// needs them.
func TestEachUsedTokenOfHeldSessionsIsTrainedOnOnce(t *testing.T) {
	out, wait := checker(t)
	hermes, err := toolcall.Named("hermes")
	if err != nil {
		t.Fatal(err)
	}
	d := newDice(10, policy.End)
	host := &lobby{got: map[string]chan rollout.Result{}}
	c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret"), Folder: filepath.Join(t.TempDir(), "s")}
	c.Settings.MaxSequences, c.Settings.Hold = 1000, 0
	b := start(t, c, Player{Policy: exact.New(d, exact.Bytes{}), Format: hermes, Encode: exact.Bytes{}.Encode}, host)
	var clearing sync.WaitGroup
	stop := make(chan struct{})
	clearing.Go(func() {
		tick := time.NewTicker(time.Millisecond / 2)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				makeRoom(b.gateway)
			case <-stop:
				return
			}
		}
	})
	var all sync.WaitGroup
	var writing sync.Mutex
	for k := range uint64(4) {
		all.Go(func() {
			for seed := k; seed < sessionsPlayed/4; seed += 4 {
				text, err := json.Marshal(b.playOut(seed+2<<32, d, host))
				if err != nil {
					t.Error(err)
				}
				writing.Lock()
				_, _ = out.Write(append(text, '\n'))
				writing.Unlock()
			}
		})
	}
	all.Wait()
	close(stop)
	clearing.Wait()
	wait()
	b.disk.mu.Lock()
	defer b.disk.mu.Unlock()
	if b.disk.reads < sessionsPlayed/4 {
		t.Errorf("sessions were read back %d times", b.disk.reads)
	}
}

// A lost reply that cannot be read back for a retry stays lost: its fate does not change on the way.
func TestLostRepliesOnABrokenDisk(t *testing.T) {
	b := open(t, holds(t, 0))
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.lose(s, ask)
	b.away(s)
	fate := func() (lost bool, changes int) {
		in := b.gateway.sessions[s.ID]
		b.until(func() bool { in.mu.Lock(); defer in.mu.Unlock(); return in.waiting == 0 })
		in.mu.Lock()
		defer in.mu.Unlock()
		return in.tree.Nodes[0].Lost, in.tree.Nodes[0].News
	}
	_, before := fate()
	b.disk.loses(errors.New("input/output error"))
	b.post(s, 503, ask, "X-Stainless-Retry-Count", "1")
	if lost, changes := fate(); !lost || changes != before {
		t.Errorf("after a refused retry: lost %v, %d changes, want %d", lost, changes, before)
	}
	b.disk.loses(nil)
	b.post(s, 200, ask, "X-Stainless-Retry-Count", "1")
	if lost, changes := fate(); lost || changes != before+1 {
		t.Errorf("after a retry: lost %v, %d changes, want %d", lost, changes, before+1)
	}
}
