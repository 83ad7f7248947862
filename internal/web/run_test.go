package web_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
)

func TestRunEndsWithinTheDrainTime(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{Settings: web.Settings{Drain: 200 * time.Millisecond}})
	addr, end := webtest.Serve(t, s)
	idle := dial(t, addr, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if _, err := readStatus(idle); err != nil {
		t.Fatal(err)
	}
	fresh := dial(t, addr, "")
	stuck := dial(t, addr, "GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n") // and never reads the rest
	if _, err := io.ReadFull(stuck, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	half := dial(t, addr, "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
	end()
	select {
	case <-s.Stopping():
	default:
		t.Error("Stopping is open")
	}
	for _, c := range []net.Conn{idle, fresh, stuck, half} {
		c.Close()
	}
}

func TestRunEndsAtOnce(t *testing.T) {
	t.Parallel()
	addr, end := webtest.Serve(t, newServer(t, web.Config{Settings: web.Settings{Drain: time.Hour}}))
	idle, fresh := dial(t, addr, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), dial(t, addr, "")
	if _, err := readStatus(idle); err != nil {
		t.Fatal(err)
	}
	end()
	idle.Close()
	fresh.Close()
}

// TestRunWaitsForConnectionsTakenOver ends the context of a call that took over its
// connection, as for a WebSocket, and waits for it.
func TestRunWaitsForConnectionsTakenOver(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s, err := web.New(web.Config{Name: "test", Routes: []web.Route{{Method: "GET", Path: "/", Serve: func(c *web.Call) error {
		conn, _, err := http.NewResponseController(c.W).Hijack()
		if err != nil {
			return err
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "x")
		<-c.Context().Done()
		close(ended)
		return nil
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	addr, end := webtest.Serve(t, s)
	taken := dial(t, addr, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if _, err := io.ReadFull(taken, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	end()
	select {
	case <-ended:
	default:
		t.Error("Run has returned before the call")
	}
	taken.Close()
}

func TestRunFails(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := newServer(t, web.Config{}).Run(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener: error %v", err)
	}
}

func TestStalledBody(t *testing.T) {
	t.Parallel()
	addr, _ := webtest.Serve(t, newServer(t, web.Config{Settings: web.Settings{Stall: 50 * time.Millisecond}}))
	for path, want := range map[string]int{"/echo": http.StatusRequestTimeout, "/skip": http.StatusOK} {
		c := dial(t, addr, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
		if status, err := readStatus(c); err != nil || status != want {
			t.Errorf("%s: status %d (%v), want %d", path, status, err, want)
		}
		c.Close()
	}
	c := dial(t, addr, "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
	defer c.Close()
	io.Copy(io.Discard, c) // with or without a reply, the connection ends
}

// TestTooManyConnections turns away connections at the limit while all others are busy. If
// one is idle, it is closed instead.
func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	hold, held := make(chan struct{}), make(chan struct{}, 9)
	var said bytes.Buffer
	addr, end := webtest.Serve(t, newServer(t, web.Config{Log: slog.New(slog.NewTextHandler(&said, nil)), Settings: web.Settings{MaxConnections: 2}, Routes: []web.Route{
		{Method: "GET", Path: "/hold", Serve: func(c *web.Call) error { held <- struct{}{}; <-hold; return c.JSON(200, []byte("{}")) }},
	}}))
	const request, holding = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /hold HTTP/1.1\r\nHost: localhost\r\n\r\n"
	busy, half := dial(t, addr, holding), dial(t, addr, "GET / HT")
	defer busy.Close()
	<-held
	other := dial(t, addr, holding)
	defer other.Close()
	<-held
	if _, err := io.ReadFull(half, make([]byte, 1)); err == nil {
		t.Error("a connection with half a request is still open")
	}
	half.Close()
	for range 2 {
		third := dial(t, addr, "")
		if status, err := readStatus(third); err != nil || status != http.StatusServiceUnavailable {
			t.Errorf("a third connection: %d %v", status, err)
		}
		third.Close()
	}
	close(hold)
	for _, c := range []net.Conn{busy, other} {
		if status, err := readStatus(c); err != nil || status != 200 {
			t.Fatal(status, err)
		}
	}
	deadline := time.Now().Add(10 * time.Second)
	for served := 0; served < 20; { // each takes the place of an idle one
		c := dial(t, addr, request)
		defer c.Close()
		if status, err := readStatus(c); err == nil && status == 200 {
			served++
		} else if time.Now().After(deadline) { // 503 until the server knows that the last one is idle
			t.Fatal(status, err)
		}
	}
	end()
	if n := strings.Count(said.String(), "connections get status 503"); n != 1 {
		t.Errorf("the limit is told %d times: %s", n, said.String())
	}
}

// TestTornExchange notices a client that leaves its reply unread, but not one that read it.
func TestTornExchange(t *testing.T) {
	t.Parallel()
	exchanges := make(chan *web.Exchange, 2)
	s := newServer(t, web.Config{Routes: []web.Route{{Method: "GET", Path: "/note", Serve: func(c *web.Call) error {
		defer func() { exchanges <- c.Exchange }()
		return c.JSON(200, []byte("{}"))
	}}}})
	addr, _ := webtest.Serve(t, s)
	const request = "GET /note HTTP/1.1\r\nHost: localhost\r\n\r\n"
	whole := dial(t, addr, request)
	if _, err := readStatus(whole); err != nil {
		t.Fatal(err)
	}
	read := <-exchanges
	whole.Close()
	torn := dial(t, addr, request)
	unread := <-exchanges
	torn.SetLinger(0) // closes with a reset, as the system does if a program ends with data unread
	torn.Close()
	deadline := time.Now().Add(10 * time.Second)
	for !unread.Torn() {
		if time.Now().After(deadline) {
			t.Fatal("an unread reply is not noticed")
		}
		<-time.After(time.Millisecond)
	}
	if read.Torn() || (*web.Exchange)(nil).Torn() {
		t.Error("a reply that was read counts as torn")
	}
}
