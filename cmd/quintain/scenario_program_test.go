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

// echoServer is a scenario with its own problems. The right reply is the problem's index.
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
		case asked.Step == nil: // the end of an episode that was given up
			fmt.Fprint(w, `"reward":0}`)
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
	r := runReport(t, "--steps", "3", "--data", data, "--environment", echoServer(t, "echo", 1))
	if r.Steps != 3 || len(r.Tasks) != 2 || r.Tasks[0].Label != "echo:0" || r.Tasks[1].Label != "echo:1" || r.Episodes[quintain.EnvFailed] > 0 {
		t.Errorf("report %+v", r)
	}
	shown := start("trace", "list", "--data", data, "--limit", "1")
	if status := shown.wait(t); status != exitOK || !strings.Contains(shown.stdout.String(), "echo.v1/echo.v1.s1.l") {
		t.Errorf("status %d, the trace lists\n%s%s", status, shown.stdout.String(), shown.stderr.String())
	}
}

func TestEvalPlaysAProgram(t *testing.T) {
	p := start("eval", "--policy", "script", "--with", "policy.delay=0s", "--count", "5", "--format", "csv", "--with", "policy.accuracy=1", "--environment", echoServer(t, "echo", 1))
	if status := p.wait(t); status != exitOK || !strings.Contains(p.stdout.String(), "echo:1") {
		t.Errorf("status %d\n%s%s", status, p.stdout.String(), p.stderr.String())
	}
}

func TestAskPlaysAProgram(t *testing.T) {
	own, over := echoServer(t, "echo", 1), taskServer(t)
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--environment", own, "--index", "7"}, exitOK, "problem echo.v1/echo.v1.s1.l0.7\n"},
		{[]string{"echo", "--environment", own, "--index", "7"}, exitOK, "Say <answer>7</answer>."},
		{[]string{"echo:1", "--environment", own, "--index", "7"}, exitOK, "problem echo.v1/echo.v1.s1.l1.7\n"},
		{[]string{"echo:2", "--environment", own}, exitUsage, "echo:2: the program plays echo, at the levels 0 to 1"},
		{[]string{"gcd", "--environment", own}, exitUsage, "gcd: the program plays echo"},
		{[]string{"gcd", "--environment", over, "--index", "7"}, exitOK, "What now?"},
		{[]string{"--environment", over}, exitUsage, "it plays tasks: name one"},
	} {
		p := start(append([]string{"ask", "--policy", "script", "--data", t.TempDir()}, c.args...)...)
		if status := p.wait(t); status != c.status || !strings.Contains(p.stdout.String()+p.stderr.String(), c.want) {
			t.Errorf("%v: status %d, want %d and %q\n%s%s", c.args, status, c.status, c.want, p.stdout.String(), p.stderr.String())
		}
	}
}

// taskServer is a scenario of the problems of tasks, which ends with any reply.
func taskServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID          int
			Hello, Open any
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		said := `"reward":1,"right":true,"end":"terminated"`
		switch {
		case asked.Hello != nil:
			said = `"hello":{"protocol":1,"name":"over","version":1}`
		case asked.Open != nil:
			said = `"messages":[{"role":"user","content":"What now?"}]`
		}
		fmt.Fprintf(w, `{"id":%d,%s}`, asked.ID, said)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestProgramsThatCannotPlay(t *testing.T) {
	for _, c := range []struct {
		why    string
		args   []string
		status int
		want   string
	}{
		{"it has problems of its own", []string{"--environment", echoServer(t, "echo", 1), "--tasks", "gcd"}, exitUsage, "leave out tasks"},
		{"it is invalid", []string{"--environment", echoServer(t, "echo", 0)}, exitFailed, "version is 0, want 1 or more"},
		{"its IDs would be those of another", []string{"--environment", echoServer(t, "reasoning_gym", 2)}, exitFailed, "give it another name"},
		{"there is none", []string{"--environment", "command:quintain-none"}, exitFailed, "cannot be started"},
		{"it does not run", []string{"--environment", "http://127.0.0.1:1"}, exitFailed, "http://127.0.0.1:1: does not answer; does it run? "},
		{"there are two", []string{"--environment", "agent:a", "--environment", "agent:b"}, exitUsage, "choose one"},
	} {
		p := start(append([]string{"eval", "--policy", "script"}, c.args...)...)
		if status := p.wait(t); status != c.status || !strings.Contains(p.stderr.String(), c.want) {
			t.Errorf("%s: status %d, want %d and %q\n%s", c.why, status, c.status, c.want, p.stderr.String())
		}
	}
}

func TestScenariosCheck(t *testing.T) {
	told, playful := echoServer(t, "echo", 1), taskServer(t)
	drawn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // its solution is drawn anew each time
		var asked struct {
			ID                 int
			Hello, Open, Solve any
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch {
		case asked.Hello != nil:
			fmt.Fprintf(w, `{"id":%d,"hello":{"protocol":1,"name":"drawn","version":1,"levels":[{}],"solves":true}}`, asked.ID)
		case asked.Open != nil:
			fmt.Fprintf(w, `{"id":%d,"messages":[{"role":"user","content":"Guess."}]}`, asked.ID)
		case asked.Solve != nil:
			fmt.Fprintf(w, `{"id":%d,"solution":"%d"}`, asked.ID, asked.ID)
		default:
			fmt.Fprintf(w, `{"id":%d,"reward":1,"end":"terminated"}`, asked.ID)
		}
	}))
	t.Cleanup(drawn.Close)
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--environment", playful}, exitFailed, "FAIL  reward.constant"},
		{[]string{"--environment", told}, exitFailed, "FAIL  leak.answer"},
		{[]string{"--environment", drawn.URL}, exitFailed, "FAIL  repro.same: the solution of a problem"},
		{[]string{"--environment", playful, "no_such_task"}, exitUsage, "no_such_task"},
		{[]string{"--environment", "http://127.0.0.1:1"}, exitUsage, "does not answer; does it run?"},
		{nil, exitUsage, "which program? Name one by --environment"},
		{[]string{"a", "b"}, exitUsage, "wants one TASK at most, has 2"},
	} {
		p := start(append([]string{"scenarios", "check"}, c.args...)...)
		if status := p.wait(t); status != c.status || !strings.Contains(p.stdout.String()+p.stderr.String(), c.want) {
			t.Errorf("%q: status %d, want %d with %q\n%s%s", c.args, status, c.status, c.want, p.stdout.String(), p.stderr.String())
		}
	}
}
