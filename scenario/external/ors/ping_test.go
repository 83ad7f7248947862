package ors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/scenario/external"
)

// TestPings finds a session that the server has ended, and leaves the one that is in use.
func TestPings(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ping" && r.Header.Get("X-Session-ID") != "kept" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "{}")
	}))
	defer s.Close()
	c := &client{server: Server{Client: httpclient.New(httpclient.Config{}), URL: s.URL, Most: 100}, log: slog.New(slog.DiscardHandler)}
	c.ended, c.stop = context.WithCancel(t.Context())
	defer c.Close()
	for n, name := range []string{"kept", "gone", "used"} {
		e := &episode{server: c.server}
		e.server.header = http.Header{sessionHeader: {name}}
		if name == "used" {
			e.used.Store(time.Now().UnixNano())
		}
		c.episodes.Put(uint64(n), e)
	}
	c.ping(time.Now().Add(-time.Hour))
	for n, gone := range []bool{false, true, false} {
		e, err := c.episodes.Get(uint64(n))
		if err != nil || (e.gone.Load() != nil) != gone {
			t.Errorf("session %d is gone: %t, error %v, want %t", n, e.gone.Load() != nil, err, gone)
		}
	}
	if _, err := c.Step(t.Context(), 1, &external.Reply{}); !errors.Is(err, quintain.ErrLost) {
		t.Errorf("a session that has ended gives the error %v", err)
	}
}
