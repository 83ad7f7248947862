package play

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// only runs what needs the model.
func only(_ context.Context, _ net.Listener, do func()) error {
	do()
	return nil
}

func TestAnAgentLivesInTheTrial(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	none := func() time.Duration { return 0 }
	ends := func(got box.Result, err error) func(context.Context) (box.Result, error) {
		return func(context.Context) (box.Result, error) { return got, err }
	}
	forEver := func(ctx context.Context) (box.Result, error) {
		<-ctx.Done()
		return box.Result{Signal: 9, Output: []byte("so far\n")}, context.Cause(ctx)
	}
	left := errors.New("the session is over")
	for _, test := range []struct {
		why   string
		live  func(context.Context) (box.Result, error)
		clock string
		asked func() time.Duration
		said  string
		err   error
		end   quintain.End
	}{
		{"it ends", ends(box.Result{Output: []byte("hi\n")}, nil), clockCommands, none, "hi\n[the agent ended: exit status 0]\n", nil, quintain.Terminated},
		{"it fails", ends(box.Result{Exit: 3}, nil), clockCommands, none, "[the agent ended: exit status 3]\n", nil, quintain.Terminated},
		{"it is killed", ends(box.Result{Signal: 9}, nil), clockCommands, none, "[the agent ended: signal 9]\n", nil, quintain.Terminated},
		{"it has no memory", ends(box.Result{}, box.ErrOver), clockCommands, none, "[the agent ended: the trial went beyond its memory or its disk]\n", nil, quintain.Truncated},
		{"its time is up", forEver, clockCommands, none, "so far\n[the agent ended: the time is up]\n", nil, quintain.Truncated},
		{"its time is up, on the wall", forEver, clockWall, func() time.Duration { return time.Since(begun) }, "so far\n[the agent ended: the time is up]\n", nil, quintain.Truncated},
		{"it waits for the model", forEver, clockCommands, func() time.Duration { return time.Since(begun) }, "so far\n", left, quintain.Terminated},
		{"it has no limit", forEver, clockOff, none, "so far\n", left, quintain.Terminated},
		{"the machine fails", ends(box.Result{}, errors.New("no such init")), clockCommands, none, "", quintain.ErrLost, quintain.Going},
	} {
		how := Default()
		how.AgentCommand, how.Agent, how.Clock = "live", "my-agent", test.clock
		on := &fake{tests: pays("1"), live: test.live}
		dir := folder(t, map[string]map[string]string{"a": nil})
		s := set(t, on, how, dir)
		e := begin(t, s).(*episode)
		synctest.Test(t, func(t *testing.T) {
			begun = time.Now()
			e.began = begun
			ctx, stop := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(time.Hour, func() { stop(left) })
			defer timer.Stop()
			said, err := e.Live(ctx, []byte("{}"), test.asked, only)
			if said != test.said || !errors.Is(err, test.err) {
				t.Errorf("%s: it says %q, error %v", test.why, said, err)
			}
		})
		if test.end == quintain.Going {
			continue
		}
		if step, err := e.Step(t.Context(), done); err != nil || step.End != test.end || step.Reward != 1 {
			t.Errorf("%s: %+v, error %v", test.why, step, err)
		}
		p := on.last().phases[0]
		at := func(to string) int {
			return slices.IndexFunc(p.Mounts, func(m box.Mount) bool { return m.At == to && !m.Writable })
		}
		if at("/agent") < 0 || at("/problem") < 0 || !slices.Equal(p.Listen, []int{8000}) || !slices.Contains(p.Env, "OPENAI_BASE_URL=http://127.0.0.1:8000/v1") {
			t.Errorf("%s: %+v", test.why, p)
		}
		if tests := on.last().phases[1]; tests.Listen != nil || len(tests.Mounts) != 4 {
			t.Errorf("%s: the tests see %+v", test.why, tests)
		}
	}
}

func TestAnAgentOutsideActs(t *testing.T) {
	t.Parallel()
	var scripts []string
	on := &fake{tests: pays("1"), agent: func(c box.Command) (box.Result, error) {
		scripts = append(scripts, c.Args[4])
		switch {
		case strings.Contains(c.Args[4], "none"):
			return box.Result{}, errors.New("the trial is gone")
		case strings.Contains(c.Args[4], "base64 -w0") && c.Args[6] == "/app/x":
			return box.Result{Output: []byte(base64.StdEncoding.EncodeToString([]byte("held\x00")) + "\n")}, nil
		case strings.Contains(c.Args[4], "base64 -w0"):
			return box.Result{Exit: 1, Output: []byte("it is no file\n")}, nil
		}
		return box.Result{Output: []byte("ran\n"), Dir: "/app", Wall: map[bool]time.Duration{true: 100 * time.Second}[c.Args[4] == "all"]}, nil
	}}
	e := begin(t, set(t, on, Default(), folder(t, map[string]map[string]string{"a": nil}))).(*episode)
	server, err := web.New(web.Config{Name: "agent", Routes: e.Routes(), Settings: web.Settings{MaxBody: 2 * mostFile}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why, method, path, body string
		status                  int
		says                    string
	}{
		{"a call", "POST", "/exec", `{"command": "ls"}`, 200, `{"output":"ran\n[exit 0, 0.0 s, in /app]"}`},
		{"a call that is refused", "POST", "/exec", `{"command": "ls", "timeout": 1000}`, 200, "Error: timeout"},
		{"no call", "POST", "/exec", `nonsense`, 200, "Error: "},
		{"a file", "GET", "/files?path=/app/x", "", 200, "held\x00"},
		{"no file", "GET", "/files?path=/app", "", 404, "it is no file"},
		{"no name", "GET", "/files", "", 400, "path="},
		{"a new file", "PUT", "/files?path=/app/y", strings.Repeat("x", 100_000), 200, "{}"},
		{"one too large", "PUT", "/files?path=/app/y", strings.Repeat("x", mostFile+1), 413, "bytes"},
		{"the machine fails", "POST", "/exec", `{"command": "none"}`, 503, "lost"},
		{"a call that takes the rest of the time", "POST", "/exec", `{"command": "all"}`, 200, "ran"},
		{"a file, and the time is up", "GET", "/files?path=/app/x", "", 410, "the time is up"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), row.method, "http://127.0.0.1"+row.path, strings.NewReader(row.body))
		r.Header.Set("Content-Type", "application/json")
		if server.ServeHTTP(w, r); w.Code != row.status || !strings.Contains(w.Body.String(), row.says) {
			t.Errorf("%s: status %d, %.200s", row.why, w.Code, w.Body)
		}
	}
	if strings.Count(strings.Join(scripts, "\n"), "base64 -d") != 2 {
		t.Errorf("a file of 100,000 bytes is written by\n%.200q", scripts)
	}
	if _, err := e.Step(t.Context(), done); !errors.Is(err, quintain.ErrLost) {
		t.Errorf("after a fault of the machine: error %v", err)
	}
	if about := e.About(); about["instruction"] != "Do it.\n" || about["workdir"] != "/app" {
		t.Errorf("%v", about)
	}
}
