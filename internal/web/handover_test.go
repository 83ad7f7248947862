package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
)

// named returns a server that answers / with its name, and /wait once it stops.
func named(t *testing.T, name string) *web.Server {
	t.Helper()
	var s *web.Server
	s, err := web.New(web.Config{Name: name, Routes: []web.Route{
		{Method: "GET", Path: "/", Serve: func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(name)) }},
		{Method: "GET", Path: "/wait", Serve: func(c *web.Call) error {
			if err := c.Flush(); err != nil {
				return err
			}
			<-s.Stopping()
			return c.JSON(http.StatusOK, []byte("stopped"))
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A server that hands over loses no connection: its heir answers on those that there are.
func TestHandOverKeepsConnections(t *testing.T) {
	t.Parallel()
	first, heir := named(t, "first"), named(t, "heir")
	addr, end := webtest.Serve(t, first)
	const request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	used, fresh, half := dial(t, addr, request), dial(t, addr, ""), dial(t, addr, request[:20])
	answer := func(c io.ReadWriter, text, want string) {
		t.Helper()
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 4096)
		n, err := c.Read(got)
		if err != nil || !strings.HasSuffix(string(got[:n]), "\r\n\r\n"+want) {
			t.Errorf("the answer is %q, error %v, want %s", got[:n], err, want)
		}
	}
	answer(used, "", "first")
	first.HandOver(heir)
	answer(used, request, "heir")
	answer(fresh, request, "heir")
	answer(half, request[20:], "heir")
	waits := dial(t, addr, strings.Replace(request, "/", "/wait", 1))
	head := make([]byte, 15)
	if _, err := io.ReadFull(waits, head); err != nil || string(head) != "HTTP/1.1 200 OK" {
		t.Fatalf("%s, error %v", head, err)
	}
	end()
	if rest, err := io.ReadAll(waits); err != nil || !strings.Contains(string(rest), "stopped") {
		t.Errorf("a call that waited for the end of the heir got %q, error %v", rest, err)
	}
	for _, c := range []io.Closer{used, fresh, half, waits} {
		c.Close()
	}
}

// An heir of a server that has ended is stopping from the start.
func TestHandOverAfterTheEnd(t *testing.T) {
	t.Parallel()
	first, heir := named(t, "first"), named(t, "heir")
	_, end := webtest.Serve(t, first)
	end()
	first.HandOver(heir)
	<-heir.Stopping()
}

// What has no route is answered by Rest, with a key or without, once its body is read.
func TestRest(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{
		Keys: []web.Key{{Role: web.Admin, Secret: "k"}},
		Rest: func(c *web.Call) error {
			c.SkipBody()
			return web.Errorf(http.StatusServiceUnavailable, "not %s", c.R.URL.Path)
		},
	})
	for _, test := range []struct{ method, path, want string }{
		{"POST", "/nothing/here", `503 {"detail":"not /nothing/here"}`},
		{"DELETE", "/", `503 {"detail":"not /"}`},
		{"GET", "/echo/", `503 {"detail":"not /echo/"}`},
		{"GET", "/", `200 {"root":true}`},
	} {
		w := do(s, test.method, test.path, strings.Repeat("x", 1<<20))
		if got := fmt.Sprintf("%d %s", w.Code, w.Body); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.method, test.path, got, test.want)
		}
	}
}
