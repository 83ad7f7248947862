package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/mcp"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newServer(t testing.TB) *mcp.Server {
	t.Helper()
	book, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		t.Fatal(err)
	}
	return mcp.New(book)
}

// call returns the message that calls a tool.
func call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	total := len(catalog.Tasks()) + len(catalog.OwnTasks()) + 1 // and the composite
	for _, test := range []struct{ why, message, want string }{
		{"a handshake", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, `"protocolVersion":"2025-06-18"`},
		{"a handshake of a version to come", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2999-01-01"}}`, `"protocolVersion":"2025-11-25"`},
		{"a handshake without a version", `{"jsonrpc":"2.0","id":0,"method":"initialize"}`, `"code":-32602`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{"a ping", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{"the tools", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"required":["problem","answer"]`},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, `"error":{"code":-32601`},
		{"not JSON", `{`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`},
		{"deep JSON", call("draw_problem", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)), `"code":-32700`},
		{"a batch, which is no longer allowed", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"code":-32600`},
		{"another version of JSON-RPC", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `"code":-32600`},
		{"an ID that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"code":-32600`},
		{"an ID of null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"code":-32600`},
		{"params that are not an object", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, `"code":-32602`},
		{"an unknown tool", call("guess", `{}`), `"code":-32602`},
		{"the tasks of a kind", call("list_tasks", `{"category":"games"}`), `"category":"games"`},
		{"a kind that is mistyped", call("list_tasks", `{"category":"game"}`), `did you mean \"games\"?`},
		{"the tasks with a word", call("list_tasks", `{"search":"SPELL"}`), `"name":"spell_backward"`},
		{"the first of all tasks", call("list_tasks", `{}`), `"next":25`},
		{"the last of all tasks", call("list_tasks", fmt.Sprintf(`{"from":%d}`, total)), fmt.Sprintf(`{"tasks":[],"total":%d}`, total)},
		{"beyond the tasks", call("list_tasks", fmt.Sprintf(`{"from":%d}`, total+1)), fmt.Sprintf(`from: is %d, want 0 to %d`, total+1, total)},
		{"a game", call("draw_problem", `{"task":"nim_family","seed":"1","index":3}`), `"problem":"nim_family.v2/nim_family.v2.s1.l0.3"`},
		{"tools", call("draw_problem", `{"task":"calculator","seed":"1"}`), `"tools":[{"type":"function","function":{"name":`},
		{"a problem", call("draw_problem", `{"task":"chain_sum","seed":"1"}`), `"structuredContent":{"problem":"chain_sum.v`},
		{"a seed as a number", call("draw_problem", `{"task":"chain_sum","seed":1}`), `.s1.l0.0"`},
		{"a problem of a scenario", call("draw_problem", `{"task":"chain_sum","seed":"1","scenario":"reasoning_gym"}`), `"messages":[{"role":"system"`},
		{"an unknown task", call("draw_problem", `{"task":"chain_sun"}`), `did you mean \"chain_sum\"?"}],"isError":true`},
		{"an unknown level", call("draw_problem", `{"task":"chain_sum","level":99}`), `level is 99`},
		{"an unknown argument", call("draw_problem", `{"tusk":"chain_sum"}`), `unknown field \"tusk\"`},
		{"arguments that are not an object", call("draw_problem", `5`), `"isError":true`},
		{"no answer", call("submit_answer", `{"problem":"chain_sum.v5.s1.l0.0"}`), `answer: is missing`},
		{"no problem", call("submit_answer", `{"problem":"x","answer":"1"}`), `is not the ID of a problem`},
		{"text for a model has no escapes for HTML", call("draw_problem", `{"task":"<"}`), `no task \"<\"`},
	} {
		got := string(s.Answer(t.Context(), []byte(test.message)))
		if len(got) > 12_000 {
			t.Errorf("%s: the answer has %d characters", test.why, len(got))
		}
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %s gives\n%s\nwant in it\n%s", test.why, test.message, got, test.want)
		}
	}
}

func TestProblemsAreGraded(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, test := range []struct{ why, scenario, answer, want string }{
		{"the bare answer", "", "SOLUTION", `{"score":1,"malformed":false}`},
		{"a wrong answer", "", "1e9", `{"score":0,"malformed":false}`},
		{"a reply", "reasoning_gym", "It is <answer>SOLUTION</answer>.", `{"score":1,"malformed":false}`},
		{"a reply without an answer", "reasoning_gym", "I do not know.", `{"score":0,"malformed":true}`},
		{"the last reply of several", "math_multi_turn", `\\boxed{SOLUTION}`, `{"score":1,"malformed":false}`},
		{"a reply after which another is wanted", "math_multi_turn", "hm", `the episode goes on`},
	} {
		drawn := struct {
			Result struct {
				Data struct{ Problem, Question string } `json:"structuredContent"`
			}
		}{}
		text := s.Answer(t.Context(), []byte(call("draw_problem", `{"task":"chain_sum","seed":"7","scenario":"`+test.scenario+`"}`)))
		if err := json.Unmarshal(text, &drawn); err != nil {
			t.Fatal(err)
		}
		answer := strings.ReplaceAll(test.answer, "SOLUTION", solution(t))
		got := string(s.Answer(t.Context(), []byte(call("submit_answer", `{"problem":"`+drawn.Result.Data.Problem+`","answer":"`+answer+`"}`))))
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want in it %s", test.why, got, test.want)
		}
	}
}

// An episode of several replies is played again with each, so the server remembers nothing.
func TestAnEpisodeIsPlayedWithoutASession(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, test := range []struct{ why, arguments, want string }{
		{"a move", `{"problem":"nim_family.v2/nim_family.v2.s1.l0.3","answer":"<move>take 2 from b</move>"}`, `Your opponent plays take 1 from a.`},
		{"the last move", `{"problem":"nim_family.v2/nim_family.v2.s1.l0.3","answer":"<move>take 1 from b</move>","before":["<move>take 2 from b</move>"]}`, `{"score":1,"malformed":false}`},
		{"a call", `{"problem":"calculator.v1/calculator.v1.s1.l0.0","answer":"<call>{\"name\": \"calc\", \"arguments\": {\"expression\": \"17*17\"}}</call>"}`, `"content":"289"`},
		{"too many replies", `{"problem":"nim_family.v2/nim_family.v2.s1.l0.3","answer":"","before":[` + strings.Repeat(`"",`, 999) + `""]}`, `before: has 1000 replies`},
	} {
		if got := string(s.Answer(t.Context(), []byte(call("submit_answer", test.arguments)))); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want in it %s", test.why, got, test.want)
		}
	}
}

// solution returns the answer to the first problem of chain_sum with seed 7.
func solution(t *testing.T) string {
	t.Helper()
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := tasks.Get("chain_sum")
	if err != nil {
		t.Fatal(err)
	}
	book, err := names.New(names.Config{Tasks: tasks})
	if err != nil {
		t.Fatal(err)
	}
	p, err := book.Draw(names.Draw{Task: "chain_sum", Seed: "7"})
	if err != nil {
		t.Fatal(err)
	}
	first, err := p(0)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := sum.Solve(first)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestRoute(t *testing.T) {
	t.Parallel()
	s, err := web.New(web.Config{Name: "test", Routes: newServer(t).Routes()})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, method, body string
		status            int
		want              string
	}{
		{"a message", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, `"result":{}`},
		{"a message that wants no answer", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{"a stream of messages of the server, which has none", "GET", "", 405, "Method Not Allowed"},
		{"too much", "POST", strings.Repeat(" ", 4<<20+1), 413, "bytes"},
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(test.method, "http://localhost/mcp", strings.NewReader(test.body)))
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: status %d, %s; want %d and in it %s", test.why, w.Code, w.Body, test.status, test.want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	f.Add(call("draw_problem", `{"task":"chain_sum","seed":"1","level":2,"scenario":"reasoning_gym"}`))
	f.Add(call("submit_answer", `{"problem":"chain_sum.v5.s1.l0.0","answer":"3"}`))
	s := newServer(f)
	f.Fuzz(func(t *testing.T, message string) {
		if answer := s.Answer(t.Context(), []byte(message)); answer != nil && !json.Valid(answer) {
			t.Errorf("%q is answered %s", message, answer)
		}
	})
}
