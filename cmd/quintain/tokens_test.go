package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/policytest"
)

// sums is a file of n problems.
func sums(t *testing.T, n int) (path string) {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"question":"%d + 1?","answer":%d}`+"\n", i, i+1)
	}
	path = filepath.Join(t.TempDir(), "sums.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// threeTurns returns flags of a run with episodes of three turns, against a server.
func threeTurns(t *testing.T, url string, args ...string) []string {
	t.Helper()
	return append([]string{
		"--policy", "server", "--url", url, "--scenario", "math_multi_turn:mode=legacy,num_turns=3", "--problems", sums(t, 40),
		"--group-size", "2", "--batch-size", "8", "--with", "rules.keep_equal=true", "--with", "rules.min_trainable=1", "--max-tokens", "16",
	}, args...)
}

// Episodes of three turns are played by exact tokens on every kind of server that takes
// tokens, and the report counts the turns by the effect of the template.
func TestRunByTokens(t *testing.T) {
	for _, shape := range []string{"vllm", "sglang", "llamacpp"} {
		fake, url := startFake(t, "--shape", shape, "--first-token", "0s", "--length", "uniform:4-15")
		for _, test := range []struct {
			why, template            string
			clean, realigned, forked bool
		}{
			{"a template that keeps what was said", policytest.Talk, true, false, false},
			{"one that ends replies in its own way", policytest.Spaced, false, true, false},
			{"one that rewrites them", policytest.Shouts, false, false, true},
		} {
			model := policytest.ByteModel(t, test.template, 0)
			r := runReport(t, threeTurns(t, url, "--tokenizer", model, "--data", t.TempDir(), "--steps", "1")...)
			if n := r.Turns; n.Clean > 0 != test.clean || n.Realigned > 0 != test.realigned || n.Forked > 0 != test.forked {
				t.Errorf("%s, %s: turns %v", shape, test.why, n)
			}
			if r.Failed() != 0 || r.Unit != "tokens" || r.Steps != 1 {
				t.Errorf("%s, %s: report %+v", shape, test.why, r)
			}
		}
		fake.interrupts <- os.Interrupt
		fake.wait(t)
	}
}

// With on_drift: fail, a template that rewrites ends a run and an evaluation. The run is
// kept, and goes on.
func TestDriftEndsTheRun(t *testing.T) {
	fake, url := startFake(t, "--first-token", "0s", "--length", "fixed:8")
	shouts, data := policytest.ByteModel(t, policytest.Shouts, 0), t.TempDir()
	args := threeTurns(t, url, "--tokenizer", shouts)
	p := start(append([]string{"run", "--port", "0", "--data", data, "--with", "policy.on_drift=fail"}, args...)...)
	if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), "the chat template rewrote earlier messages") {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	if out := p.stdout.String(); !strings.Contains(out, "cancelled: ") || strings.Contains(out, "infra_failed") {
		t.Errorf("report\n%s", out)
	}
	r := runReport(t, append(args, "--data", data, "--steps", "1")...)
	if r.Turns.Forked == 0 || r.GroupsDropped["duplicate"] != 0 || r.Steps != 1 {
		t.Errorf("report %+v", r)
	}
	p = start("eval", "--policy", "server", "--url", url, "--tokenizer", shouts, "--with", "policy.on_drift=fail", "--scenario", "math_multi_turn", "--problems", sums(t, 4))
	if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), "the chat template rewrote earlier messages") {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	fake.interrupts <- os.Interrupt
	fake.wait(t)
}

// An unsuitable server ends a verb before anything starts.
func TestWhatAServerLacksIsSaid(t *testing.T) {
	fake, url := startFake(t, "--shape", "vllm")
	chat, chatURL := startFake(t, "--shape", "openai")
	llama, llamaURL := startFake(t, "--shape", "llamacpp")
	model, other := policytest.ByteModel(t, policytest.Talk, 0), policytest.ByteModel(t, policytest.Talk, 1)
	for _, test := range []struct {
		why    string
		args   []string
		status int
		says   string
	}{
		{"a trainer needs the tokenizer", []string{"run", "--url", url, "--consumer", "hub"}, exitFailed, "name the model's folder, its tokenizer.json or its GGUF file (--tokenizer FILE)"},
		{"llama.cpp tells its file", []string{"run", "--url", llamaURL, "--consumer", "hub"}, exitFailed, "(--tokenizer fake, which it serves)"},
		{"the tokenizer is another one", []string{"run", "--url", url, "--tokenizer", other}, exitFailed, "it does not match the server's model"},
		{"so it is for an evaluation", []string{"eval", "--url", url, "--tokenizer", other, "--tasks", "chain_sum"}, exitFailed, "it does not match the server's model"},
		{"the server takes no tokens", []string{"run", "--url", chatURL, "--tokenizer", model}, exitFailed, "takes no tokens"},
		{"there is no such file", []string{"ask", "--url", url, "--tokenizer", "none.json"}, exitUsage, "policy.tokenizer: "},
		{"there is no such model", []string{"ask", "--url", url, "--model", "m2"}, exitFailed, `no model "m2"; the server has fake`},
		{"there is no server", []string{"eval", "--url", closedURL(t), "--tasks", "chain_sum"}, exitFailed, "is the server running"},
		{"nor to ask", []string{"ask", "chain_sum", "--url", closedURL(t)}, exitFailed, "is the server running"},
		{"an evaluation needs no tokens", []string{"eval", "--url", url, "--tasks", "chain_sum", "--count", "2"}, exitOK, "samples by chat completions"},
	} {
		args := slices.Concat(test.args, []string{"--policy", "server", "--data", t.TempDir()})
		if test.args[0] == "run" {
			args = append(args, "--port", "0")
		}
		p := start(args...)
		if status := p.wait(t); status != test.status || !strings.Contains(p.stderr.String(), test.says) || strings.Contains(p.stderr.String(), "hub on ") {
			t.Errorf("%s: status %d, want %d and %q\n%s", test.why, status, test.status, test.says, p.stderr.String())
		}
	}
	for _, p := range []*process{fake, chat, llama} {
		p.interrupts <- os.Interrupt
		p.wait(t)
	}
}

// A run waits for a server that does not run yet, and says so. Ctrl-C ends the wait.
func TestRunWaitsForItsServer(t *testing.T) {
	t.Parallel()
	at := closedURL(t)
	address, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	args := threeTurns(t, at, "--tokenizer", "bytes", "--port", "0", "--with", "run.grace=1h")
	p := start(append([]string{"run", "--data", t.TempDir(), "--steps", "1"}, args...)...)
	await(t, p, "waiting for the server, which cannot be used yet: ")
	await(t, p, "waiting for the server (try ")
	fake, _ := startFake(t, "--port", address.Port(), "--first-token", "0s")
	if status := p.wait(t); status != exitOK || !strings.Contains(p.stderr.String(), "samples by tokens") || !strings.Contains(p.stdout.String(), "steps          1 ") {
		t.Errorf("status %d\n%s\n%s", status, p.stderr.String(), p.stdout.String())
	}
	fake.interrupts <- os.Interrupt
	fake.wait(t)

	p = start(append([]string{"run", "--data", t.TempDir()}, args...)...)
	await(t, p, "Ctrl-C stops")
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK || strings.Contains(p.stdout.String(), "infra_failed") {
		t.Errorf("status %d\n%s", status, p.stdout.String())
	}
}

// A server that does not report the version of its weights plays for a trainer too.
func TestAServerWithoutVersionsPlaysForATrainer(t *testing.T) {
	fake, at := startFake(t, "--shape", "llamacpp", "--first-token", "0s")
	p := start(append([]string{"run", "--data", t.TempDir(), "--port", "0", "--consumer", "hub"}, threeTurns(t, at, "--tokenizer", "bytes")...)...)
	await(t, p, "does not report the version of its weights")
	await(t, p, "from version unknown")
	for _, p := range []*process{p, fake} {
		p.interrupts <- os.Interrupt
		if status := p.wait(t); status != exitOK {
			t.Errorf("status %d\n%s", status, p.stderr.String())
		}
	}
}

// The versions that a server says are those of the run of a trainer, without a word of the
// trainer's; /metrics has the turns.
func TestVersionsOfTheServer(t *testing.T) {
	t.Parallel()
	fake, at := startFake(t, "--shape", "sglang", "--weight-version", "0", "--first-token", "0s")
	p := start(append([]string{"run", "--data", t.TempDir(), "--port", "0", "--consumer", "hub"}, threeTurns(t, at, "--tokenizer", "bytes")...)...)
	await(t, p, "hub on ")
	_, after, _ := strings.Cut(p.stderr.String(), "hub on ")
	hub, _, _ := strings.Cut(after, ",")
	until(t, p, "the hub knows version 0", func() bool { return strings.Contains(read(t, hub+"/v1/runs/default/version"), `"version":0`) })
	reply, err := http.Post(at+"/update_weight_version", "application/json", strings.NewReader(`{"new_version":"2"}`))
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	until(t, p, "the hub knows version 2", func() bool { return strings.Contains(read(t, hub+"/v1/runs/default/version"), `"version":2`) })
	until(t, p, "turns are counted", func() bool {
		text := read(t, hub+"/metrics")
		return strings.Contains(text, `quintain_policy_turns_total{drift="clean"} `) && strings.Contains(text, `quintain_policy_turns_total{drift="forked"} 0`)
	})
	http.DefaultClient.CloseIdleConnections()
	for _, p := range []*process{p, fake} {
		p.interrupts <- os.Interrupt
		if status := p.wait(t); status != exitOK {
			t.Errorf("status %d\n%s", status, p.stderr.String())
		}
	}
}

// A trainer tells the versions of two servers that report none. The one whose weights are too old
// is named, and gets nothing.
func TestVersionsToldForServers(t *testing.T) {
	t.Parallel()
	fake, at := startFake(t, "--shape", "llamacpp", "--first-token", "0s")
	late, old := startFake(t, "--shape", "llamacpp", "--first-token", "0s")
	p := start(append([]string{"run", "--data", t.TempDir(), "--port", "0", "--consumer", "hub", "--url", old}, threeTurns(t, at, "--tokenizer", "bytes")...)...)
	await(t, p, "hub on ")
	_, after, _ := strings.Cut(p.stderr.String(), "hub on ")
	hub, _, _ := strings.Cut(after, ",")
	for path, body := range map[string]string{
		"/register":                `{"wandb_group":"","wandb_project":"","batch_size":8,"max_token_len":64,"checkpoint_dir":"","save_checkpoint_interval":0,"starting_step":5,"num_steps":9}`,
		"/v1/runs/default/version": fmt.Sprintf(`{"version":5,"servers":{%q:1}}`, old+"/v1"),
	} {
		reply, err := http.Post(hub+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if reply.Body.Close(); reply.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", path, reply.StatusCode)
		}
	}
	for _, line := range []string{
		fmt.Sprintf("quintain_policy_server_version{server=%q} 5", at), fmt.Sprintf("quintain_policy_server_lag_versions{server=%q} 0", at),
		fmt.Sprintf("quintain_policy_server_version{server=%q} 1", old), fmt.Sprintf("quintain_policy_server_lag_versions{server=%q} 4", old),
		fmt.Sprintf("quintain_pool_server_up{server=%q} 1", at), fmt.Sprintf("quintain_pool_server_up{server=%q} 0", old),
	} {
		until(t, p, line, func() bool { return strings.Contains(read(t, hub+"/metrics"), line+"\n") })
	}
	await(t, p, "a server gets no more requests")
	http.DefaultClient.CloseIdleConnections()
	for _, p := range []*process{p, fake, late} {
		p.interrupts <- os.Interrupt
		if status := p.wait(t); status != exitOK {
			t.Errorf("status %d\n%s", status, p.stderr.String())
		}
	}
}

// A new run begins its own count, whatever an earlier one left on the server.
func TestALabelOfAnotherRun(t *testing.T) {
	t.Parallel()
	fake, at := startFake(t, "--shape", "vllm", "--weight-version", "10", "--first-token", "0s")
	p := start(append([]string{"run", "--data", t.TempDir(), "--port", "0", "--consumer", "hub"}, threeTurns(t, at, "--tokenizer", "bytes")...)...)
	await(t, p, "has weights of version 10, which is of another run")
	await(t, p, "from version unknown")
	_, after, _ := strings.Cut(p.stderr.String(), "hub on ")
	hub, _, _ := strings.Cut(after, ",")
	reply, err := http.Post(hub+"/v1/runs/default/version", "application/json", strings.NewReader(`{"version":0}`))
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		t.Errorf("the trainer tells version 0: status %d", reply.StatusCode)
	}
	http.DefaultClient.CloseIdleConnections()
	for _, p := range []*process{p, fake} {
		p.interrupts <- os.Interrupt
		if status := p.wait(t); status != exitOK {
			t.Errorf("status %d\n%s", status, p.stderr.String())
		}
	}
}
