package nemogym_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/scenario/external/nemogym"
	served "github.com/quintain-rl/quintain/serve/nemogym"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// write writes rows to a file.
func write(t *testing.T, rows ...string) string {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func at(url string) guest.Address { return guest.Address{Scheme: "nemogym", Name: url} }

func with(args map[string]any) guest.Settings {
	how := guest.Default()
	how.Args = args
	return how
}

// open returns the client of a server.
func open(t *testing.T, url string, args map[string]any) external.Guest {
	t.Helper()
	g, err := nemogym.Open(t.Context(), at(url), with(args), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// step plays a reply, in the episode of that number.
func step(t *testing.T, g external.Guest, id uint64, reply external.Reply) *external.Answer {
	t.Helper()
	a, err := g.Step(t.Context(), id, &reply)
	if err != nil {
		t.Fatalf("%+v: %v", reply, err)
	}
	return a
}

// begin opens the episode of a row, whose number it has.
func begin(t *testing.T, g external.Guest, row int) *external.Answer {
	t.Helper()
	a, err := g.Open(t.Context(), uint64(row), &quintain.Problem{Index: row})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func says(text string) external.Reply { return external.Reply{Text: text, Finish: quintain.Stop} }

func calls(name, args string) external.Reply {
	return external.Reply{ToolCalls: []quintain.ToolCall{{ID: "c1", Name: name, Arguments: args}}, Finish: quintain.Stop}
}

// ours is a server of this repository.
func ours(t *testing.T) string {
	book, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		t.Fatal(err)
	}
	routes, _ := served.Routes(book, sessions.Limits{Most: 100, Idle: time.Hour}, nil)
	handler, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func TestOurServer(t *testing.T) {
	t.Parallel()
	url := ours(t)
	const asks = `"responses_create_params":{"input":[{"role":"user","content":"go on"}]`
	rows := write(t,
		`{"task":"chain_sum","seed":"7","scenario":"reasoning_gym",`+asks+`}}`,
		`{"task":"calculator","seed":"1",`+asks+`,"tools":[{"type":"function","name":"calc","parameters":{"type":"object"}},{"type":"function","name":"finish"}]}}`,
		`{"task":"nim_family","seed":"1","index":3,`+asks+`}}`,
	)
	g := open(t, url, map[string]any{"data": rows})
	if a := begin(t, g, 0); len(a.Messages) != 1 || a.Messages[0].Content != "go on" {
		t.Errorf("%+v", a)
	}
	if a := step(t, g, 0, says("none")); a.End != quintain.Terminated || *a.Reward != 0 || a.Metrics["malformed"] != 1 {
		t.Errorf("a wrong answer: %+v", a)
	}
	if a := begin(t, g, 1); len(a.Tools) != 2 || a.Tools[0].Name != "calc" {
		t.Errorf("%+v", a)
	}
	for _, test := range []struct{ why, tool, args, want string }{
		{"a call", "calc", `{"expression":"17*17"}`, "289"},
		{"an unknown tool", "clac", `{}`, `Error: there is no tool "clac"`},
		{"arguments that are no JSON", "calc", `{`, `Error: the arguments cannot be read`},
	} {
		if a := step(t, g, 1, calls(test.tool, test.args)); !strings.HasPrefix(a.Messages[0].Content, test.want) || a.Messages[0].ToolCallID != "c1" {
			t.Errorf("%s: %+v", test.why, a)
		}
	}
	if a := step(t, g, 1, says("Done.")); a.End != quintain.Terminated {
		t.Errorf("the end: %+v", a)
	}
	if _, err := g.Step(t.Context(), 1, &external.Reply{}); !errors.Is(err, quintain.ErrLost) {
		t.Errorf("a reply after the end: %v", err)
	}
	game := open(t, url, map[string]any{"data": rows, "kind": nemogym.Gymnasium})
	begin(t, game, 2)
	if a := step(t, game, 2, says("<move>take 2 from b</move>")); a.End != quintain.Going || !strings.Contains(a.Messages[0].Content, "Your opponent plays") {
		t.Errorf("a move: %+v", a)
	}
	if a := step(t, game, 2, says("<move>take 1 from b</move>")); a.End != quintain.Terminated || *a.Reward != 1 || !a.Right {
		t.Errorf("the last move: %+v", a)
	}
	begin(t, game, 2)
	game.Forget(t.Context(), 2)
}

// fake is a server that answers a path with a text, and with a status if that is a number.
func fake(t *testing.T, answers map[string]string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		text, ok := answers[r.URL.Path]
		var status int
		switch _, err := fmt.Sscanf(text, "%d", &status); {
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		case text == "break":
			panic(http.ErrAbortHandler)
		case err == nil:
			w.WriteHeader(status)
		default:
			fmt.Fprint(w, text)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// fails is the end of an episode that has none.
const fails quintain.End = "fails"

const plainRow = `{"responses_create_params":{"input":"hi","tools":[{"type":"function","name":"f"}]},"own":1}`

func TestFaults(t *testing.T) {
	t.Parallel()
	steps := `{"paths":{"/reset":{},"/step":{}}}`
	for _, test := range []struct {
		why     string
		answers map[string]string
		reply   external.Reply
		lost    bool
		reward  float64
		end     quintain.End
		want    string // in the error, or in the message
	}{
		{"a verdict with numbers", map[string]string{"/seed_session": "{}", "/verify": `{"own":1,"reward":0.5,"speed":2,"ok":true}`}, says("x"), false, 0.5, quintain.Terminated, ""},
		{"a truth value for a reward", map[string]string{"/seed_session": "{}", "/verify": `{"reward":true}`}, says("x"), false, 1, quintain.Terminated, ""},
		{"a reply that was cut", map[string]string{"/seed_session": "{}", "/verify": `{"reward":0}`}, external.Reply{Text: "x", Finish: quintain.Length}, false, 0, quintain.Truncated, ""},
		{"no reward", map[string]string{"/seed_session": "{}", "/verify": `{}`}, says("x"), false, 0, fails, "its reward is"},
		{"null for a reward", map[string]string{"/seed_session": "{}", "/verify": `{"reward":null}`}, says("x"), false, 0, fails, "its reward is null"},
		{"a text for a reward", map[string]string{"/seed_session": "{}", "/verify": `{"reward":"1"}`}, says("x"), false, 0, fails, `its reward is "1"`},
		{"NaN for a reward", map[string]string{"/seed_session": "{}", "/verify": `{"reward":NaN}`}, says("x"), false, 0, fails, "NaN"},
		{"verify fails", map[string]string{"/seed_session": "{}", "/verify": "500"}, says("x"), false, 0, fails, "HTTP 500"},
		{"verify refuses", map[string]string{"/seed_session": "{}", "/verify": "422"}, says("x"), false, 0, fails, "HTTP 422"},
		{"the connection breaks in verify", map[string]string{"/seed_session": "{}", "/verify": "break"}, says("x"), false, 0, fails, "EOF"},
		{"a session cannot begin now", map[string]string{"/seed_session": "503"}, says("x"), true, 0, fails, "HTTP 503"},
		{"the connection breaks at the start", map[string]string{"/seed_session": "break"}, says("x"), true, 0, fails, "EOF"},
		{"the row is refused", map[string]string{"/seed_session": "422"}, says("x"), false, 0, fails, "HTTP 422"},
		{"a call is refused", map[string]string{"/seed_session": "{}", "/f": "422"}, calls("f", ""), false, 0, quintain.Going, ""},
		{"a call fails", map[string]string{"/seed_session": "{}", "/f": "500"}, calls("f", ""), false, 0, fails, "HTTP 500"},
		{"a step ends", map[string]string{"/openapi.json": steps, "/reset": "{}", "/step": `{"reward":-1,"terminated":true,"info":{"result":"bust"}}`}, says("x"), false, -1, quintain.Terminated, ""},
		{"a step is cut", map[string]string{"/openapi.json": steps, "/reset": "{}", "/step": `{"reward":1,"truncated":true}`}, says("x"), false, 1, quintain.Truncated, ""},
		{"a step without a reward", map[string]string{"/openapi.json": steps, "/reset": "{}", "/step": `{"terminated":true}`}, says("x"), false, 0, fails, "reward is missing"},
		{"a step goes on", map[string]string{"/openapi.json": steps, "/reset": `{"observation":"look"}`, "/step": `{"reward":0,"observation":"more"}`}, says("x"), false, 0, quintain.Going, "more"},
		{"results of calls", map[string]string{"/openapi.json": steps, "/reset": "{}", "/step": `{"reward":0,"info":{"tool_outputs":[{"call_id":"c1","output":"7"}]}}`}, calls("f", ""), false, 0, quintain.Going, "7"},
		{"the server forgot the session", map[string]string{"/openapi.json": steps, "/reset": "{}", "/step": "404"}, says("x"), true, 0, fails, "HTTP 404"},
	} {
		g := open(t, fake(t, test.answers), map[string]any{"data": write(t, plainRow)})
		a, err := g.Open(t.Context(), 1, &quintain.Problem{})
		if err == nil {
			a, err = g.Step(t.Context(), 1, &test.reply)
		}
		switch {
		case test.end == fails:
			if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, quintain.ErrLost) != test.lost {
				t.Errorf("%s: %v, want %q, lost %t", test.why, err, test.want, test.lost)
			}
		case err != nil || a.End != test.end || a.Reward != nil && *a.Reward != test.reward:
			t.Errorf("%s: %+v, %v, want %v and %q", test.why, a, err, test.reward, test.end)
		case test.want != "" && a.Messages[0].Content != test.want:
			t.Errorf("%s: %+v, want %q", test.why, a.Messages, test.want)
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	url := fake(t, nil)
	good := write(t, plainRow)
	for _, test := range []struct {
		why  string
		args map[string]any
		want string
	}{
		{"no rows are named", nil, "args: data: is missing"},
		{"an unknown argument", map[string]any{"data": good, "date": "x"}, "args: date: is unknown"},
		{"an unknown kind", map[string]any{"data": good, "kind": "x"}, "args: kind"},
		{"a file that is not there", map[string]any{"data": "no-such-file"}, "no-such-file"},
		{"an empty file", map[string]any{"data": write(t, "")}, "has no rows"},
		{"a line that is no JSON", map[string]any{"data": write(t, plainRow, "{")}, "line 2"},
		{"a row without parameters", map[string]any{"data": write(t, "{}")}, "line 1: responses_create_params: is missing"},
		{"a picture", map[string]any{"data": write(t, `{"responses_create_params":{"input":[{"role":"user","content":[{"type":"input_image"}]}]}}`)}, `a part of type "input_image"`},
		{"a tool of another type", map[string]any{"data": write(t, `{"responses_create_params":{"input":"x","tools":[{"type":"web_search"}]}}`)}, `"web_search"`},
		{"a split that is no file", map[string]any{"data": map[string]any{"train": 1}}, "args: data.train"},
	} {
		if _, err := nemogym.Open(t.Context(), at(url), with(test.args), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.why, err, test.want)
		}
	}
	g, err := nemogym.Open(t.Context(), at(url), with(map[string]any{"data": map[string]any{"train": good, "validation": write(t, plainRow, plainRow)}}), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h, err := g.Hello(t.Context())
	if text, _ := json.Marshal(h.Splits); err != nil || string(text) != `[{"name":"train","size":1,"held_out":false},{"name":"validation","size":2,"held_out":true}]` {
		t.Errorf("the splits are %s, %v", text, err)
	}
	history := write(t, `{"responses_create_params":{"instructions":"Be brief.","input":[{"role":"developer","content":"d"},{"role":"user","content":[{"type":"input_text","text":"q"}]},`+
		`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"7"}]}}`)
	g, err = nemogym.Open(t.Context(), at(fake(t, map[string]string{"/seed_session": "{}"})), with(map[string]any{"data": history}), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a, err := g.Open(context.Background(), 1, &quintain.Problem{})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(a.Messages)
	const want = `[{"role":"system","content":"Be brief."},{"role":"system","content":"d"},{"role":"user","content":"q"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"7","tool_call_id":"a"}]`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	if _, err := g.Open(context.Background(), 2, &quintain.Problem{Index: 1}); err == nil {
		t.Error("a row beyond the last one opens")
	}
}
