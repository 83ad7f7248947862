//go:build heavy

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/openenv"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// start runs a server of up to eight sessions until the test ends, and returns its URL.
func start(t *testing.T) string {
	t.Helper()
	book, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		t.Fatal(err)
	}
	routes, _ := openenv.Routes(book, sessions.Limits{Most: 8, Idle: time.Minute})
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	addr, _ := webtest.Serve(t, s)
	return "http://" + addr
}

func TestOpenEnv(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why      string
		sessions int
		task     string
		failed   int
		steps    int
		last     string
	}{
		{"all sessions are played", 8, "chain_sum", 0, 16, ""},
		{"a session too many fails", 9, "chain_sum", 1, 16, "CAPACITY_REACHED"},
		{"a task that there is not", 2, "x", 2, 0, "EXECUTION_ERROR"},
	} {
		load := SessionLoad{URL: start(t) + "/", Sessions: test.sessions, Episodes: 2, Wait: time.Millisecond, Task: test.task, Dialing: 2}
		row, err := load.Run(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		if row.Sessions != test.sessions || row.Failed != test.failed || row.Steps != test.steps || !strings.Contains(row.LastError, test.last) {
			t.Errorf("%s: %+v", test.why, row)
		}
		if test.steps > 0 && (row.StepP50 <= 0 || row.StepP50 > row.StepP99 || row.StepP99 > row.StepMost) {
			t.Errorf("%s: quantiles of %+v", test.why, row)
		}
	}
}

func TestRunOfNoServer(t *testing.T) {
	t.Parallel()
	load := DefaultSessions()
	load.URL, load.Sessions = "http://127.0.0.1:1", 2
	if row, err := load.Run(t.Context()); err != nil || row.Failed != 2 || row.LastError == "" {
		t.Errorf("without a server: %+v, error %v", row, err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*SessionLoad){
		"sessions": func(l *SessionLoad) { l.Sessions = 0 },
		"episodes": func(l *SessionLoad) { l.Episodes = -1 },
		"dialing":  func(l *SessionLoad) { l.Dialing = 0 },
		"wait":     func(l *SessionLoad) { l.Wait = -1 },
	} {
		load := DefaultSessions()
		change(&load)
		if _, err := load.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), field+": ") {
			t.Errorf("%s: error %v", field, err)
		}
	}
}
