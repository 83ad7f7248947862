package play

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// What an agent finds in its trial.
const (
	agentFolder   = "/agent"
	problemFolder = "/problem"
	problemFile   = "problem.json"
	modelPort     = 8000
)

// About implements the Host of agents.
func (e *episode) About() map[string]any {
	return map[string]any{"instruction": e.of.Ask, "metadata": e.of.Config.Metadata, "workdir": e.of.workdir()}
}

// errTimeIsUp ends an agent.
var errTimeIsUp = errors.New("the time is up")

// Live implements the Host of agents: it runs the agent of the settings in the agent's phase.
func (e *episode) Live(ctx context.Context, problem []byte, asked func() time.Duration, serve func(context.Context, net.Listener, func()) error) (said string, err error) {
	dir, err := os.MkdirTemp(e.set.files, "problem-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()                                                               // else with the set
		err = errors.Join(os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, problemFile), problem, 0o644)) //nolint:gosec // another user of a trial reads it
	}
	if err != nil {
		return "", lost(err)
	}
	e.run.more = box.Phase{Listen: []int{modelPort}, Mounts: []box.Mount{{Host: dir, At: problemFolder}}}
	if e.set.how.Agent != "" {
		e.run.more.Mounts = append(e.run.more.Mounts, box.Mount{Host: e.set.how.Agent, At: agentFolder})
	}
	base := fmt.Sprintf("http://127.0.0.1:%d", modelPort)
	e.run.more.Env = []string{
		"OPENAI_BASE_URL=" + base + "/v1", "OPENAI_API_KEY=any", "ANTHROPIC_BASE_URL=" + base, "ANTHROPIC_API_KEY=any",
		"QUINTAIN_PROBLEM=" + path.Join(problemFolder, problemFile), "PYTHONUNBUFFERED=1", "PYTHONDONTWRITEBYTECODE=1",
	}
	if err := e.run.open(ctx, false); err != nil {
		return "", err
	}
	failed := serve(ctx, e.run.agent.Listener(modelPort), func() { said, err = e.live(ctx, asked) })
	return said, errors.Join(err, failed)
}

// live runs the agent until it ends, or its time is up.
func (e *episode) live(ctx context.Context, asked func() time.Duration) (string, error) {
	living, stop := e.clocked(ctx, asked)
	defer stop()
	c := box.Command{Args: []string{bash, "--noprofile", "--norc", "-c", e.set.how.AgentCommand}, Output: mostOutput}
	got, err := e.run.agent.Run(living, c)
	e.run.strayed = e.run.strayed || got.Unreachable
	text, how := plain(got.Output), fmt.Sprintf("exit status %d", got.Exit)
	switch {
	case errors.Is(err, errTimeIsUp):
		e.over, how, err = errTimeIsUp.Error(), errTimeIsUp.Error(), nil
	case errors.Is(err, box.ErrOver):
		e.over, err = "the trial went beyond its memory or its disk", nil
		how = e.over
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err != nil:
		err = lost(err)
	case got.Signal != 0:
		how = fmt.Sprintf("signal %d", got.Signal)
	}
	if err == nil {
		text += "[the agent ended: " + how + "]\n"
	}
	return text, err
}

// clocked returns a context that ends when the agent's time is up; the time in which it waits for replies counts by the clock on
// the wall alone.
func (e *episode) clocked(ctx context.Context, asked func() time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	began := time.Now()
	var beside sync.WaitGroup
	beside.Go(func() {
		for {
			left, limited := e.remains()
			if !limited {
				return
			}
			if e.set.how.Clock != clockWall {
				left -= time.Since(began) - asked()
			}
			if left <= 0 {
				cancel(errTimeIsUp)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(left):
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		beside.Wait()
	}
}

// mostFile is how many bytes of a file programs outside may get or put.
const mostFile = 32 << 20

// Routes implements the Host of agents: calls as the policy makes them, and files.
func (e *episode) Routes() []web.Route {
	turn := func(serve func(*web.Call) error) func(*web.Call) error {
		return func(c *web.Call) error {
			e.acting.Lock()
			defer e.acting.Unlock()
			err := serve(c)
			if errors.Is(err, quintain.ErrLost) && c.Context().Err() == nil { // else the program left
				e.lost = err
			}
			return err
		}
	}
	return []web.Route{
		{Method: "POST", Path: "/exec", Serve: turn(e.serveCall)},
		{Method: "GET", Path: "/files", Serve: turn(e.serveGet)},
		{Method: "PUT", Path: "/files", Serve: turn(e.servePut)},
	}
}

// whole returns the body of a request.
func whole(c *web.Call) ([]byte, error) {
	return web.ReadBody(c, func(body []byte) ([]byte, error) { return slices.Clone(body), nil })
}

// serveCall makes a call.
func (e *episode) serveCall(c *web.Call) error {
	args, err := whole(c)
	if err != nil {
		return err
	}
	told, err := e.desk.Answer(c.Context(), quintain.ToolCall{Name: toolName, Arguments: string(args)})
	if err != nil {
		return err
	}
	text, err := strictjson.Legible(map[string]string{"output": told.Content})
	return errors.Join(err, c.JSON(http.StatusOK, text))
}

// file runs a script about the file of a request, which it finds as $1.
func (e *episode) file(c *web.Call, script string, output int64) (box.Result, error) {
	name := c.R.URL.Query().Get("path")
	if name == "" || strings.Contains(name, "\x00") {
		return box.Result{}, web.Errorf(http.StatusBadRequest, "want the file as path=")
	}
	if left, limited := e.remains(); limited && left <= 0 {
		e.over = errTimeIsUp.Error()
		return box.Result{}, web.Errorf(http.StatusGone, "%s", e.over)
	}
	if err := e.run.open(c.Context(), false); err != nil {
		return box.Result{}, err
	}
	got, err := e.run.command(c.Context(), box.Command{
		Args: []string{bash, "--noprofile", "--norc", "-c", script, bash, name}, Dir: e.run.dir, Time: usualSeconds * time.Second, Output: output,
	})
	if err == nil && (got.Exit != 0 || got.Signal != 0 || got.Cut > 0) {
		err = web.Errorf(http.StatusNotFound, "%s: %s", name, cut(plain(got.Output), 1000))
	}
	return got, err
}

// serveGet returns a file.
func (e *episode) serveGet(c *web.Call) error {
	got, err := e.file(c, `test -f "$1" || { echo "it is no file"; exit 1; }; base64 -w0 -- "$1"`, int64(base64.StdEncoding.EncodedLen(mostFile)))
	if err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(got.Output)))
	if err != nil {
		return web.Errorf(http.StatusNotFound, "it cannot be read: %v", err)
	}
	return c.Body(http.StatusOK, "application/octet-stream", raw)
}

// servePut writes a file, and the folders above it.
func (e *episode) servePut(c *web.Call) error {
	raw, err := whole(c)
	switch {
	case err != nil:
		return err
	case len(raw) > mostFile:
		return web.Errorf(http.StatusRequestEntityTooLarge, "has more than %d bytes", mostFile)
	}
	const piece = 60_000 // bytes, for a command
	script := `mkdir -p -- "$(dirname -- "$1")" && : > "$1"`
	for part := range slices.Chunk(raw, piece) {
		if _, err := e.file(c, script, 0); err != nil {
			return err
		}
		script = "base64 -d >> \"$1\" <<'EOF'\n" + base64.StdEncoding.EncodeToString(part) + "\nEOF"
	}
	if _, err := e.file(c, script, 0); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, json.RawMessage("{}"))
}
