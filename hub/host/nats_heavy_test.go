//go:build heavy

package host_test

import (
	"net/http"
	"testing"
)

// TestAHubWithoutItsServerSaysSo: what cannot be kept is refused for now, and the hub is
// not ready as soon as that is known.
func TestAHubWithoutItsServerSaysSo(t *testing.T) {
	s := serve(t)
	s.server.Shutdown()
	s.server.WaitForShutdown()
	for _, one := range []struct{ method, path, body string }{
		{"POST", "/scored_data", `{"tokens":[[1],[2]],"masks":[[1],[2]],"scores":[1,0]}`},
		{"GET", "/readyz", ""},
	} {
		if h := s.ask(t, http.StatusServiceUnavailable, one.method, one.path, one.body); h.Get("Retry-After") == "" {
			t.Errorf("%s: the answer does not say when to try again", one.path)
		}
	}
}
