package main

import (
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain"
	judges "github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/trace"
)

// A run whose judge is away keeps its groups without a verdict. Once the judge is back, they are
// judged, and the run trains on them, each once, however often judging them is killed.
func TestUngradedGroupsAreJudgedLater(t *testing.T) {
	var away atomic.Bool
	away.Store(true)
	asked := make(chan struct{}, 1<<16)
	judge := &policytest.Server{Model: "m", Reply: func(talk []quintain.Message, _ int) string {
		asked <- struct{}{}
		lines := strings.Split(talk[0].Parts[1].Text, "\n") // the first and the last are the fence
		odd := crc32.ChecksumIEEE([]byte(strings.Join(lines[2:len(lines)-2], "\n")))&1 == 1
		return fmt.Sprintf(`{"good": %q, "code": %q}`, map[bool]string{true: "yes", false: "no"}[odd], judges.Code(talk))
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			http.Error(w, "no such model", http.StatusNotFound)
			return
		}
		judge.ServeHTTP(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	data, settings := filepath.Join(dir, "data"), filepath.Join(dir, "judge.yaml")
	for name, text := range map[string]string{
		filepath.Join(dir, "rubric.yaml"): "criteria: [{name: good, text: 'Is it good?'}]\n",
		settings:                          fmt.Sprintf("rubric: '%s'\nurl: ['%s/v1']\nmodel: m\ncheck: {every: 0}\n", filepath.Join(dir, "rubric.yaml"), server.URL),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	play := []string{"run", "--port", "0", "--data", data, "--policy", "script", "--with", "policy.delay=1ms", "--tasks", "chain_sum:0", "--judge", settings, "--with", "rules.min_trainable=0"}
	say := func(status int, args ...string) string {
		t.Helper()
		p := start(args...)
		if got := p.wait(t); got != status {
			t.Fatalf("%v: status %d, want %d\n%s", args, got, status, p.stderr.String())
		}
		return p.stdout.String()
	}
	if text := say(exitOK, append(play, "--minutes", "0.01")...); !strings.Contains(text, "ungraded") {
		t.Errorf("the report does not say that groups are ungraded:\n%s", text)
	}
	waits := len(tracedAs(t, data, "ungraded"))
	if waits == 0 {
		t.Fatal("no group is ungraded")
	}
	if text := say(exitFailed, "judge", "resume", "--data", data); !strings.Contains(text, "still have no verdict") {
		t.Errorf("while the judge is away: %s", text)
	}
	away.Store(false)
	for calls := 3; calls < 20; calls += 8 {
		c := program(t, "judge", "resume", "--data", data)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for n := 0; n < calls; n++ {
			select {
			case <-asked:
			case err := <-ended: // nothing was left
				ended <- err
				n = calls
			}
		}
		_ = c.Process.Kill() // it may have ended
		<-ended
	}
	say(exitOK, "judge", "resume", "--data", data)
	kept := tracedAs(t, data, trace.Kept)
	if len(kept) == 0 || len(kept) > waits {
		t.Errorf("%d groups are kept, of %d", len(kept), waits)
	}
	if text := say(exitOK, "judge", "resume", "--data", data); !strings.HasPrefix(text, "0 groups judged") {
		t.Errorf("the second time: %s", text)
	}
	if text := say(exitOK, "hub", "queue", "dump", data); strings.Count(text, "\n") != len(kept) {
		t.Errorf("the queue has %d groups, want %d", strings.Count(text, "\n"), len(kept))
	}
	say(exitOK, append(play, "--steps", "1")...)
	met := map[string]bool{}
	for _, e := range tracedAs(t, data, trace.Kept) {
		if met[e.Group] {
			t.Errorf("group %s was kept twice", e.Group)
		}
		met[e.Group] = true
	}
}

// tracedAs lists the groups of a trace by why they were dropped.
func tracedAs(t *testing.T, data, drop string) []trace.Entry {
	t.Helper()
	r, err := trace.Open(filepath.Join(data, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	return r.Find(trace.Query{Drop: drop})
}
