// Package webtest runs servers in tests.
package webtest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// A Server runs on a listener until ctx ends, such as [web.Server].
type Server interface {
	Run(ctx context.Context, l net.Listener) error
}

// Serve runs s on a free port of this machine. It returns the address, without a scheme, and
// a function that stops s and waits for it; the end of the test does so too. If s fails, so
// does the test.
func Serve(t testing.TB, s Server) (addr string, end func()) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, l) }()
	end = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	t.Cleanup(end)
	return l.Addr().String(), end
}
