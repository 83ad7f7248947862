package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rsc.io/script"
	"rsc.io/script/scripttest"

	"github.com/quintain-rl/quintain/internal/pause"
)

// scriptInput is the variable with the path of the standard input.
const scriptInput = "STDIN"

// TestScripts runs testdata/*.txt. The command quintain is the program itself, in this
// process; the command stdin names the file for its standard input; a hub writes its
// address to the file hub.url. $AGENT is the command of an agent, which asks its model once.
func TestScripts(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := script.NewEngine()
	engine.Cmds["stdin"] = script.Command(script.CmdUsage{Summary: "set the standard input of quintain", Args: "file"},
		func(s *script.State, args ...string) (script.WaitFunc, error) {
			return nil, s.Setenv(scriptInput, s.Path(args[0]))
		})
	engine.Cmds["quintain"] = script.Command(script.CmdUsage{Summary: "run quintain, perhaps beside what follows", Args: "args...", Async: true}, scripted)
	engine.Cmds["once"] = script.Command(script.CmdUsage{Summary: "find at least so many matches in stdout, no two of them alike", Args: "count pattern"}, once)
	engine.Cmds["train"] = script.Command(script.CmdUsage{Summary: "take batches of the hub in hub.url once so many workers are there, until it ends", Args: "workers"}, train)
	scripttest.Test(t, context.Background(), engine, []string{"LANG=C", "AGENT=" + program + " " + asAgent}, "testdata/*.txt")
}

// scripted starts quintain.
func scripted(s *script.State, args ...string) (script.WaitFunc, error) {
	var input []byte
	if path, has := s.LookupEnv(scriptInput); has {
		var err error
		if input, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	environ, out, errs := s.Environ(), new(bytes.Buffer), &told{file: s.Path("hub.url")}
	w := &world{args: args, stdin: bytes.NewReader(input), stdout: out, stderr: errs, environ: func() []string { return environ }}
	status := make(chan int, 1)
	go func() { status <- execute(w) }()
	return func(*script.State) (stdout, stderr string, err error) {
		if status := <-status; status != exitOK {
			err = fmt.Errorf("status %d", status)
			errs.text.WriteString(err.Error())
		}
		return out.String(), errs.text.String(), err
	}, nil
}

// told is the standard error of a program, which writes the address of a hub to a file.
type told struct {
	file string
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (t *told) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if hub := hubAt.FindSubmatch(p); hub != nil {
		if err := os.WriteFile(t.file, hub[1], 0o600); err != nil {
			return 0, err
		}
	}
	return t.text.Write(p)
}

// hubAt finds the address of a hub.
var hubAt = regexp.MustCompile(`hub on (http://[^, ]+)`)

// once finds at least so many matches in the last standard output, no two of them alike.
func once(s *script.State, args ...string) (script.WaitFunc, error) {
	if len(args) != 2 {
		return nil, script.ErrUsage
	}
	seen := map[string]bool{}
	for _, match := range regexp.MustCompile(args[1]).FindAllString(s.Stdout(), -1) {
		if seen[match] {
			return nil, fmt.Errorf("%s is there twice", match)
		}
		seen[match] = true
	}
	if want, err := strconv.Atoi(args[0]); err != nil || len(seen) < want {
		return nil, fmt.Errorf("%d matches, want %s or more", len(seen), args[0])
	}
	return nil, nil
}

// train is a trainer of the hub in hub.url: it waits for so many workers, and takes batches of
// 16 sequences until the hub ends.
func train(s *script.State, args ...string) (script.WaitFunc, error) {
	const takes = `{"wandb_group":"g","wandb_project":"p","batch_size":16,"max_token_len":9000,"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":1000}`
	ask := func(method, path, body string) (string, error) {
		hub, err := os.ReadFile(s.Path("hub.url"))
		if err != nil {
			return "", err
		}
		r, err := http.NewRequestWithContext(s.Context(), method, string(hub)+path, strings.NewReader(body))
		if err != nil {
			return "", err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Close = true
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", err
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		return string(text), err
	}
	for there := ""; strconv.Itoa(strings.Count(there, `"instance"`)) != args[0]; pause.For(s.Context(), 10*time.Millisecond) {
		there, _ = ask(http.MethodGet, "/v1/runs/default/workers", "") // the hub may not be there yet
	}
	if text, err := ask(http.MethodPost, "/register", takes); err != nil || strings.Contains(text, "error") {
		return nil, fmt.Errorf("registering: %s %w", text, err)
	}
	for pause.For(s.Context(), 10*time.Millisecond) {
		if _, err := ask(http.MethodGet, "/batch", ""); err != nil {
			break // the hub has ended
		}
	}
	return nil, nil //nolint:nilerr // the end of the hub is that of the trainer
}
