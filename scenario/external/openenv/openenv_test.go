package openenv_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/scenario/external/openenv"
	"github.com/quintain-rl/quintain/serve/names"
	served "github.com/quintain-rl/quintain/serve/openenv"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs our own server of a few tasks, and returns its URL.
func serve(t testing.TB, limits sessions.Limits) (string, *names.Book) {
	t.Helper()
	set, err := task.NewSet(arithmetic.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	book, err := names.New(names.Config{Tasks: set})
	if err != nil {
		t.Fatal(err)
	}
	routes, _ := served.Routes(book, limits)
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	at, _ := webtest.Serve(t, s)
	return "http://" + at, book
}

// open opens a guest, which the end of the test closes.
func open(t testing.TB, at string, args map[string]any) external.Guest {
	t.Helper()
	how := guest.Default()
	how.Args, how.Limits.MaxBytes = args, 64<<10
	g, err := openenv.Open(t.Context(), guest.Address{Scheme: "openenv", Name: at}, how, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// problem is a problem of an endless split.
func problem(index int) *quintain.Problem {
	return &quintain.Problem{Task: "test", Version: 1, Seed: 7, Index: index, Params: json.RawMessage(`{}`)}
}

// sums are the arguments for problems of chain_sum.
var sums = map[string]any{"reset": map[string]any{"dataset_name": "chain_sum", "dataset_config": map[string]any{"max_terms": 2}}}

func TestOurServerIsPlayed(t *testing.T) {
	t.Parallel()
	at, book := serve(t, sessions.Limits{Most: 8, Idle: time.Minute})
	g := open(t, at, sums)
	hello, err := g.Hello(t.Context())
	if err != nil || hello.Name != "openenv_quintain" || len(hello.Levels) != 1 || hello.Source.Version != "1.0.0" {
		t.Fatalf("hello %+v, error %v", hello, err)
	}
	for i := range 12 {
		p := problem(i)
		draw, err := book.Draw(names.Draw{Task: "chain_sum", Seed: json.Number(fmt.Sprint(external.Seed31(p))), Params: json.RawMessage(`{"max_terms":2}`)})
		if err != nil {
			t.Fatal(err)
		}
		real, err := draw(0)
		if err != nil {
			t.Fatal(err)
		}
		of, err := book.Tasks().Get("chain_sum")
		if err != nil {
			t.Fatal(err)
		}
		said, err := of.Solve(real)
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			said = "no idea"
		}
		want, err := book.Grade(real, &said)
		if err != nil {
			t.Fatal(err)
		}
		first, err := g.Open(t.Context(), uint64(i), p)
		if err != nil || !strings.HasPrefix(first.Messages[0].Content, real.Prompt+"\n") {
			t.Fatalf("it opens with %+v, error %v", first, err)
		}
		got, err := g.Step(t.Context(), uint64(i), &external.Reply{Text: said})
		if err != nil || *got.Reward != want.Score || got.End != quintain.Terminated || !strings.Contains(string(got.Record), `"step_count":1`) {
			t.Errorf("%q gets %+v, error %v; want the score %v", said, got, err, want.Score)
		}
	}
}

func TestAFullServerIsWaitedFor(t *testing.T) {
	t.Parallel()
	at, _ := serve(t, sessions.Limits{Most: 2, Idle: time.Minute})
	g := open(t, at, sums)
	var plays sync.WaitGroup
	for i := range 12 {
		plays.Go(func() {
			_, err := g.Open(t.Context(), uint64(i), problem(i))
			if err != nil {
				t.Errorf("episode %d: %v", i, err)
				return
			}
			if _, err := g.Step(t.Context(), uint64(i), &external.Reply{Text: "1"}); err != nil {
				t.Errorf("episode %d: %v", i, err)
			}
		})
	}
	plays.Wait()
}

// A fake is a server of OpenEnv that says what a test wants.
type fake struct {
	action string // schema
	says   func(n int, m wire.OpenEnvMessage) string
}

// What a fake says instead of a message.
const (
	hangs  = "hangs"
	closes = "closes"
	binary = "binary"
)

// serve returns the fake's URL.
func (f fake) serve(t *testing.T, more ...string) string {
	t.Helper()
	mux := http.NewServeMux()
	text := func(path, said string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, said) })
	}
	text("GET /metadata", `{"name":"Guess It","description":"","version":null}`)
	text("GET /schema", `{"action":`+f.action+`,"observation":{}}`)
	for i := 0; i < len(more); i += 2 {
		text(more[i], more[i+1])
	}
	var sockets sync.WaitGroup // Close waits for none of them: they are hijacked
	t.Cleanup(sockets.Wait)
	mux.HandleFunc("GET /ws", func(w http.ResponseWriter, r *http.Request) {
		sockets.Add(1)
		defer sockets.Done()
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		for n := 0; ; n++ {
			var m wire.OpenEnvMessage
			_, read, err := c.Read(r.Context())
			if err != nil || json.Unmarshal(read, &m) != nil || m.Type == wire.OpenEnvClose {
				return
			}
			kind, said := websocket.MessageText, f.says(n, m)
			switch said {
			case hangs:
				continue
			case closes:
				return
			case binary:
				kind = websocket.MessageBinary
			}
			if c.Write(r.Context(), kind, []byte(said)) != nil {
				return
			}
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

const (
	number  = `{"title":"Guess","type":"object","required":["guess"],"additionalProperties":false,"properties":{"guess":{"type":"integer"},"metadata":{"type":"object"}}}`
	toolbox = `{"title":"CallToolAction","type":"object"}`
	first   = `{"type":"observation","data":{"observation":{"text":"Guess."},"reward":null,"done":false}}`
)

// seen is an observation, with a reward and an end in JSON.
func seen(observation, reward, done string) string {
	return `{"type":"observation","data":{"observation":` + observation + `,"reward":` + reward + `,"done":` + done + `}}`
}

// fails is an error of a server.
func fails(code string) string {
	return `{"type":"error","data":{"message":"bad","code":"` + code + `","errors":[{"loc":["a",0],"msg":"no"}]}}`
}

func TestFaultsHaveTheirTypes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		says   []string // to the reset and the action
		opens  bool
		lost   bool
		saying string
	}{
		{"a reset that raises", []string{fails("EXECUTION_ERROR")}, false, true, "EXECUTION_ERROR"},
		{"no session", []string{fails("SESSION_ERROR")}, false, true, "SESSION_ERROR: bad; a.0: no"},
		{"no environment", []string{fails("FACTORY_ERROR")}, false, true, "FACTORY_ERROR"},
		{"a socket closed in the reset", []string{closes}, false, true, "closed the session"},
		{"no observation of a reset", []string{`{"type":"state","data":{}}`}, false, true, "no observation"},
		{"a reset that hangs", []string{hangs}, false, true, "no answer in time"},
		{"an end without a reward at once", []string{seen(`{}`, "null", "true")}, false, true, "without a reward"},
		{"a step that raises", []string{first, fails("EXECUTION_ERROR")}, true, false, "EXECUTION_ERROR"},
		{"a schema that lies", []string{first, fails("VALIDATION_ERROR")}, true, false, "fits its schema"},
		{"a socket closed in a step", []string{first, closes}, true, false, "closed the session"},
		{"a step that hangs", []string{first, hangs}, true, false, "no answer in time"},
		{"a NaN, as Python writes it", []string{first, seen(`{"text":""}`, "NaN", "true")}, true, false, "invalid"},
		{"a NaN, as pydantic writes it", []string{first, seen(`{"text":""}`, "null", "true")}, true, false, "without a reward"},
		{"a reward that is a text", []string{first, seen(`{"text":""}`, `"won"`, "true")}, true, false, "the reward is"},
		{"a reward out of range", []string{first, seen(`{"text":""}`, "1e9", "false")}, true, false, "the reward is"},
		{"a reward that is a list", []string{first, seen(`{"text":""}`, "[1]", "false")}, true, false, "the reward is"},
		{"an observation that is a text", []string{first, seen(`"on"`, "0", "false")}, true, false, "no observation"},
		{"an end that is a number", []string{first, seen(`{}`, "0", "1")}, true, false, "no observation"},
		{"a huge message", []string{first, seen(`{"text":"`+strings.Repeat("x", 80<<10)+`"}`, "0", "false")}, true, false, "closed the session"},
		{"a deep message", []string{first, seen(strings.Repeat(`{"a":`, 200)+"1"+strings.Repeat("}", 200), "0", "false")}, true, false, "nested deeper"},
		{"no JSON", []string{first, "oops"}, true, false, "invalid"},
		{"a name twice", []string{first, seen(`{"text":"","text":"a"}`, "0", "false")}, true, false, "twice"},
		{"binary", []string{first, binary}, true, false, "invalid"},
		{"an unknown type", []string{first, `{"type":"hello"}`}, true, false, "no observation"},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			g := open(t, fake{number, func(n int, _ wire.OpenEnvMessage) string { return test.says[min(n, len(test.says)-1)] }}.serve(t), nil)
			limit := time.Minute
			if test.says[len(test.says)-1] == hangs {
				limit = 50 * time.Millisecond
			}
			err := play(t, g, limit, test.opens)
			if err == nil || errors.Is(err, quintain.ErrLost) != test.lost || !strings.Contains(err.Error(), test.saying) {
				t.Errorf("error %v, want one that says %q; lost: %t", err, test.saying, test.lost)
			}
		})
	}
}

// play opens an episode and replies once, and returns the error. The last call has a limit.
func play(t *testing.T, g external.Guest, limit time.Duration, opens bool) error {
	t.Helper()
	late, cancel := httpclient.Within(t.Context(), limit)
	defer cancel()
	ctx := late
	if opens {
		ctx = t.Context()
	}
	_, err := g.Open(ctx, 1, problem(0))
	if opens != (err == nil) {
		t.Fatalf("opening gives the error %v", err)
	}
	if err != nil {
		return err
	}
	defer g.Forget(t.Context(), 1)
	late, cancel = httpclient.Within(t.Context(), limit)
	defer cancel()
	_, err = g.Step(late, 1, &external.Reply{Text: `{"guess":1}`})
	return err
}

func TestASessionThatEndsBetweenRepliesIsLost(t *testing.T) {
	t.Parallel()
	g := open(t, fake{number, func(n int, m wire.OpenEnvMessage) string {
		if m.Type == wire.OpenEnvReset {
			return first
		}
		return closes
	}}.serve(t), nil)
	if _, err := g.Open(t.Context(), 1, problem(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Step(t.Context(), 1, &external.Reply{Text: "1"}); err == nil || errors.Is(err, quintain.ErrLost) {
		t.Errorf("a session that ends at a reply has the error %v", err)
	}
	if _, err := g.Step(t.Context(), 1, &external.Reply{Text: "1"}); !errors.Is(err, quintain.ErrLost) {
		t.Errorf("a session that ended before a reply has the error %v", err)
	}
}

func TestMisfitsAreToldOnce(t *testing.T) {
	t.Parallel()
	g := open(t, fake{number, func(n int, m wire.OpenEnvMessage) string {
		if m.Type == wire.OpenEnvReset {
			return first
		}
		return seen(`{"text":"lower"}`, "true", "false")
	}}.serve(t), nil)
	if _, err := g.Open(t.Context(), 1, problem(0)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		said   string
		reward float64
		bad    bool
		end    quintain.End
		tells  string
	}{
		{"```json\n{\"guess\":3}\n```", 1, false, "", "lower"},
		{`{"guess":"three"}`, 0, true, "", "Error: your reply is no action: guess: want integer"},
		{"<think>{}</think>5", 1, false, "", "lower"},
		{"five", 0, true, quintain.Terminated, ""},
	} {
		got, err := g.Step(t.Context(), 1, &external.Reply{Text: want.said})
		if err != nil || *got.Reward != want.reward || got.Malformed != want.bad || got.End != want.end || want.tells != "" && !strings.HasPrefix(got.Messages[0].Content, want.tells) {
			t.Errorf("reply %d gets %+v, error %v; want %+v", i, got, err, want)
		}
	}
}

// tools are the answers of a toolbox to its calls, by the name of the tool.
func tools(n int, m wire.OpenEnvMessage) string {
	var a wire.OpenEnvAction
	switch {
	case m.Type == wire.OpenEnvReset:
		return `{"type":"observation","data":{"observation":{"metadata":{}},"reward":0.0,"done":false,"metadata":{"task":"Add."}}}`
	case json.Unmarshal(m.Data, &a) != nil:
		return closes
	case a.Type == wire.OpenEnvListTools:
		return seen(`{"tools":[{"name":"add","description":"adds","input_schema":{"type":"object"}}]}`, "null", "false")
	}
	text := func(said string) string {
		return `{"tool_name":"x","result":{"content":[{"type":"text","text":"` + said + `"},{"type":"image"}],"is_error":false},"error":null}`
	}
	switch a.Name {
	case "add":
		return seen(text(strings.ReplaceAll(string(a.Arguments), `"`, `'`)), "0.5", "false")
	case "end":
		return seen(text("over"), "1", "true")
	case "slow":
		return seen(`{"tool_name":"x","result":null,"error":{"error_type":"timeout","message":"30 s"}}`, "null", "false")
	}
	return seen(`{"tool_name":"x","result":null,"error":{"error_type":"tool_not_found","message":"no tool"}}`, "null", "false")
}

func TestToolboxesAreCalled(t *testing.T) {
	t.Parallel()
	call := func(name, arguments string) quintain.ToolCall {
		return quintain.ToolCall{ID: "c" + name, Name: name, Arguments: arguments}
	}
	for _, test := range []struct {
		why   string
		reply external.Reply
		want  []string // contents of the messages
		worth float64
		end   quintain.End
		bad   bool
		fault string
	}{
		{"two calls in order", external.Reply{ToolCalls: []quintain.ToolCall{call("add", `{"a":1}`), call("add", "")}}, []string{"{'a':1}\n[image]", "{}\n[image]"}, 1, "", false, ""},
		{"an unknown tool", external.Reply{ToolCalls: []quintain.ToolCall{call("sub", "{}")}}, []string{"Error: no tool"}, 0, "", false, ""},
		{"an end before the last call", external.Reply{ToolCalls: []quintain.ToolCall{call("add", "{}"), call("end", "{}"), call("slow", "{}")}}, nil, 1.5, quintain.Terminated, false, ""},
		{"arguments that are none", external.Reply{ToolCalls: []quintain.ToolCall{call("add", "[1]"), call("add", "{}")}}, []string{"Error: the arguments are no JSON object", "{}\n[image]"}, 0.5, "", true, ""},
		{"no call", external.Reply{Text: "42"}, []string{"Error: the reply has no call that can be read. Another reply like this ends the episode."}, 0, "", true, ""},
		{"a broken call", external.Reply{CallFault: "half"}, []string{"Error: the reply has no call that can be read: half. Another reply like this ends the episode."}, 0, "", true, ""},
		{"a tool that is not reached", external.Reply{ToolCalls: []quintain.ToolCall{call("slow", "{}")}}, nil, 0, "", false, "a tool was not reached: timeout"},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			g := open(t, fake{toolbox, tools}.serve(t), nil)
			a, err := g.Open(t.Context(), 1, problem(0))
			if err != nil || len(a.Tools) != 1 || a.Tools[0].Name != "add" || a.Messages[0].Content != `{"task":"Add."}` {
				t.Fatalf("it opens with %+v, error %v", a, err)
			}
			got, err := g.Step(t.Context(), 1, &test.reply)
			if test.fault != "" {
				if err == nil || errors.Is(err, quintain.ErrLost) || !strings.Contains(err.Error(), test.fault) {
					t.Errorf("error %v, want %q", err, test.fault)
				}
				return
			}
			if err != nil || *got.Reward != test.worth || got.End != test.end || got.Malformed != test.bad || len(got.Messages) != len(test.want) {
				t.Fatalf("it gets %+v, error %v", got, err)
			}
			for i, m := range got.Messages {
				if m.Content != test.want[i] {
					t.Errorf("message %d is %q, want %q", i, m.Content, test.want[i])
				}
			}
		})
	}
}

func TestSplitsAreAskedFor(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	at := fake{number, func(_ int, m wire.OpenEnvMessage) string {
		asked <- string(m.Data)
		return first
	}}.serve(t, "GET /list_environments", `["guess"]`, "GET /guess/splits", `[{"name":"easy","type":"train"},{"name":"hard","type":"test"}]`, "POST /guess/num_tasks", `{"num_tasks":9}`)
	g := open(t, at, map[string]any{"reset": map[string]any{"depth": 2}})
	hello, err := g.Hello(t.Context())
	if err != nil || hello.Levels != nil || len(hello.Splits) != 2 || hello.Splits[1] != (external.Split{Name: "hard", Size: 9, HeldOut: true}) || hello.Splits[0].HeldOut {
		t.Fatalf("hello %+v, error %v", hello, err)
	}
	p := problem(5)
	p.Params = json.RawMessage(`{"split":"hard"}`)
	if _, err := g.Open(t.Context(), 1, p); err != nil {
		t.Fatal(err)
	}
	if said := <-asked; !strings.Contains(said, `"split":"hard"`) || !strings.Contains(said, `"index":5`) || !strings.Contains(said, `"depth":2`) || !strings.Contains(said, `"episode_id":"test.v1.s7.l0.5.`) {
		t.Errorf("the reset says %s", said)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	at := fake{number, nil}.serve(t)
	two := fake{`{"title":"Two","type":"object","properties":{"a":{},"b":{}}}`, nil}.serve(t)
	for _, test := range []struct {
		why, at string
		args    map[string]any
		saying  string
	}{
		{"no server", "http://127.0.0.1:1", nil, "does it run?"},
		{"no URL", "folder", nil, "start its server"},
		{"unknown arguments", at, map[string]any{"colour": 1}, `environment.args: unknown field "colour"`},
		{"an unknown form", at, map[string]any{"form": "yaml"}, `form is "yaml"`},
		{"a text for two fields", two, map[string]any{"form": "text"}, "these have several"},
		{"no schema", fake{`null`, nil}.serve(t), nil, "no schema"},
	} {
		how := guest.Default()
		how.Args = test.args
		if _, err := openenv.Open(t.Context(), guest.Address{Scheme: "openenv", Name: test.at}, how, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), test.saying) {
			t.Errorf("%s: error %v, want one that says %q", test.why, err, test.saying)
		}
	}
}
