package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
