package hub

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
)

// TestBrowsersGetPages asks for / as a browser and as a client of Atropos.
func TestBrowsersGetPages(t *testing.T) {
	pages := []web.Route{{Method: "GET", Path: "/pages/first", Serve: func(c *web.Call) error { return c.Text(http.StatusOK, "a page") }, Page: true}}
	for _, c := range []struct {
		why, accept string
		pages       []web.Route
		status      int
		location    string
	}{
		{"a browser", "text/html,application/xhtml+xml,*/*;q=0.8", pages, http.StatusSeeOther, "pages/first"},
		{"a client of Atropos", "*/*", pages, http.StatusOK, ""},
		{"a client that says nothing", "", pages, http.StatusOK, ""},
		{"a browser, without pages", "text/html", nil, http.StatusOK, ""},
	} {
		f := newFixture(t, nil, Config{Routes: c.pages})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", nil)
		if c.accept != "" {
			r.Header.Set("Accept", c.accept)
		}
		w := httptest.NewRecorder()
		f.server.Handler().ServeHTTP(w, r)
		if got := w.Header().Get("Location"); w.Code != c.status || got != c.location {
			t.Errorf("%s: %d to %q, want %d to %q", c.why, w.Code, got, c.status, c.location)
		}
		if c.status == http.StatusOK && w.Body.String() != `{"message":"AtroposLib API"}` {
			t.Errorf("%s: %s", c.why, w.Body)
		}
	}
}
