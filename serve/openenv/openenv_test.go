package openenv_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/serve/openenv"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// book returns a book of all tasks and scenarios.
func book(t testing.TB) *names.Book {
	t.Helper()
	all, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// start runs a server until the test ends, and returns its address, without scheme.
func start(t testing.TB, limits sessions.Limits) string {
	t.Helper()
	routes, _ := openenv.Routes(book(t), limits)
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	addr, _ := webtest.Serve(t, s)
	return addr
}

var few = sessions.Limits{Most: 4, Idle: time.Minute}

// dial opens a session.
func dial(t testing.TB, addr string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), "ws://"+addr+"/ws", nil) //nolint:bodyclose // there is none
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	return c
}

// ask sends a message and returns the reply.
func ask(t testing.TB, c *websocket.Conn, text string) string {
	t.Helper()
	if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
	_, reply, err := c.Read(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(reply)
}

// A line is a message with its reply.
type line struct{ send, want string }

// problem returns the first problem of a task with settings and seed 1, and its answer.
func problem(t *testing.T, name, params string) (question, answer string) {
	t.Helper()
	all := book(t)
	draw, err := all.Draw(names.Draw{Task: name, Seed: "1", Params: json.RawMessage(params)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := draw(0)
	if err != nil {
		t.Fatal(err)
	}
	of, err := all.Tasks().Get(name)
	if err != nil {
		t.Fatal(err)
	}
	answer, err = of.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	return p.Prompt, answer
}

func TestSession(t *testing.T) {
	t.Parallel()
	const over = `{"type":"error","data":{"message":"no question is open: send a reset first","code":"EXECUTION_ERROR"}}`
	const first = `{"type":"reset","data":{"dataset_name":"chain_sum","dataset_config":{"max_terms":2},"seed":1,"size":2,"episode_id":"e"}}`
	asked, right := problem(t, "chain_sum", `{"max_terms":2}`)
	question := `{"type":"observation","data":{"observation":{"question":"` + asked + `","score":null,"correct_answer":null,"dataset_metadata":null},"reward":0.0,"done":false}}`
	answer := `{"type":"step","data":{"answer":"` + right + `"}}`
	scored := `{"type":"observation","data":{"observation":{"question":null,"score":1.0,"correct_answer":"` + right + `","dataset_metadata":{"source_dataset":"chain_sum","source_index":0,`
	const scenario = `{"type":"reset","data":{"dataset_name":"chain_sum","scenario":"math_multi_turn","level":0,"seed":1}}`
	for _, test := range []struct {
		why   string
		lines []line
	}{
		{"a question and its answer", []line{{first, question}, {answer, scored}}},
		{"a problem is judged once", []line{{first, question}, {answer, scored}, {`{"type":"step","data":{"answer":"1"}}`, over}}},
		{"an answer before a question has no reward", []line{{`{"type":"step","data":{"answer":"1"}}`, over}}},
		{"the state", []line{{first, question}, {`{"type":"state"}`, `{"type":"state","data":{"episode_id":"e","step_count":0}}`}}},
		{
			"after size problems they begin again",
			[]line{{first, question}, {`{"type":"reset"}`, `"observation":{"question":"`}, {`{"type":"reset","data":{}}`, question}},
		},
		{"a named dataset begins anew", []line{{first, question}, {first, question}}},
		{"not JSON", []line{{`{`, `{"type":"error","data":{"message":"Invalid JSON","code":"INVALID_JSON"}}`}}},
		{"deep JSON", []line{{`{"type":"reset","data":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, `"code":"INVALID_JSON"`}}},
		{"not an object", []line{{`[1]`, `"code":"VALIDATION_ERROR"`}}},
		{"a null", []line{{`null`, `"code":"VALIDATION_ERROR"`}}},
		{"of an unknown type", []line{{`{"type":"jump"}`, `{"type":"error","data":{"message":"Unknown message type: jump","code":"UNKNOWN_TYPE"}}`}}},
		{"with a field too many", []line{{`{"type":"state","x":1}`, `"code":"VALIDATION_ERROR"`}}},
		{"no answer", []line{{first, question}, {`{"type":"step","data":{}}`, `"errors":[{"loc":["answer"],"msg":"Field required"}]`}}},
		{"an answer that is not text", []line{{first, question}, {`{"type":"step","data":{"answer":5}}`, `"loc":["answer"]`}}},
		{"an answer of another name", []line{{first, question}, {`{"type":"step","data":{"answr":"5"}}`, `unknown field`}}},
		{"no action", []line{{`{"type":"step"}`, `"code":"VALIDATION_ERROR"`}}},
		{"an unknown task", []line{{`{"type":"reset","data":{"dataset_name":"chain_sun"}}`, `no task \"chain_sun\"; did you mean \"chain_sum\"?`}}},
		{"an unknown scenario", []line{{`{"type":"reset","data":{"dataset_name":"chain_sum","scenario":"x"}}`, `no scenario`}}},
		{"an unknown setting", []line{{`{"type":"reset","data":{"dataset_name":"chain_sum","dataset_config":{"x":1}}}`, `params: `}}},
		{"an unknown level", []line{{`{"type":"reset","data":{"dataset_name":"chain_sum","level":99}}`, `level is 99`}}},
		{"an index below 0", []line{{`{"type":"reset","data":{"dataset_name":"chain_sum","index":-1}}`, `index is -1`}}},
		{"no problems", []line{{`{"type":"reset","data":{"dataset_name":"chain_sum","size":0}}`, `size: is 0`}}},
		{"a seed below 0", []line{{`{"type":"reset","data":{"dataset_name":"chain_sum","seed":-1}}`, `seed: is -1`}}},
		{"a reset too large to keep", []line{{`{"type":"reset","data":{"episode_id":"` + strings.Repeat("x", 64<<10) + `"}}`, `want 65536 at most`}}},
		{"a reset that fails leaves the question open", []line{
			{first, question},
			{`{"type":"reset","data":{"dataset_name":"x"}}`, `"code":"EXECUTION_ERROR"`},
			{answer, scored},
		}},
		{"a mixture of a task", []line{{
			`{"type":"reset","data":{"dataset_name":"chain_sum","dataset_specs":[{"name":"chain_sum"}]}}`, `dataset_specs: are for composite`,
		}}},
		{"a mixture after a task", []line{
			{first, question},
			{`{"type":"reset","data":{"task_specs":[{"name":"gcd"}]}}`, `"done":false`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"get_question"}}`, `"task":"gcd"`},
		}},
		{"a mixture", []line{{
			`{"type":"reset","data":{"dataset_name":"composite","seed":1,"size":5,"dataset_specs":[{"name":"chain_sum","weight":1,"config":{"max_terms":2}}]}}`, question,
		}}},
		{"an episode with tools", []line{
			{`{"type":"reset","data":{"dataset_name":"calculator","level":0,"seed":1}}`, `{"observation":{"messages":[{"role":"system",`},
			{`{"type":"step","data":{"type":"list_tools"}}`, `"name":"calc"`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"calc","arguments":{"expression":"17*17"}}}`, `"content":"289"`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"clac","arguments":{}}}`, `tool_not_found`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"finish","arguments":{"answer":1}}}`, `"done":true`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"calc","arguments":{"expression":"1"}}}`, `no question is open`},
		}},
		{"a scenario of several turns", []line{
			{scenario, `{"observation":{"messages":[{"role":"user",`},
			{`{"type":"step","data":{"answer":"hm"}}`, `"reason":"no answer","end":""},"reward":0.0,"done":false}}`},
			{`{"type":"step","data":{"answer":"\\boxed{-3}"}}`, `"end":"terminated"},"reward":`},
			{`{"type":"step","data":{"answer":"\\boxed{-3}"}}`, over},
		}},
		{"the form with tools", []line{
			{`{"type":"reset","data":{"task_name":"chain_sum","task_config":{"max_terms":2},"seed":1}}`, question},
			{`{"type":"step","data":{"type":"list_tools"}}`, `{"observation":{"tools":[{"name":"get_question",`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"get_question","arguments":{}}}`, `"data":{"question":"` + asked},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"submit_answer","arguments":{"answer":"` + right + `"}}}`, `"reward":1.0,"done":true`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"submit_answer","arguments":{"answer":"` + right + `"}}}`, `"error":{"error_type":"execution_error"`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"guess"}}`, `"error":{"error_type":"tool_not_found"`},
			{`{"type":"reset","data":{"task_name":"chain_sum"}}`, `"done":false`},
			{`{"type":"step","data":{"type":"call_tool","tool_name":"get_task_info"}}`, `"task_config":{"max_terms":2},"task_name":"chain_sum"`},
		}},
		{"JSON-RPC", []line{
			{first, question},
			{`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_answer","arguments":{"answer":"` + right + `"}}}}`, `"isError":false`},
			{`{"type":"mcp","data":{"jsonrpc":"2.0","method":"notifications/x"}}`, `{"type":"mcp","data":null}`},
			{`{"type":"mcp"}`, `"code":"VALIDATION_ERROR"`},
		}},
		{"text is written as it is", []line{
			{`{"type":"<&>\u2028é"}`, "Unknown message type: <&>\u2028é"},
			{`{"type":"\\u003c\""}`, `Unknown message type: \\u003c\"`},
		}},
	} {
		addr := start(t, few)
		c := dial(t, addr)
		for _, l := range test.lines {
			if got := ask(t, c, l.send); !strings.Contains(got, l.want) {
				t.Errorf("%s: %s gives\n%s\nwant in it\n%s", test.why, l.send, got, l.want)
			}
		}
	}
}

func TestSessionEnds(t *testing.T) {
	t.Parallel()
	addr := start(t, sessions.Limits{Most: 1, Idle: time.Minute})
	for _, test := range []struct {
		why  string
		end  func(c *websocket.Conn) error
		want websocket.StatusCode
	}{
		{"the client says so", func(c *websocket.Conn) error {
			return c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"close"}`))
		}, websocket.StatusNormalClosure},
		{"a message is binary", func(c *websocket.Conn) error {
			return c.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"state"}`))
		}, websocket.StatusUnsupportedData},
		{"a message is too long", func(c *websocket.Conn) error {
			return c.Write(t.Context(), websocket.MessageText, bytes.Repeat([]byte(" "), 1<<20+1))
		}, websocket.StatusMessageTooBig},
	} {
		c := free(t, addr)
		if err := test.end(c); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != test.want {
			t.Errorf("%s: the session ends with %v, want status %v", test.why, err, test.want)
		}
	}
	free(t, addr).CloseNow() // a client that dies
	c := free(t, addr)
	if got := ask(t, c, `{"type":"step","data":{"answer":"`+strings.Repeat("x", 100_000)+`"}}`); !strings.Contains(got, "no question") {
		t.Errorf("a large message is answered %s", got)
	}
	full := dial(t, addr)
	_, reply, err := full.Read(t.Context())
	if err != nil || !strings.Contains(string(reply), `"code":"CAPACITY_REACHED","active_sessions":1,"max_sessions":1`) {
		t.Errorf("a session too many reads %s, error %v", reply, err)
	}
	if _, _, err := full.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("a session too many ends with %v", err)
	}
}

// free opens the only session allowed, once the one before has ended.
func free(t *testing.T, addr string) *websocket.Conn {
	t.Helper()
	for {
		c := dial(t, addr)
		if !strings.Contains(ask(t, c, `{"type":"state"}`), "CAPACITY") {
			return c
		}
		c.CloseNow()
	}
}

func TestIdleSessionEnds(t *testing.T) {
	t.Parallel()
	routes, _ := openenv.Routes(book(t), sessions.Limits{Most: 1, Idle: 10 * time.Minute})
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = http.Serve(&oneConn{conn: far}, s) //nolint:gosec // there is one connection, which the session ends
		}()
		to := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil }}}
		c, _, err := websocket.Dial(t.Context(), "ws://localhost/ws", &websocket.DialOptions{HTTPClient: to}) //nolint:bodyclose // there is none
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		start := time.Now()
		time.Sleep(9 * time.Minute)
		ask(t, c, `{"type":"state"}`)
		reads := make(chan error, 1)
		go func() {
			_, _, err := c.Read(t.Context())
			reads <- err
		}()
		time.Sleep(9 * time.Minute)
		if err := c.Ping(t.Context()); err != nil {
			t.Errorf("a client that pings: %v", err)
		}
		err = <-reads
		if after := time.Since(start); err == nil || after != 28*time.Minute {
			t.Errorf("the session ends after %v with error %v, want 10m after the ping, and an error", after, err)
		}
		<-served
	})
}

// oneConn is a listener with one connection.
type oneConn struct {
	net.Listener
	conn net.Conn
}

func (l *oneConn) Accept() (net.Conn, error) {
	if l.conn == nil {
		return nil, io.EOF
	}
	defer func() { l.conn = nil }()
	return l.conn, nil
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

func TestServerStopsWithSessionsOpen(t *testing.T) {
	t.Parallel()
	var c *websocket.Conn
	t.Run("server", func(t *testing.T) { // its server stops when it ends, which goleak watches
		c, _, _ = websocket.Dial(t.Context(), "ws://"+start(t, few)+"/ws", nil) //nolint:bodyclose // there is none
		ask(t, c, `{"type":"reset"}`)
	})
	if _, _, err := c.Read(t.Context()); err == nil {
		t.Error("a session outlives its server")
	}
	c.CloseNow()
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	routes, _ := openenv.Routes(book(t), few)
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, method, path, body string
		status                  int
		want                    string
	}{
		{"the health", "GET", "/health", "", 200, `{"status":"healthy"}`},
		{"its description", "GET", "/metadata", "", 200, `"name":"quintain"`},
		{"the schemas", "GET", "/schema", "", 200, `"required":["answer"]`},
		{"a reset, which only sessions have", "POST", "/reset", "{}", 404, "Not Found"},
		{"a session without a WebSocket", "GET", "/ws", "", 426, ``},
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(test.method, "http://localhost"+test.path, strings.NewReader(test.body)))
		body, _ := io.ReadAll(w.Body)
		if w.Code != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s: status %d, %s; want %d and in it %s", test.why, w.Code, body, test.status, test.want)
		}
		if test.status == 200 && !json.Valid(body) {
			t.Errorf("%s: %s is not JSON", test.why, body)
		}
	}
}
