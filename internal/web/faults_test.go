package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
)

// failing returns a server with a route /fail that fails with the error of fault.
func failing(t *testing.T, log *slog.Logger, fault func() error) *web.Server {
	return newServer(t, web.Config{Log: log, Routes: []web.Route{
		{Method: "GET", Path: "/fail", Serve: func(*web.Call) error { return fault() }},
		{Method: "GET", Path: "/too", Serve: func(*web.Call) error { return fault() }},
	}})
}

func TestFail(t *testing.T) {
	t.Parallel()
	disk := func(err syscall.Errno) error {
		return fmt.Errorf("put: %w", &os.PathError{Op: "write", Path: "f", Err: err})
	}
	for _, test := range []struct {
		why    string
		err    error
		status int
		reply  string
	}{
		{"an error of its own", web.Errorf(410, "gone <%s>", "x"), 410, `{"detail":"gone <x>"}`},
		{"one that is wrapped", fmt.Errorf("thing 7: %w", web.Errorf(409, "taken")), 409, `{"detail":"thing 7: taken"}`},
		{"a broken disk", disk(syscall.EIO), 503, `{"detail":"put: write f: input/output error"}`},
		{"a disk that cannot be written", disk(syscall.EROFS), 503, `{"detail":"put: write f: read-only file system"}`},
		{"no more descriptors", disk(syscall.EMFILE), 503, `{"detail":"put: write f: too many open files"}`},
		{"a full disk", disk(syscall.ENOSPC), 507, `{"detail":"put: write f: no space left on device"}`},
		{"a server behind this one", context.DeadlineExceeded, 503, `{"detail":"context deadline exceeded"}`},
		{"a file cut short", io.ErrUnexpectedEOF, 503, `{"detail":"unexpected EOF"}`},
		{"anything else", io.ErrNoProgress, 503, `{"detail":"multiple Read calls return no data or error"}`},
	} {
		w := do(failing(t, nil, func() error { return test.err }), "GET", "/fail", "")
		if w.Code != test.status || w.Body.String() != test.reply {
			t.Errorf("%s: %d %s, want %d %s", test.why, w.Code, w.Body, test.status, test.reply)
		}
		if again := w.Header().Get("Retry-After") != ""; again != (test.status > 500) {
			t.Errorf("%s: says when to try again: %v", test.why, again)
		}
	}
}

// TestFaultsAreLoggedOnce logs a route's first fault, then one a minute with the number of
// the others.
func TestFaultsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		s := failing(t, slog.New(slog.NewTextHandler(&text, nil)), func() error { return syscall.EIO })
		for range 100 {
			do(s, "GET", "/fail", "")
		}
		do(s, "GET", "/too", "")
		time.Sleep(time.Minute)
		do(s, "GET", "/fail", "")
		do(s, "GET", "/fail", "")
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		if len(lines) != 3 || !strings.Contains(lines[0], "level=ERROR") || !strings.Contains(lines[0], "unlogged=0") ||
			!strings.Contains(lines[1], "path=/too") || !strings.Contains(lines[2], "unlogged=99") {
			t.Errorf("logged:\n%s", text.String())
		}
		page := newServer(t, web.Config{Routes: []web.Route{{Method: "GET", Path: "/metrics", Serve: s.Metrics}}})
		if want := `quintain_test_http_faults_total{route="/fail",status="503"} 102`; !strings.Contains(do(page, "GET", "/metrics", "").Body.String(), want) {
			t.Errorf("the metrics have no %s", want)
		}
	})
}

// TestClientGoes has a client go away while its request waits. That is no fault.
func TestClientGoes(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	s := newServer(t, web.Config{Log: slog.New(slog.NewTextHandler(&text, nil)), Routes: []web.Route{
		{Method: "GET", Path: "/wait", Serve: func(c *web.Call) error { <-c.Context().Done(); return context.Cause(c.Context()) }},
	}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w := doIn(ctx, s, "GET", "/wait", nil); w.Code != http.StatusRequestTimeout || text.Len() > 0 {
		t.Errorf("%d, log %q", w.Code, text.String())
	}
}

// A badBody fails in the middle.
type badBody struct{ err error }

func (b badBody) Read([]byte) (int, error) { return 0, b.err }

// TestBrokenBodies tells invalid bodies from broken connections.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{})
	for _, test := range []struct {
		why    string
		err    error
		status int
	}{
		{"cut short", io.ErrUnexpectedEOF, 408},
		{"stalled", os.ErrDeadlineExceeded, 408},
		{"reset", &os.SyscallError{Syscall: "read", Err: syscall.ECONNRESET}, 408},
		{"malformed chunks", errors.New("malformed chunked encoding"), 400},
	} {
		if w := doIn(t.Context(), s, "POST", "/echo", badBody{test.err}); w.Code != test.status {
			t.Errorf("%s: %d %s, want %d", test.why, w.Code, w.Body, test.status)
		}
	}
	addr, _ := webtest.Serve(t, s)
	for _, chunk := range []string{"zz\r\n{}\r\n0\r\n\r\n", "-1\r\n{}\r\n", "0x2\r\n{}\r\n0\r\n\r\n", "2\r\n{}xx\r\n0\r\n\r\n"} {
		c := dial(t, addr, "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"+chunk)
		if status, err := readStatus(c); err != nil || status != http.StatusBadRequest {
			t.Errorf("%q: %d (%v), want 400", chunk, status, err)
		}
		c.Close()
	}
}
