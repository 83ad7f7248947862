package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// echoServer is a scenario of its own problems: what is wanted is the index of the problem.
func echoServer(t *testing.T, name string, version int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID          int
			Hello       any
			Open, Solve *quintain.Problem
			Step        *struct{ Text string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"id":%d,`, asked.ID)
		switch {
		case asked.Hello != nil:
			fmt.Fprintf(w, `"hello":{"protocol":1,"name":%q,"version":%d,"levels":[{"n":1},{"n":2}],"solves":true}}`, name, version)
		case asked.Open != nil:
			fmt.Fprintf(w, `"messages":[{"role":"user","content":"Say <answer>%d</answer>."}]}`, asked.Open.Index)
		case asked.Solve != nil:
			fmt.Fprintf(w, `"solution":"%d"}`, asked.Solve.Index)
		case strings.Contains(asked.Step.Text, "<answer>"):
			fmt.Fprint(w, `"reward":1,"right":true,"end":"terminated"}`)
		default:
			fmt.Fprint(w, `"reward":-1,"malformed":true,"end":"terminated"}`)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestRunPlaysAProgram(t *testing.T) {
	data := t.TempDir()
	r := runReport(t, "--steps", "3", "--data", data, "--scenario-url", echoServer(t, "echo", 1))
	if r.Steps != 3 || len(r.Tasks) != 2 || r.Tasks[0].Label != "echo:0" || r.Tasks[1].Label != "echo:1" || r.Episodes[quintain.EnvFailed] > 0 {
		t.Errorf("report %+v", r)
	}
	shown := start("trace", "list", "--data", data, "--limit", "1")
	if status := shown.wait(t); status != exitOK || !strings.Contains(shown.stdout.String(), "echo.v1/echo.v1.s1.l") {
		t.Errorf("status %d, the trace lists\n%s%s", status, shown.stdout.String(), shown.stderr.String())
	}
}

func TestEvalPlaysAProgram(t *testing.T) {
	p := start("eval", "--policy", "script", "--delay", "0s", "--count", "5", "--format", "csv", "--accuracy", "1", "--scenario-url", echoServer(t, "echo", 1))
	if status := p.wait(t); status != exitOK || !strings.Contains(p.stdout.String(), "echo:1") {
		t.Errorf("status %d\n%s%s", status, p.stdout.String(), p.stderr.String())
	}
}

func TestProgramsThatCannotPlay(t *testing.T) {
	for _, c := range []struct {
		why    string
		args   []string
		status int
		want   string
	}{
		{"it has problems of its own", []string{"--scenario-url", echoServer(t, "echo", 1), "--tasks", "gcd"}, exitUsage, "leave out tasks"},
		{"it is invalid", []string{"--scenario-url", echoServer(t, "echo", 0)}, exitFailed, "version is 0, want 1 or more"},
		{"its IDs would be those of another", []string{"--scenario-url", echoServer(t, "reasoning_gym", 2)}, exitFailed, "give it another name"},
		{"there is none", []string{"--scenario-command", "quintain-none"}, exitFailed, "cannot be started"},
		{"it does not run", []string{"--scenario-url", "http://127.0.0.1:1"}, exitFailed, "http://127.0.0.1:1: does not answer; does it run? "},
		{"there are two", []string{"--scenario-command", "a", "--scenario-url", "http://127.0.0.1:1"}, exitUsage, "choose one"},
	} {
		p := start(append([]string{"eval", "--policy", "script"}, c.args...)...)
		if status := p.wait(t); status != c.status || !strings.Contains(p.stderr.String(), c.want) {
			t.Errorf("%s: status %d, want %d and %q\n%s", c.why, status, c.status, c.want, p.stderr.String())
		}
	}
}
