// Package webtest runs servers in tests.
package webtest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// A Server is what runs on a listener until ctx ends, such as that of package web.
type Server interface {
	Run(ctx context.Context, l net.Listener) error
}

// Serve runs s on a free port of this machine. It returns the address without a scheme, and
// a function that ends s and waits for it; the end of the test does so too. The test fails if
// s does not end well.
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
