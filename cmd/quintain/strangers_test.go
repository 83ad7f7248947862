package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/settings"
)

// A worker that gets the settings of the run, and only has a server of its own, makes the same tokens.
func TestWorkersHaveThePolicyOfTheRun(t *testing.T) {
	w := &world{stderr: io.Discard}
	for _, text := range []string{
		"{kind: tiny}", "{kind: script, accuracy: 0.5}", "{kind: server, url: [\"http://127.0.0.1:1\"], tokenizer: bytes}",
		"{kind: server, url: [\"http://127.0.0.1:1\"], model: m, extra_body: {min_p: 0.1, of: {b: [1, x], a: 2.5}}, sampling: {temperature: 0.7, top_k: 5}}",
		"{kind: openai, url: [\"http://127.0.0.1:1/v1\"], model: m, completions: text, tokenizer_config: nothere.json, template_vars: {enable_thinking: false}, tool_format: hermes}",
		"{kind: vllm, url: [\"http://127.0.0.1:1\"], tokenizer: /nothere, on_drift: drop, trust_messages: true, vocabulary: v}",
	} {
		c, err := w.configOf("run", settings.Sources{File: "run", Data: []byte("policy: " + text)})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		told, err := settings.New(c).Use(played()...).YAML()
		if err != nil {
			t.Fatal(err)
		}
		from := settings.Sources{Base: &settings.Sources{File: "settings of the run", Data: []byte(told)}}
		if c.Policy.Remote() {
			from.Flags = map[string]settings.Given{"policy.url": {Text: "http://127.0.0.1:2/v1", By: "--url"}}
		}
		plays, err := w.configOf("worker", from)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		mine, err := c.Policy.Identity()
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := plays.Policy.Identity()
		if why := mine.Differs(theirs); why != "" || err != nil {
			t.Errorf("%s: %s, error %v", text, why, err)
		}
	}
}

// A worker whose policy would make other tokens does not play, whichever way it says so.
func TestWorkersOfAnotherPolicyAreRefused(t *testing.T) {
	runs := start("run", "--workers", "--port", "0", "--data", t.TempDir(), "--policy", "script", "--tasks", "chain_sum", "--steps", "1")
	await(t, runs, "quintain worker --coordinator ")
	_, after, _ := strings.Cut(runs.stderr.String(), "quintain worker --coordinator ")
	url, _, _ := strings.Cut(after, " ")
	config := filepath.Join(t.TempDir(), "worker.yaml")
	if err := os.WriteFile(config, []byte("policy:\n  accuracy: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags  []string
		status int
		says   string
	}{
		{[]string{"--policy", "script"}, exitUsage, "unknown flag: --policy"},
		{[]string{"--with", "policy.accuracy=1"}, exitUsage, "policy.accuracy"},
		{[]string{"--url", "http://127.0.0.1:1"}, exitUsage, "--url: the run plays the policy script, which has no use for it: leave it out"},
		{[]string{"--config", config}, exitFailed, `policy.accuracy is "1", and that of the run "0.6"`},
	} {
		p := start(append([]string{"worker", "--coordinator", url}, test.flags...)...)
		if status := p.wait(t); status != test.status || !strings.Contains(p.stderr.String(), test.says) {
			t.Errorf("%v: status %d, want %d and %q\n%s", test.flags, status, test.status, test.says, p.stderr.String())
		}
	}
	p := start("worker", "--coordinator", url)
	if status := p.wait(t); status != exitOK {
		t.Errorf("one like the run: status %d\n%s", status, p.stderr.String())
	}
	if status := runs.wait(t); status != exitOK {
		t.Errorf("status %d\n%s", status, runs.stderr.String())
	}
}

// A worker whose inference server is not up registers once it is, and ends in order before.
func TestAWorkerWithoutAServerEndsInOrder(t *testing.T) {
	runs := start("run", "--workers", "--port", "0", "--data", t.TempDir(), "--policy", "server", "--url", "http://127.0.0.1:1", "--tokenizer", "bytes", "--tasks", "chain_sum")
	await(t, runs, "quintain worker --coordinator ")
	_, after, _ := strings.Cut(runs.stderr.String(), "quintain worker --coordinator ")
	url, _, _ := strings.Cut(after, " ")
	p := start("worker", "--coordinator", url)
	await(t, p, "waiting for the server")
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	runs.interrupts <- os.Interrupt
	runs.interrupts <- os.Interrupt
	runs.wait(t)
}
