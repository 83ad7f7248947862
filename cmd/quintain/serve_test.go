package main

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestServe grades an answer over HTTP, and ends at a signal; so does a hub that serves.
func TestServe(t *testing.T) {
	for _, args := range [][]string{{"serve"}, {"hub", "--serve", "--data", t.TempDir()}} {
		p := start(append(args, "--port", "0")...)
		await(t, p, "Ctrl-C stops")
		_, after, _ := strings.Cut(p.stderr.String(), "listening on ")
		url := strings.FieldsFunc(after, func(r rune) bool { return r == ';' || r == ',' })[0]
		if body := grade(t, url); body != `{"score":1,"malformed":false,"reason":""}` {
			t.Errorf("%v: %s", args, body)
		}
		http.DefaultClient.CloseIdleConnections()
		p.interrupts <- os.Interrupt
		if status := p.wait(t); status != exitOK {
			t.Errorf("%v: ends with status %d\n%s", args, status, p.stderr.String())
		}
		p = start(append(args, "--port", "0", "--protocols", "plane")...)
		if status := p.wait(t); status != exitUsage || !strings.Contains(p.stderr.String(), `no protocol "plane"`) {
			t.Errorf("%v: an unknown protocol: status %d, %s", args, status, p.stderr.String())
		}
	}
}

// grade has a server grade an answer, and returns the body of its reply.
func grade(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/grade", strings.NewReader(`{"problem":"chain_sum.v5.s1.l0.0","answer":"-3"}`))
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
