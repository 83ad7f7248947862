package nemogym

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// newServer returns a server of all tasks that keeps a few sessions for a minute.
func newServer(tb testing.TB) *web.Server {
	tb.Helper()
	routes, _ := Routes(newBook(tb), sessions.Limits{Most: 2, Idle: time.Minute}, ask)
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// ask is a judge that likes the reply "good", and has no verdict on "hm".
func ask(_ *web.Call, p quintain.Problem, reply string) (v pipe.Verdict, err error) {
	switch {
	case p.Task != "chain_sum":
		return v, errors.New("no such task")
	case reply == "hm":
		return v, web.Errorf(http.StatusServiceUnavailable, "the judge gave no verdict")
	case reply == "good":
		v.Score = 0.75
	}
	v.Reason = "said the judge"
	return v, nil
}

// newBook returns a book of all tasks and scenarios.
func newBook(tb testing.TB) *names.Book {
	tb.Helper()
	book, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		tb.Fatal(err)
	}
	return book
}

// A client sends the cookies of the last reply with the next request, as agents do.
type client struct {
	testing.TB
	server  http.Handler
	cookies map[string]string
}

// post makes a request, and returns the status and the body of its reply.
func (c *client) post(path, body string) (int, string) {
	c.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(c.Context(), "POST", path, strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Accept-Encoding", "gzip, deflate") // as agents do, who do not need it for a row
	for name, value := range c.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	c.server.ServeHTTP(w, r)
	if packed := w.Header().Get("Content-Encoding"); packed != "" {
		c.Errorf("%s: the reply is %s", path, packed)
	}
	if w.Code == http.StatusOK {
		clear(c.cookies) // agents keep only those of the last reply
	}
	for _, cookie := range w.Result().Cookies() {
		c.cookies[cookie.Name] = cookie.Value
	}
	return w.Code, w.Body.String()
}

// newClient returns a client without cookies.
func newClient(tb testing.TB, s http.Handler) *client {
	return &client{tb, s, map[string]string{}}
}

// said returns a response with one message for each text; "user:" begins a message of the
// user.
func said(texts ...string) string {
	items := []any{map[string]any{"type": "reasoning", "summary": []any{}}}
	for _, text := range texts {
		if text, user := strings.CutPrefix(text, "user:"); user {
			items = append(items, map[string]any{"type": "message", "role": "user", "content": text})
			continue
		}
		parts := []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}
		items = append(items, map[string]any{"type": "message", "role": "assistant", "content": parts})
	}
	b, err := json.Marshal(map[string]any{"id": "r", "output": items})
	if err != nil {
		panic(err)
	}
	return string(b)
}

const (
	byID  = `"problem":"chain_sum.v5.s1.l0.0"` // What is 3 - 6?
	entry = `"question":"What is 4 + 3?","answer":"7","metadata":{"source_dataset":"chain_sum","source_index":0,"expression":"4 + 3","num_terms":2,"num_digits":1,"difficulty":{"num_terms":[2,2],"num_digits":[1,1]}}`
)

func TestVerify(t *testing.T) {
	s := newServer(t)
	for _, test := range []struct {
		why, row, response string
		status             int
		want               string // part of the reply
	}{
		{"a right reply", byID, said("<answer>-3</answer>"), 200, `"reward":1,"extracted_answer":"-3","reason":"","malformed":false}`},
		{"the row comes back", `"id":[1, 2],` + byID, said("<answer>-3</answer>"), 200, `{"id":[1, 2],"problem":"chain_sum.v5.s1.l0.0","response":{`},
		{"a wrong reply", byID, said("<answer>3</answer>"), 200, `"reward":0,"extracted_answer":"3","reason":"want \"-3\"","malformed":false`},
		{"no answer", byID, said("-3"), 200, `"malformed":true`},
		{"no message", byID, said(), 200, `"reward":0,"extracted_answer":"",`},
		{"a message in two parts", byID, `{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"<answer>"},{"type":"refusal","refusal":"no"},{"type":"output_text","text":"-3</answer>"}]}]}`, 200, `"reward":1,`},
		{"a message that is a text", byID, `{"output":[{"role":"assistant","content":"<answer>-3</answer>"}]}`, 200, `"reward":1,`},
		{"two messages are one reply", byID, said("Let me see. ", "<answer>-3</answer>"), 200, `"reward":1,`},
		{"a second answer in the same reply", byID, said("<answer>3</answer>", "<answer>-3</answer>"), 200, `"malformed":true`},
		{"a second turn, where the scenario has one", byID, said("<answer>3</answer>", "user:No.", "<answer>-3</answer>"), 200, `"reward":0,`},
		{"a second turn, where the scenario has several", byID + `,"scenario":"math_multi_turn"`, said(`\boxed{3}`, "user:No.", `\boxed{-3}`), 200, `"reward":1,"extracted_answer":"-3"`},
		{"a scenario in the ID", `"problem":"math_multi_turn.v12/chain_sum.v5.s1.l0.0"`, said(`\boxed{-3}`), 200, `"reward":1,`},
		{"a draw", `"task":"chain_sum","seed":1`, said("<answer>-3</answer>"), 200, `"reward":1,`},
		{"an entry of reasoning-gym, answered with tags", entry, said("<answer>7</answer>"), 200, `"reward":1,"extracted_answer":"7"`},
		{"in a box", entry, said(`It is \boxed{7}.`), 200, `"reward":1,"extracted_answer":"7"`},
		{"without either", entry, said("<think>8?</think> 7"), 200, `"reward":1,"extracted_answer":"7"`},
		{"wrongly", entry, said("8"), 200, `"reward":0,"extracted_answer":"8"`},
		{"by a scenario", entry + `,"scenario":"reasoning_gym"`, said("7"), 200, `"malformed":true`},
		{"a row that was judged before", `"reward":1,"malformed":false,` + byID, said("<answer>3</answer>"), 200, `"reason":"want \"-3\"","response":{"id":"r","output":[{"summary":[],"type":"reasoning"}`},
		{"a name with an escape", `"rew\u0061rd":1,` + byID, said("<answer>3</answer>"), 200, `"reward":0`},
		{"by the judge", byID + `,"scenario":"judge"`, said("good"), 200, `"reward":0.75,"extracted_answer":"good","reason":"said the judge","malformed":false`},
		{"by the judge, who has no verdict", byID + `,"scenario":"judge"`, said("hm"), 503, "the judge gave no verdict"},
		{"by the judge, who does not know the task", `"problem":"spell_backward.v5.s1.l0.0","scenario":"judge"`, said("good"), 422, "no such task"},
		{"no problem", `"id":1`, said("7"), 422, "problem: is missing; want"},
		{"a problem that there is not", `"problem":"chain_sun.v2.s1.l0.0"`, said("7"), 422, `no task \"chain_sun\"`},
		{"a problem that cannot be read", `"problem":{"task":"chain_sum","version":5,"instance":{"expression":"("}}`, said("7"), 422, "chain_sum"},
		{"an entry of no task", `"question":"q","answer":"1","metadata":{"source_dataset":"nothing"}`, said("7"), 422, "nothing"},
		{"an entry with a question that is not a text", `"question":7,"answer":"1","metadata":{"source_dataset":"chain_sum"}`, said("7"), 422, "question: want a string"},
		{"a scenario that there is not", byID + `,"scenario":"chess"`, said("7"), 422, `scenario: no scenario \"chess\"`},
		{"a scenario that is no text", byID + `,"scenario":1`, said("7"), 422, "scenario: want a string"},
		{"a level that is no number", `"task":"chain_sum","level":"a"`, said("7"), 422, "level"},
		{"a response without output", byID, `{}`, 422, "response.output: want a list"},
		{"a response that is none", byID, `7`, 422, "response: "},
		{"an item that is none", byID, `{"output":[{},7]}`, 422, "response.output.1: "},
		{"content that is none", byID, `{"output":[{"type":"message","role":"assistant","content":7}]}`, 422, "response.output.0.content: want a text or a list"},
		{"a text that is none", byID, `{"output":[{"role":"assistant","content":[{"type":"output_text","text":7}]}]}`, 422, "response.output.0.content.0.text: want a string"},
		{"great depth", byID, strings.Repeat("[", 100_000), 400, "not a row"},
		{"a long reply", byID, said(strings.Repeat("(", 1_000_000)), 200, `"reward":0`},
		{"a body that is too large", byID, said(strings.Repeat("(", maxBody)), 413, "bytes"},
	} {
		status, reply := newClient(t, s).post("/verify", "{"+test.row+`,"response":`+test.response+"}")
		if status != test.status || !strings.Contains(reply, test.want) {
			t.Errorf("%s: %d %.500s, want %d and %s", test.why, status, reply, test.status, test.want)
		}
		if !json.Valid([]byte(reply)) || strings.Count(reply, `"reward":`) > 1 {
			t.Errorf("%s: not a row: %.500s", test.why, reply)
		}
	}
	if status, reply := newClient(t, s).post("/verify", "{"+byID+"}"); status != 422 || !strings.Contains(reply, "response: is missing") {
		t.Errorf("no response: %d %s", status, reply)
	}
}

// TestCookieNamesTheProblem seeds a session and verifies a row that does not name the
// problem, on a server that restarted in between.
func TestCookieNamesTheProblem(t *testing.T) {
	c := newClient(t, newServer(t))
	if status, reply := c.post("/seed_session", `{"task":"chain_sum","seed":1,"scenario":"math_multi_turn","responses_create_params":{"input":[]}}`); status != 200 || reply != "{}" {
		t.Fatalf("%d %s", status, reply)
	}
	c.server = newServer(t)
	if status, reply := c.post("/verify", `{"response":`+said(`\boxed{-3}`)+`}`); status != 200 || !strings.Contains(reply, `"reward":1,`) {
		t.Errorf("%d %s, cookies %v", status, reply, c.cookies)
	}
	c.cookies[problemCookie] = "chain_sum"
	if status, reply := c.post("/verify", `{"response":`+said("7")+`}`); status != 422 || !strings.Contains(reply, "problem") {
		t.Errorf("a cookie of someone else: %d %s", status, reply)
	}
	for _, row := range []string{"{" + entry + "}", `{"task":"chain_sum","params":{"min_terms":3}}`} {
		c := newClient(t, newServer(t))
		if status, _ := c.post("/seed_session", row); status != 200 || len(c.cookies) > 0 {
			t.Errorf("%s: status %d, cookies %v, though no ID tells the problem", row, status, c.cookies)
		}
	}
	if status, reply := newClient(t, c.server).post("/seed_session", `{}`); status != 422 || !strings.Contains(reply, "problem: is missing") {
		t.Errorf("a row of nothing: %d %s", status, reply)
	}
}

// TestTools plays scenarios with tools: by routes of tools, by steps, and in the response of a row.
func TestTools(t *testing.T) {
	c := newClient(t, newServer(t))
	const problem = `"task":"calculator","seed":1`
	call := func(id, name, args string) string {
		return fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":%q,"arguments":%q},{"type":"function_call_output","call_id":%q,"output":"?"}`, id, name, args, id)
	}
	output := func(items ...string) string { return `{"output":[` + strings.Join(items, ",") + `]}` }
	for _, test := range []struct {
		why, path, body string
		status          int
		want            string
	}{
		{"a call before the first", "/calc", `{"expression":"1"}`, 404, "no session with tools"},
		{"a seed", "/seed_session", `{` + problem + `}`, 200, "{}"},
		{"a call", "/calc", `{"expression":"17*17"}`, 200, "289"},
		{"a call by the name of a server", "/mcp__quintain__calc", `{"expression":"17*17"}`, 200, "289"},
		{"a call of no tool", "/clac", `{}`, 200, "there is no tool"},
		{"arguments that are not JSON", "/calc", `{`, 200, "Error: "},
		{"the last call", "/finish", `{"answer":1}`, 200, ""},
		{"a call after it", "/calc", `{"expression":"1"}`, 404, "no session with tools"},
		{"calls of a response", "/verify", `{` + problem + `,"response":` + output(call("a", "calc", `{"expression":"17*17"}`), call("b", "finish", `{"answer":1}`)) + `}`, 200, `"reward":0,"extracted_answer":"1"`},
		{"a call without a name", "/verify", `{` + problem + `,"response":` + output(`{"type":"function_call","call_id":"a","arguments":""}`) + `}`, 422, "response.output.0.name: want a string"},
		{"an opening", "/reset", `{` + problem + `}`, 200, `"observation":"`},
		{"a step with a call", "/step", `{"response":` + output(call("a", "calc", `{"expression":"17*17"}`)) + `}`, 200, `"tool_outputs":[{"call_id":"a","output":"289"}]`},
	} {
		status, reply := c.post(test.path, test.body)
		if status != test.status || !strings.Contains(reply, test.want) {
			t.Errorf("%s: %d %s, want %d and %s", test.why, status, reply, test.status, test.want)
		}
	}
}

// TestEpisode plays a scenario of several turns.
func TestEpisode(t *testing.T) {
	c := newClient(t, newServer(t))
	row := `{` + byID + `,"scenario":"math_multi_turn","response":%s}`
	for _, test := range []struct {
		why, path, body string
		status          int
		want            string
	}{
		{"a step before the first", "/step", fmt.Sprintf(row, said("1")), 422, "begin one by /reset"},
		{"the opening", "/reset", `{` + byID + `,"scenario":"math_multi_turn"}`, 200, `{"observation":"What is 3 - 6?`},
		{"a wrong reply", "/step", fmt.Sprintf(row, said(`\boxed{1}`)), 200, `{"observation":"That is not correct. Look for the mistake in your reasoning and try again.","info":{"extracted_answer":"1","malformed":false,"reason":"wrong: want \"-3\""},"reward":0,"terminated":false,"truncated":false}`},
		{"a step without a response", "/step", "{}", 422, "response: is missing"},
		{"a step that is none", "/step", "7", 400, "not a row"},
		{"a right reply", "/step", fmt.Sprintf(row, said(`\boxed{-3}`)), 200, `{"observation":null,"info":{"extracted_answer":"-3","malformed":false,"reason":"right"},"reward":1,"terminated":true,"truncated":false}`},
		{"a step after the last", "/step", fmt.Sprintf(row, said(`\boxed{-3}`)), 404, "the session is over"},
		{"an opening that the row has", "/reset", `{` + byID + `,"responses_create_params":{"input":[{"role":"user","content":"?"}]}}`, 200, `{"observation":null,"info":{"supports_explicit_close":true,"supports_step_idempotency":false}}`},
		{"the end", "/close", "{}", 200, "{}"},
		{"a step after it", "/step", fmt.Sprintf(row, said("1")), 422, "begin one by /reset"},
		{"another end", "/close", "{}", 200, "{}"},
		{"a problem that nobody can grade", "/reset", `{"problem":{"task":"chain_sum","version":5,"seed":"1","instance":{"diffijulty":1}}}`, 422, "diffijulty"},
		{"a scenario that there is not", "/reset", `{` + byID + `,"scenario":"chess"}`, 422, "chess"},
	} {
		status, reply := c.post(test.path, test.body)
		if status != test.status || !strings.Contains(reply, test.want) {
			t.Errorf("%s: %d %s, want %d and %s", test.why, status, reply, test.status, test.want)
		}
	}
}

// TestSessionsAreLimited opens the most sessions allowed; an idle one makes room.
func TestSessionsAreLimited(t *testing.T) {
	s := newServer(t)
	synctest.Test(t, func(t *testing.T) {
		var all []*client
		for i, want := range []int{200, 200, 503} {
			c := newClient(t, s)
			if status, reply := c.post("/reset", "{"+byID+"}"); status != want {
				t.Fatalf("session %d: %d %s, want %d", i, status, reply, want)
			}
			all = append(all, c)
		}
		time.Sleep(40 * time.Second)
		all[1].cookies[sessionCookie] += "x" // not its own
		if status, _ := all[1].post("/step", `{"response":{"output":[]}}`); status != 404 {
			t.Errorf("the session of a name that is none: status %d", status)
		}
		time.Sleep(30 * time.Second)
		if status, reply := all[2].post("/reset", "{"+byID+"}"); status != 200 {
			t.Errorf("after the idle time: %d %s", status, reply)
		}
		if status, reply := all[0].post("/step", `{"response":{"output":[]}}`); status != 404 || !strings.Contains(reply, "nobody asked for as long as serve.idle") {
			t.Errorf("a step of an idle session: %d %s", status, reply)
		}
	})
}

func TestAggregate(t *testing.T) {
	c := newClient(t, newServer(t))
	body := `{"verify_responses":[
		{"_ng_task_index":1,"_ng_rollout_index":0,"reward":1,"malformed":false,"reason":"x"},
		{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1,"response":{"usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7}}},
		{"_ng_task_index":0,"_ng_rollout_index":1,"reward":0.5,"more":{"a":1},"none":null},
		{"_ng_task_index":0,"_ng_rollout_index":2,"reward":0}]}`
	status, reply := c.post("/aggregate_metrics", body)
	const want = `{"group_level_metrics":[` +
		`{"_ng_task_index":0,"max/input_tokens":3,"max/output_tokens":4,"max/reward":1,"max/total_tokens":7,"mean/input_tokens":3,"mean/output_tokens":4,"mean/reward":0.5,"mean/total_tokens":7,` +
		`"median/input_tokens":3,"median/output_tokens":4,"median/reward":0.5,"median/total_tokens":7,"min/input_tokens":3,"min/output_tokens":4,"min/reward":0,"min/total_tokens":7,"num_rollouts":3,` +
		`"std/input_tokens":0,"std/output_tokens":0,"std/reward":0.5,"std/total_tokens":0},` +
		`{"_ng_task_index":1,"max/malformed":0,"max/reward":1,"mean/malformed":0,"mean/reward":1,"median/malformed":0,"median/reward":1,"min/malformed":0,"min/reward":1,"num_rollouts":1,"std/malformed":0,"std/reward":0}],`
	if status != 200 || !strings.HasPrefix(reply, want) || !strings.Contains(reply, `"key_metrics":{"mean/input_tokens":3,"mean/malformed":0,"mean/output_tokens":4,"mean/reward":0.625,`) {
		t.Errorf("%d %s, want %s", status, reply, want)
	}
	for _, test := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"verify_responses":[]}`, 200, `{"group_level_metrics":[],"agent_metrics":{},"key_metrics":{}}`},
		{`{}`, 422, "verify_responses: is missing"},
		{`{"verify_responses":7}`, 422, "verify_responses"},
		{`[`, 422, "JSON"},
		{`{"verify_responses":[{"reward":1e308},{"reward":-1e308}]}`, 422, "too large"},
	} {
		if status, reply := c.post("/aggregate_metrics", test.body); status != test.status || !strings.Contains(reply, test.want) {
			t.Errorf("%s: %d %s, want %d and %s", test.body, status, reply, test.status, test.want)
		}
	}
}

// FuzzRows sends requests with any bodies: each gets JSON, and no fault of the server's
// own.
func FuzzRows(f *testing.F) {
	s := newServer(f)
	for _, body := range []string{
		"{" + byID + `,"response":` + said("<answer>-3</answer>") + "}",
		"{" + entry + `,"response":` + said("7", "user:?", "8") + "}",
		`{"task":"chain_sum","scenario":"math_multi_turn","reward":1,"response":{"output":[{"role":"assistant","content":"\ud800"}]}}`,
		`{"problem":{"task":"chain_sum","version":5,"seed":"1","instance":{"diffijulty":1}},"response":` + said("<answer>1</answer>") + "}",
		`{"verify_responses":[{"reward":1e308},{"reward":1e308},{"reward":-1e308,"_ng_task_index":1}]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c := newClient(t, s)
		for _, path := range []string{"/seed_session", "/verify", "/reset", "/step", "/close", "/aggregate_metrics"} {
			status, reply := c.post(path, string(body))
			if status >= 500 || !json.Valid([]byte(reply)) {
				t.Errorf("%s: %d %s", path, status, reply)
			}
			if path == "/verify" && status == 200 && !strings.Contains(reply, `"extracted_answer":`) {
				t.Errorf("no grade: %s", reply)
			}
		}
	})
}
