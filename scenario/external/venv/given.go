package venv

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Given returns the environment of an interpreter that the user names, which has no lock.
func Given(ctx context.Context, python string) (Env, error) {
	const ask = `import json, sys
print(json.dumps([sys.executable, sys.prefix, sys.base_prefix, "%d.%d.%d" % sys.version_info[:3]]))`
	said, err := Lines(ctx, []string{python, "-I", "-c", ask}, nil)
	if err != nil {
		return Env{}, fmt.Errorf("python: %s does not run: %w", python, err)
	}
	var all []string
	if err := strictjson.Unmarshal([]byte(strings.Join(said, "")), &all); err != nil || len(all) != 4 {
		return Env{}, fmt.Errorf("python: %s is no Python: it says %.200q", python, said)
	}
	return Env{Dir: all[1], Prefixes: all[1:3], Python: all[3], given: all[0]}, nil
}

// Lines runs a program of an environment to its end, within two minutes, and returns the lines of its output. The error of one that
// fails ends with what it said.
func Lines(ctx context.Context, words, env []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Apart(c)
	var out, said command.Limited
	c.Env, c.Stdout, c.Stderr, c.WaitDelay = env, &out, &said, time.Second
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%w%s", err, last(said.String()))
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n"), nil
}
