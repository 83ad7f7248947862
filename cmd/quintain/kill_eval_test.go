package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/trace"
)

// fixedGuesses answers every question by its length, so it is right now and then, and always
// the same. It calls asked for each request.
func fixedGuesses(asked func()) func([]quintain.Message, int) string {
	return func(talk []quintain.Message, k int) string {
		if k == 0 {
			asked()
		}
		return fmt.Sprintf("<answer>%d</answer>", len(talk[len(talk)-1].Content)%9+k)
	}
}

// An evaluation that is killed again and again ends with the report of an undisturbed one,
// and keeps each problem once. Problems kept before a kill are not asked again.
func TestKilledEvalGoesOn(t *testing.T) {
	const problems, parallel, rounds = 60, 4, 4
	asked := make(chan struct{}, 10*problems)
	url := (&policytest.Server{Reply: fixedGuesses(func() { asked <- struct{}{} })}).Start(t)
	dir := filepath.Join(t.TempDir(), "exam")
	args := []string{"eval", "--policy", "openai", "--url", url, "--model", "fake", "--tasks", "chain_sum:1,chain_sum:2", "--count", fmt.Sprint(problems / 2),
		"--samples", "3", "--parallel", fmt.Sprint(3 * parallel), "--format", "json"}
	requests, killed := 0, 0
	for round := range rounds {
		c := program(t, append(args, "--out", dir)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for range 5 + 3*round {
			<-asked
			requests++
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if c.Wait() != nil {
			killed++
		}
	}
	status := start(append(args, "--out", dir)...)
	if got := status.wait(t); got != exitOK {
		t.Fatalf("status %d\n%s", got, status.stderr.String())
	}
	if requests += len(asked); killed != rounds || requests < problems || requests > problems+rounds*2*parallel {
		t.Errorf("killed %d times, %d requests for %d problems: what was under way may be asked again, %d a kill", killed, requests, problems, 2*parallel)
	}
	sameEvaluation(t, dir, evalOnce(t, args))
	eachKeptOnce(t, dir, problems)
}

// evalOnce returns the report of an undisturbed evaluation.
func evalOnce(t *testing.T, args []string) *exam.Report {
	t.Helper()
	p := start(args...)
	if got := p.wait(t); got != exitOK {
		t.Fatalf("status %d\n%s", got, p.stderr.String())
	}
	var r exam.Report
	if err := json.NewDecoder(strings.NewReader(p.stdout.String())).Decode(&r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// sameEvaluation compares the report of a folder with another, but for the time it took.
func sameEvaluation(t *testing.T, dir string, want *exam.Report) {
	t.Helper()
	got, err := exam.ReadReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	got.Seconds, want.Seconds = 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the report is %+v, and undisturbed it is %+v", got.Summary, want.Summary)
	}
}

// eachKeptOnce checks that the trace of a folder has each problem once.
func eachKeptOnce(t *testing.T, dir string, problems int) {
	t.Helper()
	r, err := trace.Open(filepath.Join(dir, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	entries := r.Find(trace.Query{Drop: trace.Kept})
	for _, e := range entries {
		kept[e.Group] = true
	}
	if len(entries) != problems || len(kept) != problems || r.Damaged() != 0 {
		t.Errorf("%d records of %d problems, want %d of each once; damaged: %d", len(entries), len(kept), problems, r.Damaged())
	}
}

// Ctrl-C ends an evaluation with a report so far, and the next one resumes it.
func TestInterruptedEvalGoesOn(t *testing.T) {
	asked := make(chan struct{}, 1000)
	url := (&policytest.Server{Reply: fixedGuesses(func() { asked <- struct{}{} })}).Start(t)
	dir := filepath.Join(t.TempDir(), "exam")
	args := []string{"eval", "--policy", "openai", "--url", url, "--model", "fake", "--tasks", "chain_sum:1", "--count", "40", "--parallel", "1", "--format", "json"}
	p := start(append(args, "--out", dir)...)
	for range 10 {
		<-asked
	}
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), "interrupted") {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	r, err := exam.ReadReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	if played := len(r.Rows[0].Problems); r.Left != 40-played || played < 9 || played > 39 {
		t.Errorf("%d problems are played, %d left", played, r.Left)
	}
	if status := start("eval", "compare", dir, dir).wait(t); status != exitOK {
		t.Errorf("what there is is not compared: status %d", status)
	}
	next := start(append(args, "--out", dir)...)
	if status := next.wait(t); status != exitOK || !strings.Contains(next.stderr.String(), "with the results of") {
		t.Fatalf("status %d\n%s", status, next.stderr.String())
	}
	sameEvaluation(t, dir, evalOnce(t, args))
}

// A failure of the server is no result: once the server works, failed problems are played
// again. Three failures use up the replays of an episode.
func TestEvalGoesOnAfterItsServerFailed(t *testing.T) {
	busy := policytest.Status(500)
	server := &policytest.Server{Reply: fixedGuesses(func() {}), Faults: []policytest.Fault{nil, nil, busy, busy, busy}}
	url := server.Start(t)
	dir := filepath.Join(t.TempDir(), "exam")
	args := []string{"eval", "--policy", "openai", "--url", url, "--model", "fake", "--with", "policy.retries=0", "--tasks", "chain_sum:1", "--count", "10",
		"--parallel", "1", "--with", "exam.max_failed=1", "--format", "json"}
	evalOnce(t, append(args, "--out", dir))
	first, err := exam.ReadReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	again := evalOnce(t, append(args, "--out", dir))
	if first.Failed == 0 || again.Failed != 0 || again.Scored != 10 {
		t.Errorf("first %d failed; then %d failed, %d scored", first.Failed, again.Failed, again.Scored)
	}
	eachKeptOnce(t, dir, 10)
}

// A server may move, but another model does not go on with an evaluation, also if no
// setting names one.
func TestEvalGoesOnWithTheSameModelOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exam")
	for _, test := range []struct {
		why, model string
		status     int
		says       string
	}{
		{"a new evaluation", "first", exitOK, "has the model first"},
		{"the same model at another address", "first", exitOK, "with the results of 4 problems"},
		{"another model", "second", exitFailed, `with policy.model "first", and this one has "second"`},
	} {
		url := (&policytest.Server{Model: test.model, Reply: fixedGuesses(func() {})}).Start(t)
		p := start("eval", "--policy", "server", "--url", url, "--tasks", "chain_sum:1", "--count", "4", "--out", dir)
		if status := p.wait(t); status != test.status || !strings.Contains(p.stderr.String(), test.says) {
			t.Errorf("%s: status %d\n%s", test.why, status, p.stderr.String())
		}
	}
}
