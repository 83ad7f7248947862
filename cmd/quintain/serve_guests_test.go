package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// A client of each protocol plays an environment of others.
func TestServePlaysAProgram(t *testing.T) {
	p := start("serve", "--port", "0", "--environment", echoServer(t, "echo", 1))
	await(t, p, "Ctrl-C stops")
	_, after, _ := strings.Cut(p.stderr.String(), "listening on ")
	url, _, _ := strings.Cut(after, ";")
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/v1/tasks?category=own", "", `{"tasks":[{"name":"echo"`},
		{"POST", "/v1/problems", `{"task":"echo","index":7}`, `Say \u003canswer\u003e7`},
		{"POST", "/v1/grade", `{"problem":"echo.v1/echo.v1.s0.l0.7","reply":"<answer>7</answer>"}`, `{"score":1`},
		{"POST", "/v1/grade", `{"problem":"echo.v1/echo.v1.s0.l0.7","reply":"7"}`, `{"score":-1,"malformed":true`},
		{"POST", "/v1/grade", `{"problem":"echo.v1/echo.v1.s0.l0.7","answer":"7"}`, `echo judges replies, not answers`},
		{"POST", "/verify", `{"problem":"echo.v1/echo.v1.s0.l0.7","response":{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"<answer>7</answer>"}]}]}}`, `"reward":1`},
		{"POST", "/reset", `{"task":"echo","index":3}`, `Say \u003canswer\u003e3`},
		{"GET", "/list_environments", "", `["echo",`},
		{"POST", "/create", `{"split":"train","index":4}`, `{"sid":"s"}`},
		{"GET", "/prompt", "", `Say \u003canswer\u003e2`}, // two levels in turn
		{"POST", "/call", `{"name":"submit","input":{"answer":"<answer>"}}`, `"reward":1`},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_answer","arguments":{"problem":"echo.v1/echo.v1.s0.l0.7","answer":"<answer>7</answer>"}}}`, `score`},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Session-ID", "s")
		r.Header.Set("Accept", "application/json, text/event-stream")
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		if reply.Body.Close(); err != nil || !strings.Contains(string(body), c.want) {
			t.Errorf("%s %s %s: %d %s, error %v; want %s", c.method, c.path, c.body, reply.StatusCode, body, err, c.want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK {
		t.Errorf("it ends with status %d\n%s", status, p.stderr.String())
	}
}

// What asks a model itself is not served.
func TestServeRefuses(t *testing.T) {
	drives := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"id":1,"hello":{"protocol":2,"name":"loop","version":1,"drives":true,"splits":[{"name":"all"}]}}`)
	}))
	t.Cleanup(drives.Close)
	for _, c := range []struct{ why, address, want string }{
		{"a loop", drives.URL, "environment http:" + drives.URL + ": it asks a model itself, and a server has none"},
		{"an agent", "agent:true", "environment agent:true: an agent asks a model"},
	} {
		for _, verb := range [][]string{{"serve", "--port", "0"}, {"serve", "mcp"}} {
			p := start(append(verb, "--environment", c.address)...)
			if status := p.wait(t); status == exitOK || !strings.Contains(p.stderr.String(), c.want) {
				t.Errorf("%v, %s: status %d, want %q in\n%s", verb, c.why, status, c.want, p.stderr.String())
			}
		}
	}
}
