package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/coderun"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// post makes a request of a server with the default settings, and returns the status and
// the body of its reply.
func post(tb testing.TB, s *Server, path, body string) (int, string) {
	tb.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(tb.Context(), "POST", path, strings.NewReader(body))
	r.Host = "localhost"
	s.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// newServer returns a server with the given settings.
func newServer(tb testing.TB, c Config) *Server {
	tb.Helper()
	s, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestProblems(t *testing.T) {
	s := newServer(t, Config{Settings: Settings{MaxProblems: 3}})
	for _, test := range []struct {
		why, body string
		status    int
		want      string // part of the reply
	}{
		{"one problem", `{"task":"chain_sum","seed":1}`, 200, `{"problems":[{"task":"chain_sum","version":5,"seed":"1","level":0,"index":0,`},
		{"a seed as a string, as problems have it", `{"task":"chain_sum","seed":"18446744073709551615"}`, 200, `"seed":"18446744073709551615"`},
		{"no problems", `{"task":"chain_sum","count":0}`, 200, `{"problems":[]}`},
		{"several, from an index", `{"task":"chain_sum","index":5,"count":2}`, 200, `"index":6,`},
		{"own settings", `{"task":"chain_sum","params":{"min_terms":3,"max_terms":3}}`, 200, `"level":-1,"index":0,"params":{"min_terms":3,"max_terms":3,`},
		{"a scenario", `{"task":"chain_sum","scenario":"math_multi_turn"}`, 200, `"messages":[[{"role":"user","content":"Add and subtract from left to right: 5 - 8.`},
		{"no task", `{}`, 422, "task: no task"},
		{"an unknown task", `{"task":"chain_sun"}`, 422, `task: no task \"chain_sun\"; did you mean \"chain_sum\"?`},
		{"an unknown scenario", `{"task":"chain_sum","scenario":"math"}`, 422, `scenario: no scenario \"math\"`},
		{"a scenario of another version", `{"task":"chain_sum","scenario":"math_multi_turn.v0"}`, 422, "scenario: math_multi_turn.v0 is of another version"},
		{"a scenario that cannot play the task", `{"task":"quantum_lock","scenario":"math_multi_turn"}`, 422, "scenario: scenario math_multi_turn: it needs"},
		{"a level that there is not", `{"task":"chain_sum","level":99}`, 422, "level"},
		{"a negative index", `{"task":"chain_sum","index":-1}`, 422, "index"},
		{"a negative seed", `{"task":"chain_sum","seed":-1}`, 422, "seed: is -1, want"},
		{"an invalid setting", `{"task":"chain_sum","params":{"min_terms":-3}}`, 422, "params: "},
		{"too many", `{"task":"chain_sum","count":4}`, 422, "count: is 4, want 0 to 3"},
		{"fewer than none", `{"task":"chain_sum","count":-1}`, 422, "count: is -1, want 0 to 3"},
		{"a text for a number", `{"task":"chain_sum","level":"1"}`, 422, "level: is a text, want a whole number"},
		{"an unknown member", `{"tsak":"chain_sum"}`, 400, `unknown field \"tsak\"`},
		{"no JSON", `task=chain_sum`, 400, "the body cannot be read"},
		{"two values", `{"task":"chain_sum"}{}`, 400, "more than one JSON value"},
		{"great depth", `{"task":` + strings.Repeat("[", 100_000), 400, "the body cannot be read"},
		{"a body that is too large", `{"task":"` + strings.Repeat("a", maxBody) + `"}`, 413, "bytes"},
	} {
		status, reply := post(t, s, "/v1/problems", test.body)
		if status != test.status || !strings.Contains(reply, test.want) {
			t.Errorf("%s: %d %.300s, want %d and %s", test.why, status, reply, test.status, test.want)
		}
	}
}

func TestGrade(t *testing.T) {
	s := newServer(t, Config{Settings: Settings{MaxProblems: 3}})
	_, drawn := post(t, s, "/v1/problems", `{"task":"chain_sum","seed":1}`) // What is 3 - 6?
	var problems struct{ Problems []json.RawMessage }
	if err := json.Unmarshal([]byte(drawn), &problems); err != nil {
		t.Fatal(err)
	}
	sum := string(problems.Problems[0])
	spaced := strings.ReplaceAll(sum, `":`, `": `) // not the bytes that were written
	right := `{"problem":` + sum + `,"answer":"-3"}`
	const score1 = `{"score":1,"malformed":false,"reason":""}`
	for _, test := range []struct {
		why, body string
		status    int
		want      string // part of the reply
	}{
		{"a right answer", right, 200, score1},
		{"to a problem that comes from elsewhere", `{"problem":` + spaced + `,"answer":"-3"}`, 200, score1},
		{"to a problem by its ID", `{"problem":"chain_sum.v5.s1.l0.0","answer":"-3"}`, 200, score1},
		{"a wrong answer", `{"problem":` + sum + `,"answer":"3"}`, 200, `{"score":0,"malformed":false,"reason":"want \"-3\""}`},
		{"no answer", `{"problem":` + sum + `,"answer":null}`, 200, `{"score":0,"malformed":true,"reason":"there is no answer"}`},
		{"a reply", `{"problem":` + sum + `,"reply":"<answer>-3</answer>"}`, 200, score1},
		{"a reply without an answer", `{"problem":` + sum + `,"reply":null}`, 200, `{"score":0,"malformed":true,`},
		{"a reply to another scenario", `{"problem":` + sum + `,"reply":"\\boxed{-3}","scenario":"math_multi_turn"}`, 200, `{"score":1,"malformed":false,"reason":"right"}`},
		{"a reply to a problem of a scenario", `{"problem":"math_multi_turn.v12/chain_sum.v5.s1.l0.0","reply":"\\boxed{-3}"}`, 200, `"score":1`},
		{"several", `{"items":[` + right + `,{"problem":` + sum + `,"answer":"3"}]}`, 200, `{"verdicts":[` + score1 + `,{"score":0,`},
		{"none of several", `{"items":[]}`, 200, `{"verdicts":[]}`},
		{"too many", `{"items":[` + strings.Repeat(right+",", 3) + right + `]}`, 413, "items: has 4 members, want 3 at most"},
		{"an answer and a reply", `{"problem":` + sum + `,"answer":"-3","reply":"-3"}`, 422, "answer: want it, or reply, and not both"},
		{"neither", `{"problem":` + sum + `}`, 422, "answer: want it, or reply, and not both"},
		{"an answer that is no text, in one of several", `{"items":[` + right + `,{"problem":` + sum + `,"answer":-3}]}`, 422, "items.1.answer: want a string"},
		{"no problem", `{"answer":"-3"}`, 422, "problem: is missing"},
		{"a problem of another type", `{"problem":7,"answer":"-3"}`, 422, "problem: "},
		{"a problem of another task", `{"problem":{"task":"chain_sun"},"answer":"-3"}`, 422, `no task \"chain_sun\"`},
		{"a problem without its record", `{"problem":{"task":"chain_sum"},"answer":"-3"}`, 422, "chain_sum"},
		{"an ID of another version", `{"problem":"chain_sum.v1.s1.l0.0","answer":"-3"}`, 422, "of another version; here it is chain_sum.v5.s1.l0.0"},
		{"an ID of own settings", `{"problem":"chain_sum.v5.s1.l-0123456789ab.0","answer":"-3"}`, 422, "send the problem itself"},
		{"an unknown member", `{"problem":` + sum + `,"anwser":"-3"}`, 400, "anwser"},
		{"great depth", `{"problem":` + strings.Repeat("[", 100_000), 400, "the body cannot be read"},
		{"an endless answer", `{"problem":` + sum + `,"answer":"` + strings.Repeat("(", 1_000_000) + `"}`, 200, `"score":0`},
	} {
		status, reply := post(t, s, "/v1/grade", test.body)
		if status != test.status || !strings.Contains(reply, test.want) {
			t.Errorf("%s: %d %.300s, want %d and %s", test.why, status, reply, test.status, test.want)
		}
	}
}

// TestClientsThatGo hang up in the middle of a request, and before its reply. The next one
// is answered, and the server ends.
func TestClientsThatGo(t *testing.T) {
	addr, end := webtest.Serve(t, newServer(t, Config{}))
	body := `{"problem":"chain_sum.v5.s1.l0.0","answer":"-3"}`
	request := fmt.Sprintf("POST /v1/grade HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	for _, length := range []int{0, 10, len(request) - 10, len(request)} {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, request[:length]); err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	reply, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if text, err := io.ReadAll(reply.Body); err != nil || string(text) != `{"score":1,"malformed":false,"reason":""}` {
		t.Errorf("%s, error %v", text, err)
	}
	end()
}

// TestProtocolsAreChosen opens the routes of the named protocols, and no others.
func TestProtocolsAreChosen(t *testing.T) {
	for _, test := range []struct {
		protocols []string
		path      string
		status    int
	}{
		{nil, "/v1/grade", 400},
		{[]string{"plain"}, "/v1/grade", 400},
	} {
		s := newServer(t, Config{Settings: Settings{Protocols: test.protocols}})
		if status, reply := post(t, s, test.path, ""); status != test.status {
			t.Errorf("%v: %s: %d %s, want %d", test.protocols, test.path, status, reply, test.status)
		}
	}
	if _, err := New(Config{Settings: Settings{Protocols: []string{"plane"}}}); err == nil || !strings.Contains(err.Error(), `no protocol "plane", want some of plain`) {
		t.Errorf("an unknown protocol: error %v", err)
	}
}

// FuzzPlain sends requests with any bodies: each gets JSON, and no fault of the server's
// own.
func FuzzPlain(f *testing.F) {
	s := newServer(f, Config{Settings: Settings{MaxProblems: 3}})
	for _, body := range []string{
		`{"task":"chain_sum","seed":1,"count":2,"scenario":"math_multi_turn"}`,
		`{"task":"chain_sum","params":{"min_terms":3}}`,
		`{"problem":"chain_sum.v5.s1.l0.0","answer":"-3"}`,
		`{"items":[{"problem":{"task":"chain_sum","version":5,"instance":{"expression":"1 + 2","num_terms":2}},"reply":"<answer>3</answer>"}]}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/problems", "/v1/grade"} {
			status, reply := post(t, s, path, body)
			var members map[string]any
			if status >= 500 || json.Unmarshal([]byte(reply), &members) != nil {
				t.Errorf("%s: %d %s", path, status, reply)
			}
		}
	})
}

// TestOpenAPI checks the description against the routes of the protocols that do not
// describe themselves, and its references.
func TestOpenAPI(t *testing.T) {
	var doc struct {
		Paths      map[string]map[string]struct{ Responses map[string]any }
		Components map[string]map[string]any
	}
	if err := json.Unmarshal(openAPIText, &doc); err != nil {
		t.Fatal(err)
	}
	book, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		t.Fatal(err)
	}
	described := 0
	for _, p := range protocols(book, Default(), parts{code: new(coderun.Server)}) {
		for _, r := range p.routes {
			if p.name != "plain" && p.name != "nemogym" && !strings.HasPrefix(r.Path, "/v1/code/") {
				continue
			}
			described++
			if op, has := doc.Paths[r.Path][strings.ToLower(r.Method)]; !has || op.Responses["200"] == nil || op.Responses["401"] == nil {
				t.Errorf("%s %s is not described", r.Method, r.Path)
			}
		}
	}
	if len(doc.Paths) != described {
		t.Errorf("%d paths are described, want %d", len(doc.Paths), described)
	}
	for _, part := range strings.Split(string(openAPIText), `"$ref": "#/components/`)[1:] {
		ref, _, _ := strings.Cut(part, `"`)
		kind, name, _ := strings.Cut(ref, "/")
		if doc.Components[kind][name] == nil {
			t.Errorf("%s is not there", ref)
		}
	}
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/serve/openapi.json", nil)
	r.Host = "localhost"
	if newServer(t, Config{}).Handler().ServeHTTP(w, r); w.Code != 200 || w.Body.String() != string(openAPIText) {
		t.Errorf("status %d %.100s", w.Code, w.Body)
	}
}

// A browser gets a page where tasks can be tried; other clients get JSON.
func TestBrowsersGetPages(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, method, path, accept string
		status                    int
		want                      string // in the body, or the address
	}{
		{"a program", "GET", "/", "*/*", 200, `{"status":"ok"}`},
		{"a browser", "GET", "/", "text/html,*/*", 303, "watch/tasks"},
		{"the tasks", "GET", "/watch/tasks", "text/html", 200, `href="task?name=spell_backward"`},
		{"an answer", "GET", "/watch/task?name=spell_backward&answer=x", "text/html", 200, "Score 0"},
		{"HEAD of a page", "HEAD", "/watch/tasks", "text/html", 200, ""},
		{"the pages of a run", "GET", "/watch/run", "text/html", 404, "Not Found"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, "http://localhost"+test.path, nil)
		r.Header.Set("Accept", test.accept)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if got := w.Body.String() + w.Header().Get("Location"); w.Code != test.status || !strings.Contains(got, test.want) {
			t.Errorf("%s: %d %.300s, want %d and %s", test.why, w.Code, got, test.status, test.want)
		}
		if strings.Contains(w.Body.String(), "live.js") {
			t.Errorf("%s: the page follows a run", test.why)
		}
	}
}
