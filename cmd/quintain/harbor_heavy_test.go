//go:build heavy && linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asks is the beginning of an agent in Python.
const asks = `import json, os, subprocess, sys, time, urllib.request
def post(url, body, method="POST"):
    head = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    return urllib.request.urlopen(urllib.request.Request(url, body, head, method=method)).read()
def ask():
    messages = json.load(open(os.environ["QUINTAIN_PROBLEM"]))["messages"]
    print("said", json.loads(post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps({"model": "m", "messages": messages}).encode()))["model"], flush=True)
`

// TestAgentsPlayTasksOfHarbor plays a task by agents inside a trial and outside, on this machine's own tools.
func TestAgentsPlayTasksOfHarbor(t *testing.T) {
	t.Setenv("QUINTAIN_IMAGES", t.TempDir())
	if p := start("images", "add", "machine", "--machine"); p.wait(t) != exitOK {
		t.Fatal(p.stderr.String())
	}
	model, url := address(t, "policy", "fake", "--first-token", "0s", "--rate", "0", "--length", "fixed:16")
	examples, err := filepath.Abs("../../docs/examples/harbor")
	if err != nil {
		t.Fatal(err)
	}
	solution, err := os.ReadFile(filepath.Join(examples, "fix_wrap/solution/wrap.py"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, agent string
		outside    bool
		with       []string
		want       []string
	}{
		{"inside, it fails in the end", "ask()\nsubprocess.run(['cp', '/agent/wrap.py', '/app/wrap.py'], check=True)\nsys.exit(3)\n", false, nil, []string{"reward 1, terminated", "exit status 3"}},
		{"inside, another address", "ask()\ntry: post('http://127.0.0.1:8001', b'')\nexcept OSError as e: print(e)\n", false, nil, []string{"reward 0, terminated", "Connection refused"}},
		{"inside, for ever", "ask()\nwhile True: time.sleep(1)\n", false, []string{"harbor.time_factor=0.02", "harbor.tests_wall=100", "harbor.timeout_reward=0"}, []string{"reward 0, truncated", "the time is up"}},
		{"inside, it is killed", "ask()\nos.kill(os.getpid(), 9)\n", false, nil, []string{"reward 0, terminated", "signal 9"}},
		{"inside, it asks nothing", "print('idle')\n", false, nil, []string{"the agent made no call of its model"}},
		{"outside, it is killed in the end", `ask()
trial = os.environ["QUINTAIN_TRIAL_URL"]
post(trial + "/files?path=/tmp/wrap.py", open(os.path.dirname(os.path.abspath(__file__)) + "/wrap.py", "rb").read(), "PUT")
print(post(trial + "/exec", json.dumps({"command": "cp /tmp/wrap.py ."}).encode()))
os.kill(os.getpid(), 9)
`, true, nil, []string{"reward 1, terminated", "[exit 0", "killed"}},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"wrap.py": string(solution), "run.py": asks + test.agent} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"ask", "--environment", "harbor:" + examples + "#fix_wrap", "--policy", "server", "--url", url}
		if test.outside {
			args = append(args, "--environment", "agent:python3 "+filepath.Join(dir, "run.py"))
		} else {
			args = append(args, "--with", "harbor.agent="+dir, "--with", "harbor.agent_command=python3 /agent/run.py")
		}
		for _, w := range test.with {
			args = append(args, "--with", w)
		}
		p := start(args...)
		p.wait(t)
		for _, want := range test.want {
			if said := p.stdout.String() + p.stderr.String(); !strings.Contains(said, want) {
				t.Errorf("%s: it does not say %q:\n%s", test.why, want, said)
			}
		}
	}
	model.interrupts <- os.Interrupt
	model.wait(t)
}
