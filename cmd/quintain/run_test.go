package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/run"
)

// quick are flags that make a run as fast as it can be.
var quick = []string{"--policy", "script", "--port", "0", "--with", "policy.delay=0s", "--with", "run.step_time=0s"}

// runReport runs quintain run with args to its end and returns its report.
func runReport(t *testing.T, args ...string) run.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.json")
	p := start(append(append([]string{"run", "--report", path}, quick...), args...)...)
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r run.Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunPlaysAllTasks(t *testing.T) {
	r := runReport(t, "--steps", "20", "--data", t.TempDir())
	if r.Steps != 20 || r.Version != 20 || r.GroupsMade < 160 || r.Tokens == 0 || r.Seconds <= 0 {
		t.Errorf("report %+v", r)
	}
	consumed := 0
	for lag, n := range r.Staleness {
		consumed += n
		if lag > 2 {
			t.Errorf("%d groups were %d versions old, want 2 at most", n, lag)
		}
	}
	if consumed != 160 {
		t.Errorf("%d groups consumed, want 20 batches of 8", consumed)
	}
	sum := 0.
	for _, task := range r.Tasks {
		if sum += task.First; task.Groups == 0 {
			t.Errorf("%+v, want groups of every task", task)
		}
	}
	if mean := sum / float64(len(r.Tasks)); mean <= 0.3 || mean >= 0.95 {
		t.Errorf("mean score %.2f, want that of a solver that is right now and then", mean)
	}
}

// A run that is started again resumes with the version, the positions and the waiting
// groups.
func TestRunContinues(t *testing.T) {
	data := t.TempDir()
	first := runReport(t, "--steps", "5", "--data", data)
	second := runReport(t, "--steps", "5", "--data", data)
	if second.Steps != 5 || second.Version != 10 {
		t.Errorf("second run made %d steps to version %d, want 5 to 10", second.Steps, second.Version)
	}
	if n := second.GroupsDropped["duplicate"]; n > 0 {
		t.Errorf("%d problems were played twice", n)
	}
	if left := first.GroupsMade - 40; left < 0 || second.GroupsMade+left < 40 {
		t.Errorf("groups made %d and %d, consumed 80", first.GroupsMade, second.GroupsMade)
	}
}

func TestRunStopsAtASignal(t *testing.T) {
	data := t.TempDir()
	p := start("run", "--policy", "script", "--port", "0", "--data", data, "--with", "policy.delay=50ms", "--with", "run.step_time=1ms")
	await(t, p, "Ctrl-C stops")
	time.AfterFunc(200*time.Millisecond, func() { p.interrupts <- os.Interrupt })
	if status := p.wait(t); status != exitOK {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	for _, want := range []string{"groups kept", "staleness"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, p.stdout.String())
		}
	}
	if strings.Contains(p.stdout.String(), "cancelled") {
		t.Errorf("episodes were cut within the grace period:\n%s", p.stdout.String())
	}
}

func TestSecondSignalCuts(t *testing.T) {
	server := &policytest.Server{Model: "fake", Faults: slices.Repeat([]policytest.Fault{policytest.Hang}, 1000)}
	p := start(append([]string{"run", "--port", "0", "--data", t.TempDir(), "--with", "run.grace=1h"}, against(server.Start(t))...)...)
	until(t, p, "an episode is under way", func() bool { return len(server.Requests()) > 0 })
	p.interrupts <- os.Interrupt
	await(t, p, "a second Ctrl-C cuts them")
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	if !strings.Contains(p.stdout.String(), "cancelled: ") {
		t.Errorf("no episode was cut:\n%s", p.stdout.String())
	}
}

// await waits until the program has printed text to its standard error.
func await(t *testing.T, p *process, text string) {
	t.Helper()
	until(t, p, fmt.Sprintf("it says %q", text), func() bool { return strings.Contains(p.stderr.String(), text) })
}

// until waits for something to come true while the program runs.
func until(t *testing.T, p *process, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	over := time.After(5 * time.Minute)
	for !is() {
		select {
		case <-tick.C:
		case <-over:
			t.Fatalf("never %s:\n%s", what, p.stderr.String())
		}
	}
}

func TestRunOfSeveralTurns(t *testing.T) {
	problems := filepath.Join(t.TempDir(), "sums.jsonl")
	var lines strings.Builder
	for i := range 50 {
		line, err := json.Marshal(map[string]any{"question": strings.Repeat("1 + ", i) + "1?", "answer": i + 1})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	if err := os.WriteFile(problems, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runReport(t, "--steps", "4", "--data", t.TempDir(), "--scenario", "math_multi_turn", "--problems", problems, "--with", "policy.accuracy=0.4")
	if r.Steps != 4 || r.Tasks[0].Label != "sums" || r.Tasks[0].Groups < 32 {
		t.Errorf("report %+v", r)
	}
}

func TestDumpsAreWhole(t *testing.T) {
	data := t.TempDir()
	r := runReport(t, "--steps", "10", "--data", data, "--with", "dumps.rollouts=true", "--with", "dumps.failed=true", "--with", "policy.accuracy=0.2")
	files, err := filepath.Glob(filepath.Join(data, "dumps", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines += checkDump(t, path, string(text))
	}
	if lines == 0 || lines > r.GroupsMade+r.GroupsDropped["equal_scores"] {
		t.Errorf("%d lines in %d dump files of %d groups", lines, len(files), r.GroupsMade)
	}
}

// checkDump reads a dump file and returns the number of its lines.
func checkDump(t *testing.T, path, text string) int {
	t.Helper()
	if text != "" && !strings.HasSuffix(text, "\n") {
		t.Errorf("%s ends in half a line", path)
	}
	n := 0
	for line := range strings.Lines(text) {
		var record struct {
			ItemID   string `json:"item_id"`
			Rollouts []struct {
				Conversation []struct{ Role, Content string } `json:"conversation"`
				Score        *float64                         `json:"score"`
			} `json:"rollouts"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if record.ItemID == "" || len(record.Rollouts) != 8 || record.Rollouts[0].Score == nil || record.Rollouts[0].Conversation[0].Role != "system" {
			t.Errorf("%s: %.200s", path, line)
		}
		n++
	}
	return n
}

// guesses returns a model that answers with the numbers from 0 to 7 in turn, which
// are right now and then.
func guesses() func([]quintain.Message, int) string {
	var n atomic.Int64
	return func([]quintain.Message, int) string {
		k := n.Add(1) % 8
		return fmt.Sprintf("<think>it may be %d</think><answer>%d</answer>", k, k)
	}
}

// against are flags for a run of one task against a server.
func against(url string) []string {
	return []string{"--policy", "openai", "--url", url, "--model", "fake", "--tasks", "chain_sum", "--with", "policy.retries=0"}
}

func TestRunAgainstAServer(t *testing.T) {
	for _, exact := range []bool{false, true} {
		server := &policytest.Server{Reply: guesses(), TokenIDs: true}
		args := append(against(server.Start(t)), "--steps", "2", "--data", t.TempDir(), "--with", fmt.Sprint("policy.token_ids=", exact))
		r := runReport(t, args...)
		if r.Episodes["infra_failed"] > 0 || r.Steps != 2 || r.GroupsMade < 16 {
			t.Errorf("exact tokens %v: report %+v", exact, r)
		}
	}
}

// Whatever a server does, no failure of it becomes a reward, and the run goes on.
func TestRunAgainstABadServer(t *testing.T) {
	t.Parallel()
	html := policytest.Body("text/html", "<html>502 Bad Gateway</html>")
	for _, test := range []struct {
		why     string
		fault   policytest.Fault
		tells   string
		timeout string
	}{
		{"busy", policytest.Status(http.StatusTooManyRequests, "Retry-After", "0"), "429", "10s"},
		{"failing", policytest.Status(http.StatusInternalServerError), "500", "10s"},
		{"refusing", policytest.Status(http.StatusBadRequest), "400", "10s"},
		{"a proxy's page", html, "502 Bad Gateway", "10s"},
		{"cut in the middle", policytest.Cut, "", "10s"},
		{"half a body", policytest.Truncate, "", "10s"},
		{"no answer at all", policytest.Drop, "", "10s"},
		{"an answer that never comes", policytest.Hang, "slow", "300ms"},
		{"no choices", policytest.Edit(func(reply map[string]any) { delete(reply, "choices") }), "choices", "10s"},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			server := &policytest.Server{Reply: guesses(), Faults: []policytest.Fault{test.fault, test.fault, test.fault}}
			args := append(against(server.Start(t)), "--steps", "1", "--data", t.TempDir(), "--with", "policy.timeout="+test.timeout, "--parallel", "8", "--with", "run.replays=0")
			r := runReport(t, args...)
			failed := r.Episodes["infra_failed"] + r.Episodes["timed_out"]
			if r.Steps != 1 || failed == 0 || (r.GroupsDropped["infra_failed"]+r.GroupsDropped["timed_out"])*8 != failed {
				t.Errorf("report %+v", r)
			}
			if all := r.Episodes["scored"] + r.Episodes["model_failed"] + failed; all%8 != 0 || r.Tasks[0].Groups*8 != all-failed {
				t.Errorf("failures have scores: %+v", r)
			}
			if !strings.Contains(r.LastFault, test.tells) {
				t.Errorf("the report tells %q, want %q", r.LastFault, test.tells)
			}
		})
	}
}

// While a server is down, nothing is played and no problem is lost. The run says that it
// waits, and stops on request.
func TestRunAgainstNoServer(t *testing.T) {
	t.Parallel()
	url := "http://127.0.0.1:" + freePort(t) + "/v1"
	p := start("run", "--port", "0", "--data", t.TempDir(), "--policy", "openai", "--url", url, "--model", "m", "--with", "policy.retries=0", "--tasks", "chain_sum")
	await(t, p, "waiting for the server")
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	out := p.stdout.String()
	if strings.Contains(out, "scored:") || !strings.Contains(p.stderr.String(), "refused") {
		t.Errorf("it says\n%s\nsummary\n%s", p.stderr.String(), out)
	}
}

func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"run", "hub"} {
		p := start(verb, "--port", port, "--data", t.TempDir())
		if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), "is in use; choose another with --port") {
			t.Errorf("%s: status %d\n%s", verb, status, p.stderr.String())
		}
	}
}

func TestFolderInUse(t *testing.T) {
	data := t.TempDir()
	p := start("run", "--policy", "script", "--port", "0", "--data", data)
	await(t, p, "Ctrl-C stops")
	at := hubAt.FindStringSubmatch(p.stderr.String())[1]
	for _, port := range []string{"0", at[strings.LastIndex(at, ":")+1:]} {
		q := start("hub", "--port", port, "--data", data)
		if status := q.wait(t); status != exitFailed || !strings.Contains(q.stderr.String(), "another process uses it, on "+at+"; stop that one") {
			t.Errorf("port %s: status %d\n%s", port, status, q.stderr.String())
		}
	}
	p.interrupts <- os.Interrupt
	p.wait(t)
}

// A trainer at the hub takes the batches, and tells the versions that it makes of them.
func TestRunFeedsATrainerAtTheHub(t *testing.T) {
	data := t.TempDir()
	p := start(append([]string{"run", "--data", data, "--consumer", "hub", "--steps", "3"}, quick...)...)
	await(t, p, "Ctrl-C stops")
	_, after, _ := strings.Cut(p.stderr.String(), "hub on ")
	url, _, _ := strings.Cut(after, ",")
	d := &hubDrive{url: url, posted: map[int]bool{}, delivered: map[int]bool{}, finished: map[int]bool{}}
	defer http.DefaultClient.CloseIdleConnections()
	d.register(t)
	for taken := 0; taken < 3; {
		some, err := d.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if some {
			taken++
			var told map[string]int
			if err := d.call(t.Context(), http.MethodPost, "/v1/runs/default/version", fmt.Sprintf(`{"version":%d}`, taken), &told); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := d.take(t.Context()); err != nil { // acknowledges the last
		t.Fatal(err)
	}
	if status := p.wait(t); status != exitOK {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	for _, want := range []string{"steps          3 in", "to version 3"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, p.stdout.String())
		}
	}
}

// Without --port a hub that nobody else looks for may listen on another one.
func TestNobodysPort(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		verb string
		set  settings.Sources
		want bool
	}{
		{"run", settings.Sources{}, true},
		{"view", settings.Sources{}, true},
		{"hub", settings.Sources{}, false},
		{"run", settings.Sources{Flags: map[string]settings.Given{"server.port": {Text: "8000", By: "--port"}}}, false},
		{"run", settings.Sources{Environ: []string{"QUINTAIN_SERVER_PORT=8000"}}, false},
		{"run", settings.Sources{Data: []byte("server: {port: 8000}")}, false},
		{"run", settings.Sources{Data: []byte("run: {workers: true}")}, false},
	} {
		c, err := (&world{environ: func() []string { return nil }}).configOf(test.verb, test.set)
		if err != nil || c.Server.Next != test.want || c.Server.Port != 8000 {
			t.Errorf("%s with %+v: port %+v, error %v", test.verb, test.set, c.Server, err)
		}
	}
}
