package ors_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/serve/ors"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newServer(t testing.TB, guests ...names.Guest) *web.Server {
	t.Helper()
	book, err := catalog.Book(reasoninggym.Ours, guests...)
	if err != nil {
		t.Fatal(err)
	}
	routes, _ := ors.Routes(book, sessions.Limits{Most: 2, Idle: time.Minute})
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request of the session "s" and returns the status and the body of the reply.
func ask(s http.Handler, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("X-Session-ID", "s")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// A line is a request with its reply.
type line struct {
	ask, body string // ask: method and path
	status    int
	want      string
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	const create = `{"task_spec":{"task":"chain_sum","seed":"1","params":{"min_terms":2,"max_terms":2,"max_digits":1}}}`
	const turns = `{"task_spec":{"task":"chain_sum","seed":"1","scenario":"math_multi_turn"}}`
	submit := func(answer string) line {
		return line{"POST /call", `{"name":"submit","input":{"answer":"` + answer + `"}}`, 200, `{"ok":true,"output":{`}
	}
	for _, test := range []struct {
		why   string
		lines []line
	}{
		{"the environments, with all together first", []line{{"GET /list_environments", "", 200, `["composite","`}}},
		{"the tools", []line{{"GET /chain_sum/tools", "", 200, `"tools":[{"name":"submit"`}, {"GET /tools", "", 200, `"terminal_tool":null`}}},
		{"the splits", []line{{"GET /chain_sum/splits", "", 200, `[{"name":"train","type":"train"},{"name":"test","type":"test"}]`}, {"GET /splits", "", 200, `[{`}}},
		{"an unknown environment", []line{{"GET /chain_sun/splits", "", 404, `did you mean \"chain_sum\"?`}, {"POST /chain_sun/tasks", `{"split":"train"}`, 404, `chain_sun`}}},
		{"how many", []line{{"POST /chain_sum/num_tasks", `{"split":"train"}`, 200, `{"num_tasks":10000}`}}},
		{"an unknown split", []line{{"POST /chain_sum/num_tasks", `{"split":"dev"}`, 400, `split: is \"dev\"`}}},
		{"one", []line{{"POST /chain_sum/task", `{"split":"test","index":9}`, 200, `{"env_name":"chain_sum","task":{"task":"chain_sum","seed":"1","level":1,"index":1}}`}}},
		{"one beyond the last", []line{{"POST /chain_sum/task", `{"split":"test","index":10000}`, 400, `index: is 10000`}}},
		{"some", []line{{"POST /task_range", `{"split":"train","start":2,"stop":4}`, 200, `{"env_name":"composite","tasks":[{"task":"composite","seed":"0","level":2,"index":0},{`}}},
		{"some to the last", []line{{"POST /task_range", `{"split":"train","start":9999}`, 200, `"tasks":[{`}}},
		{"some before the first", []line{{"POST /task_range", `{"split":"train","start":-1}`, 400, `the range is -1`}}},
		{"all", []line{{"POST /chain_sum/tasks", `{"split":"train"}`, 200, `"level":7,"index":1249}]`}}},
		{"a name for a session", []line{{"POST /create_session", "{}", 200, "event: task_id\ndata: "}}},
		{"an episode", []line{
			{"POST /create", create, 200, `{"sid":"s"}`},
			{"POST /ping", "", 200, `{"status":"ok"}`},
			{"GET /chain_sum/prompt", "", 200, `","detail":null,"type":"text"}]`},
			{"GET /messages", "", 200, `,"role":"user"}]`},
			submit("1000000"),
			{"POST /call", `{"name":"submit","input":{"answer":"1"}}`, 200, `{"ok":false,"error":"the episode is over","reason":"episode_finished"}`},
			{"POST /delete", "", 200, `{"sid":"s"}`},
			{"POST /delete_session", "", 200, `{"sid":"s"}`},
			{"POST /ping", "", 404, `the session has no environment`},
		}},
		{"an episode by its index", []line{{"POST /create", `{"split":"train","index":0,"env_name":"chain_sum"}`, 200, `"s"`}, {"GET /prompt", "", 200, `"text"`}}},
		{"calls that are not carried out", []line{
			{"POST /create", create, 200, `"s"`},
			{"POST /call", `{"name":"guess","input":{}}`, 200, `"reason":"not_found"`},
			{"POST /call", `{"name":"submit","input":{"answr":"1"}}`, 200, `"reason":"input_validation"`},
			{"POST /call", `{"name":"submit","input":{}}`, 200, `"reason":"input_validation"`},
			{"POST /call", `{"name":"submit"}`, 200, `"reason":"input_validation"`},
			{"POST /call", `{"name":"submit","input":{},"task_id":"x"}`, 404, `task_id`},
			{"POST /call", `{`, 422, `the body cannot be read`},
			submit("1000000"),
		}},
		{"a scenario of several turns", []line{
			{"POST /create", turns, 200, `"s"`},
			{"GET /messages", "", 200, `"role":"user"}]`},
			{"POST /call", `{"name":"submit","input":{"answer":"hm"}}`, 200, `"finished":false`},
			{"POST /call", `{"name":"submit","input":{"answer":"\\boxed{1000000}"}}`, 200, `"reward":0`},
		}},
		{"a game, played by the scenario that it is made for", []line{
			{"POST /create", `{"task_spec":{"task":"nim_family","seed":"1","index":3}}`, 200, `"s"`},
			{"GET /messages", "", 200, `For example, take `},
			submit("<move>jump</move>"),
			{"POST /call", `{"name":"submit","input":{"answer":"<move>jump</move>"}}`, 200, `"finished":true`},
		}},
		{"tools of a task", []line{{"GET /calculator/tools", "", 200, `{"name":"finish","description":"Give the answer`}}},
		{"an episode with tools", []line{
			{"POST /create", `{"task_spec":{"task":"calculator","seed":"1"}}`, 200, `"s"`},
			{"GET /task_tools", "", 200, `{"name":"calc","description":`},
			{"POST /call", `{"name":"calc","input":{"expression":"17*17"}}`, 200, `"text":"289"`},
			{"POST /call", `{"name":"calc","input":{"expresion":"17*17"}}`, 200, `Error: `},
			{"POST /call", `{"name":"guess","input":{}}`, 200, `"reason":"not_found"`},
			{"POST /call", `{"name":"finish","input":{"answer":1}}`, 200, `"finished":true`},
			{"POST /call", `{"name":"calc","input":{"expression":"1"}}`, 200, `"reason":"episode_finished"`},
		}},
		{"two sessions of a name", []line{{"POST /create", create, 200, ``}, {"POST /create", create, 409, `there is a session \"s\" already`}}},
		{"neither problem nor index", []line{{"POST /create", `{}`, 422, `want either`}}},
		{"problem and index", []line{{"POST /create", `{"task_spec":{},"split":"train","index":0}`, 422, `want either`}}},
		{"an index beyond the last", []line{{"POST /create", `{"split":"train","index":10000}`, 400, `index`}}},
		{"an unknown task", []line{{"POST /create", `{"task_spec":{"task":"x"}}`, 422, `no task`}}},
		{"a problem too large to keep", []line{{"POST /create", `{"task_spec":{"task":"` + strings.Repeat("x", 64<<10) + `"}}`, 413, `want 65536 at most`}}},
		{"an unknown field of a problem", []line{{"POST /create", `{"task_spec":{"tusk":"x"}}`, 422, `tusk`}}},
		{"a call without an environment", []line{{"POST /call", `{"name":"submit","input":{"answer":"1"}}`, 404, `POST /create`}, {"GET /prompt", "", 404, ``}}},
		{"deep JSON", []line{{"POST /create", `{"task_spec":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, 422, `nested too deep`}}},
		{"too much", []line{{"POST /call", strings.Repeat(" ", 4<<20+1), 413, `bytes`}}},
	} {
		s := newServer(t)
		for _, l := range test.lines {
			method, path, _ := strings.Cut(l.ask, " ")
			if status, got := ask(s, method, path, l.body); status != l.status || !strings.Contains(got, l.want) {
				t.Errorf("%s: %s %s: status %d, %.300s; want %d and in it %s", test.why, l.ask, l.body, status, got, l.status, l.want)
			}
		}
	}
}

// An environment of others keeps its splits: what it holds out is in none that is trained on.
func TestSplitsOfAGuest(t *testing.T) {
	t.Parallel()
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":1,"hello":{"protocol":2,"name":"rows","version":1,"splits":[{"name":"test","size":2},{"name":"train","size":3}]}}`)
	}))
	t.Cleanup(program.Close)
	how := external.Default()
	how.URL = program.URL
	guest, err := external.Open(t.Context(), how, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guest.Close)
	s := newServer(t, guest)
	for _, l := range []line{
		{"GET /list_environments", "", 200, `["rows","`},
		{"POST /num_tasks", `{"split":"train"}`, 200, `{"num_tasks":3}`},
		{"POST /num_tasks", `{"split":"test"}`, 200, `{"num_tasks":2}`},
		{"POST /tasks", `{"split":"test"}`, 200, `"tasks":[{"task":"rows","seed":"1","level":0,"index":0},{"task":"rows","seed":"1","level":0,"index":1}]`},
		{"POST /task", `{"split":"train","index":2}`, 200, `{"task":"rows","seed":"0","level":1,"index":2}`},
		{"POST /task", `{"split":"train","index":3}`, 400, `want 0 to 2`},
	} {
		method, path, _ := strings.Cut(l.ask, " ")
		if status, got := ask(s, method, path, l.body); status != l.status || !strings.Contains(got, l.want) {
			t.Errorf("%s %s: status %d, %.300s; want %d and in it %s", l.ask, l.body, status, got, l.status, l.want)
		}
	}
}

func TestSessionNeedsAName(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for why, name := range map[string]string{"none": "", "a long one": strings.Repeat("x", 201)} {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/ping", nil)
		r.Header.Set("X-Session-ID", name)
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != 400 {
			t.Errorf("%s: status %d, want 400", why, w.Code)
		}
	}
}

// A client with a broken connection asks for the reply to its call again.
func TestReplyIsRepeated(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ask(s, "POST", "/create", `{"task_spec":{"task":"chain_sum","seed":"1"}}`)
	const call = `{"name":"submit","input":{"answer":"é"}`
	_, first := ask(s, "POST", "/call", call+`}`)
	id := strings.TrimPrefix(strings.SplitN(first, "\n", 3)[1], "data: ")
	if _, again := ask(s, "POST", "/call", call+`,"task_id":"`+id+`"}`); again != first || !strings.Contains(first, `"finished":true`) {
		t.Errorf("the reply %s is said again as %s", first, again)
	}
}

func FuzzCreateAndCall(f *testing.F) {
	f.Add(`{"task_spec":{"task":"chain_sum","seed":"1","level":2}}`, `{"name":"submit","input":{"answer":"3"}}`)
	f.Add(`{"split":"train","index":3,"env_name":"composite"}`, `{"name":"submit","input":{}}`)
	s := newServer(f)
	f.Fuzz(func(t *testing.T, create, call string) {
		for _, line := range []struct{ path, body string }{{"/create", create}, {"/call", call}, {"/delete", ""}} {
			if status, got := ask(s, "POST", line.path, line.body); status >= 500 {
				t.Errorf("%s %q: status %d, %s", line.path, line.body, status, got)
			}
		}
	})
}
