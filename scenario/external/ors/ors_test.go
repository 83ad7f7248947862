package ors_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/scenario/external/ors"
	"github.com/quintain-rl/quintain/serve/names"
	served "github.com/quintain-rl/quintain/serve/ors"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a guest, which the end of the test closes.
func open(t *testing.T, at string, args map[string]any, keys ...string) external.Guest {
	t.Helper()
	how := guest.Default()
	how.Args, how.Keys, how.Limits.MaxBytes = args, keys, 64<<10
	g, err := ors.Open(t.Context(), guest.Address{Scheme: "ors", Name: at}, how, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// problem is a problem of a split.
func problem(split string, index int) *quintain.Problem {
	return &quintain.Problem{Task: "test", Version: 1, Index: index, Params: json.RawMessage(`{"split":"` + split + `"}`)}
}

func TestOurServerIsPlayed(t *testing.T) {
	t.Parallel()
	set, err := task.NewSet(arithmetic.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	book, err := names.New(names.Config{Tasks: set})
	if err != nil {
		t.Fatal(err)
	}
	routes, _ := served.Routes(book, sessions.Limits{Most: 4, Idle: time.Minute})
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	at, _ := webtest.Serve(t, s)
	g := open(t, "http://"+at+"#chain_sum", nil)
	hello, err := g.Hello(t.Context())
	if err != nil || hello.Name != "ors_chain_sum" || len(hello.Splits) != 2 || hello.Splits[0] != (external.Split{Name: "train", Size: 10_000}) || !hello.Splits[1].HeldOut {
		t.Fatalf("hello %+v, error %v", hello, err)
	}
	of, err := set.Get("chain_sum")
	if err != nil {
		t.Fatal(err)
	}
	levels := len(of.Info().Levels)
	for i := range 12 {
		draw, err := book.Draw(names.Draw{Task: "chain_sum", Seed: "1", Level: i % levels})
		if err != nil {
			t.Fatal(err)
		}
		real, err := draw(i / levels)
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
		first, err := g.Open(t.Context(), uint64(i), problem("test", i))
		if err != nil || len(first.Tools) != 1 || !strings.Contains(first.Messages[0].Content, real.Prompt) {
			t.Fatalf("it opens with %+v, error %v", first, err)
		}
		answer, err := json.Marshal(map[string]string{"answer": said})
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Step(t.Context(), uint64(i), &external.Reply{ToolCalls: []quintain.ToolCall{{ID: "1", Name: "submit", Arguments: string(answer)}}})
		if err != nil || *got.Reward != want.Score || got.End != quintain.Terminated || !strings.Contains(string(got.Record), `"right":`) {
			t.Errorf("%q gets %+v, error %v; want the score %v", said, got, err, want.Score)
		}
	}
}

// A fake is a server of the standard that answers calls as a test wants.
type fake struct {
	tools string                                                          // members of the list of tools beside the tools
	call  func(w http.ResponseWriter, r *http.Request, c wire.ORSCalling) // nil: ends the episode with reward 1
	more  map[string]http.HandlerFunc                                     // in place of others
}

// serve returns the fake's URL.
func (f fake) serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	routes := map[string]http.HandlerFunc{
		"GET /list_environments": say(`["desk","other"]`),
		"GET /desk/splits":       say(`[{"name":"easy","type":"validation"},{"name":"test","type":"test"}]`),
		"POST /desk/num_tasks":   say(`{"num_tasks":3}`),
		"POST /create_session":   say("event: task_id\r\ndata: s1\r\n\r\nevent: end\r\ndata: \r\n\r\n"),
		"POST /create":           say(`{"sid":"s1"}`),
		"POST /delete":           say(`{"sid":"s1"}`),
		"GET /desk/task_tools":   say(`{"tools":[{"name":"look","description":"looks","input_schema":null}]` + f.tools + `}`),
		"GET /desk/prompt":       say(`[{"text":"Find it.","detail":null,"type":"text"}]`),
		"POST /desk/call": func(w http.ResponseWriter, r *http.Request) {
			var c wire.ORSCalling
			body, err := io.ReadAll(r.Body)
			if err != nil || json.Unmarshal(body, &c) != nil || r.Header.Get("X-Session-ID") != "s1" {
				http.Error(w, "bad", http.StatusUnprocessableEntity)
				return
			}
			f.call(w, r, c)
		},
	}
	maps.Copy(routes, f.more)
	for path, handle := range routes {
		mux.HandleFunc(path, handle)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// stream writes the reply to a call.
func stream(w http.ResponseWriter, task, said string) {
	fmt.Fprintf(w, ": ping\n\nevent: task_id\ndata: %s\n\nevent: chunk\ndata: %s\n\nevent: end\ndata: %s\n\n", task, said[:len(said)/2], said[len(said)/2:])
}

// output is the output of a call, with a reward and an end in JSON.
func output(text, reward, finished string) string {
	return `{"ok":true,"output":{"blocks":[{"text":"` + text + `","detail":null,"type":"text"}],"metadata":null,"reward":` + reward + `,"finished":` + finished + `}}`
}

// calls is a reply that calls tools without arguments.
func calls(tools ...string) *external.Reply {
	r := &external.Reply{}
	for _, name := range tools {
		r.ToolCalls = append(r.ToolCalls, quintain.ToolCall{ID: "c" + name, Name: name})
	}
	return r
}

func TestFaultsOfCallsHaveTheirTypes(t *testing.T) {
	t.Parallel()
	say := func(said string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { stream(w, "t", said) }
	}
	fail := func(status int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { http.Error(w, `{"detail":"bad"}`, status) }
	}
	for _, test := range []struct {
		why    string
		call   func(http.ResponseWriter)
		lost   bool
		saying string
	}{
		{"a tool that raises", func(w http.ResponseWriter) {
			fmt.Fprint(w, "event: task_id\ndata: t\n\nevent: error\ndata: it broke\n\n")
		}, false, "it broke"},
		{"500", fail(500), false, "500"},
		{"502", fail(502), false, "502"},
		{"a session that is gone", fail(404), true, "the session has ended"},
		{"a session that was deleted", fail(410), true, "the session has ended"},
		{"a body that is refused", fail(422), false, "422"},
		{"a stream that breaks off at once", func(w http.ResponseWriter) {}, false, "EOF"},
		{"a stream of another kind", func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") }, false, "EOF"},
		{"a call that hangs", nil, false, "no answer in time"},
		{"a NaN, as Python writes it", say(output("", "NaN", "true")), false, "invalid"},
		{"a NaN, as pydantic writes it", say(output("", "null", "true")), false, "without a reward"},
		{"a reward that is a text", say(output("", `"won"`, "true")), false, "invalid"},
		{"a reward out of range", say(output("", "-1e9", "true")), false, "the reward is"},
		{"an end that is a text", say(output("", "1", `"yes"`)), false, "invalid"},
		{"no output", say(`{"ok":true}`), false, "no output"},
		{"neither output nor error", say(`{"detail":"x"}`), false, "no output"},
		{"an end that nobody saw", say(`{"ok":false,"error":"over","reason":"episode_finished"}`), false, "no output"},
		{"an image that nobody reads", say(`{"ok":true,"output":{"blocks":[{"data":"aa","mimeType":"image/png","type":"image"}],"reward":1,"finished":true}}`), false, "images"},
		{"a block of an unknown type", say(`{"ok":true,"output":{"blocks":[{"type":"sound"}],"reward":1,"finished":true}}`), false, "sound"},
		{"a huge output", say(output(strings.Repeat("x", 80<<10), "1", "true")), false, "too large"},
		{"no JSON", say("oops"), false, "invalid"},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			done := make(chan struct{})
			t.Cleanup(func() { close(done) })
			g := open(t, fake{call: func(w http.ResponseWriter, r *http.Request, _ wire.ORSCalling) {
				if test.call != nil {
					test.call(w)
					return
				}
				select {
				case <-done:
				case <-r.Context().Done():
				}
			}}.serve(t), nil)
			if _, err := g.Open(t.Context(), 1, problem("easy", 0)); err != nil {
				t.Fatal(err)
			}
			limit := time.Minute
			if test.call == nil {
				limit = 50 * time.Millisecond
			}
			ctx, cancel := httpclient.Within(t.Context(), limit)
			defer cancel()
			_, err := g.Step(ctx, 1, calls("look"))
			if err == nil || errors.Is(err, quintain.ErrLost) != test.lost || !strings.Contains(err.Error(), test.saying) {
				t.Errorf("error %v, want one that says %q; lost: %t", err, test.saying, test.lost)
			}
			g.Forget(t.Context(), 1)
		})
	}
}

func TestFaultsOfOpeningsAreLost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, route string
		status     int
		text       string
	}{
		{"no session", "POST /create_session", 500, "{}"},
		{"a session without a name", "POST /create_session", 200, "event: end\ndata: \n\n"},
		{"no environment", "POST /create", 500, `{"detail":"bad"}`},
		{"an index out of range", "POST /create", 400, `{"detail":"Invalid index"}`},
		{"no tools", "GET /desk/task_tools", 500, "{}"},
		{"tools that are a text", "GET /desk/task_tools", 200, `"tools"`},
		{"a setup that raised", "GET /desk/messages", 500, "{}"},
		{"a prompt that is a text", "GET /desk/prompt", 200, `"Find it."`},
	} {
		g := open(t, fake{more: map[string]http.HandlerFunc{test.route: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			fmt.Fprint(w, test.text)
		}}}.serve(t), nil)
		if _, err := g.Open(t.Context(), 1, problem("easy", 0)); !errors.Is(err, quintain.ErrLost) {
			t.Errorf("%s: error %v, want a lost episode", test.why, err)
		}
	}
}

// TestALostStreamIsAskedForAgain breaks the first stream off after its task, and the second within its
// output; the server is busy at first.
func TestALostStreamIsAskedForAgain(t *testing.T) {
	t.Parallel()
	asked := []string{}
	g := open(t, fake{call: func(w http.ResponseWriter, _ *http.Request, c wire.ORSCalling) {
		asked = append(asked, c.Task)
		switch len(asked) {
		case 1:
			w.Header().Set("X-Backend-State", "starting")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			fmt.Fprint(w, "event: task_id\ndata: t7\n\n")
		case 3:
			w.WriteHeader(http.StatusBadGateway)
		default:
			stream(w, c.Task, output("found", "0.5", "true"))
		}
	}}.serve(t), nil)
	if _, err := g.Open(t.Context(), 1, problem("easy", 0)); err != nil {
		t.Fatal(err)
	}
	got, err := g.Step(t.Context(), 1, calls("look"))
	if err != nil || *got.Reward != 0.5 || got.End != quintain.Terminated || got.Why != "found" || strings.Join(asked, ",") != ",,t7,t7" {
		t.Errorf("it gets %+v, error %v, after calls with the tasks %q", got, err, asked)
	}
}

func TestRepliesArePlayed(t *testing.T) {
	t.Parallel()
	const last = `,"terminal_tool":{"name":"finish","arg":"text"}`
	for _, test := range []struct {
		why, tools string
		replies    []*external.Reply
		worth      float64 // of the last reply
		bad        bool
		end        quintain.End
		tells      []string // after the last reply
	}{
		{"several calls", "", []*external.Reply{calls("look", "look")}, 0.5, false, "", []string{"seen {}", "seen {}"}},
		{"an end before the last call", "", []*external.Reply{calls("look", "win", "break")}, 1.25, false, quintain.Terminated, nil},
		{"a call that is refused", "", []*external.Reply{calls("fly")}, 0, false, "", []string{"Error: no tool"}},
		{"no call, and nothing was earned", "", []*external.Reply{{Text: "done"}}, 0, true, quintain.Terminated, nil},
		{"no call, after something was earned", "", []*external.Reply{calls("look"), {Text: "done"}}, 0, false, quintain.Terminated, nil},
		{"a message for the terminal tool", last, []*external.Reply{{Text: "it is here"}}, 1, false, quintain.Terminated, nil},
		{"a broken call", "", []*external.Reply{{CallFault: "half"}}, 0, true, "", []string{"Error: the reply has no call that can be read: half. Another reply like this ends the episode."}},
		{"two broken calls", last, []*external.Reply{{CallFault: "half"}, {CallFault: "half"}}, 0, true, quintain.Terminated, nil},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			g := open(t, fake{tools: test.tools, call: func(w http.ResponseWriter, _ *http.Request, c wire.ORSCalling) {
				said := output("over", "1", "true")
				switch {
				case c.Name == "look":
					said = output("seen "+string(c.Input), "0.25", "false")
				case c.Name == "fly":
					said = `{"ok":false,"error":"no tool","reason":"not_found"}`
				case c.Name == "break", c.Name == "finish" && string(c.Input) != `{"text":"it is here"}`:
					said = "oops"
				}
				stream(w, "t", said)
			}}.serve(t), nil)
			if _, err := g.Open(t.Context(), 1, problem("easy", 0)); err != nil {
				t.Fatal(err)
			}
			var got *external.Answer
			for _, r := range test.replies {
				var err error
				if got, err = g.Step(t.Context(), 1, r); err != nil {
					t.Fatal(err)
				}
			}
			if *got.Reward != test.worth || got.Malformed != test.bad || got.End != test.end || len(got.Messages) != len(test.tells) {
				t.Fatalf("it gets %+v", got)
			}
			for i, m := range got.Messages {
				if m.Content != test.tells[i] {
					t.Errorf("message %d is %q, want %q", i, m.Content, test.tells[i])
				}
			}
		})
	}
}

// TestSecretsAreThoseNamed also reads a conversation with an image.
func TestSecretsAreThoseNamed(t *testing.T) {
	t.Setenv("DESK_KEY", "hidden")
	t.Setenv("OTHER_KEY", "private")
	secret := make(chan string, 1)
	g := open(t, fake{more: map[string]http.HandlerFunc{
		"POST /create": func(w http.ResponseWriter, r *http.Request) {
			secret <- r.Header.Get("X-Secrets")
			fmt.Fprint(w, `{}`)
		},
		"GET /desk/messages": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `[{"role":"system","blocks":[{"type":"text","text":"You look."}]},{"role":"user","blocks":[{"type":"text","text":"Where?"},{"type":"image","data":"aa","mimeType":"image/png"}]}]`)
		},
	}}.serve(t), map[string]any{"images": true}, "DESK_KEY")
	a, err := g.Open(t.Context(), 1, problem("easy", 2))
	if err != nil || len(a.Messages) != 2 || a.Messages[0].Content != "You look." || !strings.Contains(string(a.Messages[1].Parts[1].Raw), "data:image/png;base64,aa") {
		t.Errorf("it opens with %+v, error %v", a, err)
	}
	if text, err := base64.StdEncoding.DecodeString(<-secret); err != nil || string(text) != `{"DESK_KEY":{"value":"hidden"}}` {
		t.Errorf("the secrets are %s, error %v", text, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	at := fake{}.serve(t)
	for _, test := range []struct {
		why, at string
		args    map[string]any
		keys    []string
		saying  string
	}{
		{"no server", "http://127.0.0.1:1", nil, nil, "does it run?"},
		{"an unknown environment", at + "#table", nil, nil, `no environment "table", only: desk, other`},
		{"an environment without splits", at + "#other", nil, nil, "404"},
		{"a key that is not set", at, nil, []string{"NO_SUCH_KEY"}, "NO_SUCH_KEY is not set"},
		{"unknown arguments", at, map[string]any{"colour": 1}, nil, `unknown field "colour"`},
		{"a split without tasks", fake{more: map[string]http.HandlerFunc{"POST /desk/num_tasks": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"num_tasks":0}`) }}}.serve(t), nil, nil, "has no tasks"},
	} {
		how := guest.Default()
		how.Args, how.Keys = test.args, test.keys
		if _, err := ors.Open(t.Context(), guest.Address{Scheme: "ors", Name: test.at}, how, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), test.saying) {
			t.Errorf("%s: error %v, want one that says %q", test.why, err, test.saying)
		}
	}
}
