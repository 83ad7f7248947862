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
)

// evalReport runs quintain eval with args to its end and returns its report.
func evalReport(t *testing.T, status int, args ...string) (*exam.Report, *process) {
	t.Helper()
	p := start(append([]string{"eval", "--format", "json"}, args...)...)
	if got := p.wait(t); got != status {
		t.Fatalf("status %d, want %d\n%s", got, status, p.stderr.String())
	}
	var r exam.Report
	if err := json.Unmarshal([]byte(p.stdout.String()), &r); err != nil {
		t.Fatalf("%v: %s", err, p.stdout.String())
	}
	return &r, p
}

// An evaluation is the same whenever it is made.
func TestEvalIsRepeatable(t *testing.T) {
	args := []string{"--policy", "script", "--count", "3", "--with", "policy.delay=1ms", "--with", "policy.accuracy=0.5", "--samples", "2"}
	a, _ := evalReport(t, exitOK, args...)
	b, _ := evalReport(t, exitOK, args...)
	a.Seconds, b.Seconds = 0, 0
	if !reflect.DeepEqual(a, b) {
		t.Errorf("reports\n%+v\n%+v", a, b)
	}
	if *a.Mean < 0.3 || *a.Mean > 0.9 || a.Episodes[quintain.Cancelled] > 0 || a.Rows[0].At[1].Pass < a.Rows[0].At[0].Pass {
		t.Errorf("report %+v", a)
	}
}

func TestEvalRows(t *testing.T) {
	r, _ := evalReport(t, exitOK, "--policy", "script", "--with", "policy.delay=0s", "--tasks", "countdown:1,countdown:3,coin_flip:0")
	for i, want := range []struct {
		label    string
		problems int
		complete bool
	}{{"countdown:1", 64, false}, {"countdown:3", 64, false}, {"coin_flip:0", 0, true}} {
		row := r.Rows[i]
		if row.Label != want.label || row.Complete != want.complete || want.problems > 0 && row.Scored != want.problems {
			t.Errorf("row %+v, want %+v", row, want)
		}
		asked := map[string]bool{}
		for _, p := range row.Problems {
			asked[p.ID] = true
		}
		if len(asked) != row.Set || row.Set == 0 {
			t.Errorf("%s: %d problems asked, and the row says %d", row.Label, len(asked), row.Set)
		}
	}
}

// A file is examined once through, however few rows it has.
func TestEvalOfAFile(t *testing.T) {
	for _, rows := range []int{1, 12, 200} {
		path := filepath.Join(t.TempDir(), "sums.jsonl")
		var lines strings.Builder
		for i := range rows {
			fmt.Fprintf(&lines, `{"question":"%d + 1?","answer":%d}`+"\n", i, i+1)
		}
		if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		r, _ := evalReport(t, exitOK, "--policy", "script", "--with", "policy.delay=0s", "--with", "policy.accuracy=1", "--problems", path)
		if row := r.Rows[0]; len(r.Rows) != 1 || row.Label != "sums" || row.Scored != rows || !row.Complete || *row.Mean != 1 {
			t.Errorf("%d rows: %+v", rows, row)
		}
	}
}

// A side of a file cannot be chosen, and choosing one is an error.
func TestEvalOfASideOfAFile(t *testing.T) {
	for _, side := range []string{"held_out", "trained", "all"} {
		p := start("eval", "--policy", "script", "--problems", "sums.jsonl", "--with", "exam.split="+side)
		if status := p.wait(t); status != exitUsage || !strings.Contains(p.stderr.String(), "exam.split is "+side+", but --problems asks the whole file") {
			t.Errorf("status %d, it says\n%s", status, p.stderr.String())
		}
	}
}

// No failure is a score: a server that is down gives a cause and no score.
func TestEvalAgainstNoServer(t *testing.T) {
	url := "http://127.0.0.1:" + freePort(t) + "/v1"
	r, p := evalReport(t, exitFailed, "--policy", "openai", "--url", url, "--model", "m", "--with", "policy.retries=0", "--tasks", "chain_sum")
	if r.Mean != nil || r.Rows[0].Mean != nil || r.Failed == 0 || !strings.Contains(p.stdout.String(), `"mean_score": null`) {
		t.Errorf("report %+v", r)
	}
	if !strings.Contains(p.stderr.String(), "refused") || !strings.Contains(p.stderr.String(), "failed") {
		t.Errorf("it says\n%s", p.stderr.String())
	}
	table := start("eval", "--policy", "openai", "--url", url, "--model", "m", "--with", "policy.retries=0", "--tasks", "chain_sum")
	if status := table.wait(t); status != exitFailed || !strings.Contains(table.stdout.String(), "mean score none") {
		t.Errorf("status %d\n%s", status, table.stdout.String())
	}
}

// A server that fails now and then is examined. An episode that it failed is played again,
// and one that it failed for good is marked.
func TestEvalOfAFlakyServer(t *testing.T) {
	for _, test := range []struct {
		replays string
		failed  int
	}{{"0", 2}, {"1", 1}, {"2", 0}} {
		busy := policytest.Status(500)
		server := &policytest.Server{Model: "fake", Reply: guesses(), Faults: []policytest.Fault{busy, busy}}
		args := []string{
			"--policy", "openai", "--url", server.Start(t), "--model", "fake", "--with", "policy.retries=0",
			"--tasks", "chain_sum:3", "--count", "40", "--parallel", "1", "--with", "run.replays=" + test.replays,
		}
		r, _ := evalReport(t, exitOK, args...)
		if r.Failed != test.failed || r.Rows[0].Scored != 40-test.failed || r.Rows[0].Failed != test.failed || strings.Contains(r.LastFault, "500") != (test.failed > 0) {
			t.Errorf("run.replays %s: report %+v, row %+v", test.replays, r, r.Rows[0])
		}
	}
}

// An episode that takes too long has no score, and is not played again.
func TestEvalOfASlowServer(t *testing.T) {
	fake, url := startFake(t, "--rate", "20", "--length", "fixed:1000")
	r, _ := evalReport(t, exitOK, "--policy", "server", "--url", url, "--tokenizer", "bytes", "--tasks", "chain_sum", "--count", "4",
		"--with", "run.episode_time=20ms", "--with", "exam.max_failed=1")
	if n := r.Episodes[quintain.TimedOut]; n != 4 || r.Mean != nil {
		t.Errorf("%d episodes timed out, report %+v", n, r)
	}
	fake.interrupts <- os.Interrupt
	fake.wait(t)
}

func TestAsk(t *testing.T) {
	for _, test := range []struct {
		why, in string
		args    []string
		out     []string
	}{
		{"a problem of a task", "", []string{"countdown:1", "--policy", "script", "--with", "policy.accuracy=1", "--index", "3"},
			[]string{"problem reasoning_gym.v2/countdown.", ".s1.l1.3\n", "--- user ---", "--- the policy ---", "<answer>", "reward 1\n"}},
		{"a wrong reply", "", []string{"countdown", "--policy", "script", "--with", "policy.accuracy=0", "--index", "3"},
			[]string{"reward 0: ", "a right answer: "}},
		{"what the embedded model was made for", "", []string{"spell_backward"}, []string{"problem reasoning_gym.v2-", "--- the policy ---", "reward "}},
		{"a question of one's own", "spell cat backward\n\n", nil, []string{"<answer>"}},
	} {
		var p process
		w := &world{
			args: append([]string{"ask"}, test.args...), stdin: strings.NewReader(test.in),
			stdout: &p.stdout, stderr: &p.stderr, environ: func() []string { return nil },
		}
		if status := execute(w); status != exitOK {
			t.Errorf("%s: status %d\n%s", test.why, status, p.stderr.String())
		}
		for _, want := range test.out {
			if !strings.Contains(p.stdout.String(), want) {
				t.Errorf("%s: no %q in\n%s", test.why, want, p.stdout.String())
			}
		}
	}
}
