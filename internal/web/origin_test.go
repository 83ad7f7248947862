package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
)

func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	off := newServer(t, web.Config{})
	on := newServer(t, web.Config{Settings: web.Settings{Origins: []string{"https://a.example"}}, Expose: []string{"X-One", "X-Two"}})
	for _, test := range []struct {
		why    string
		s      *web.Server
		origin string
		allow  string
	}{
		{"off", off, "https://a.example", ""},
		{"allowed", on, "https://a.example", "https://a.example"},
		{"another", on, "https://b.example", ""},
	} {
		w := do(test.s, "GET", "/", "", "Origin: "+test.origin)
		h := w.Header()
		if got := h.Get("Access-Control-Allow-Origin"); got != test.allow || h.Get("Access-Control-Allow-Credentials") != "" || (w.Code == 200) != (got != "") {
			t.Errorf("%s: %d, allows %q, want %q", test.why, w.Code, got, test.allow)
		}
		if got := h.Get("Access-Control-Expose-Headers"); (got == "X-One, X-Two") != (test.allow != "") {
			t.Errorf("%s: exposes %q", test.why, got)
		}
	}
	preflight := []string{"Origin: https://a.example", "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: x-api-key"}
	w := do(on, "OPTIONS", "/long", "", preflight...)
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Headers") != "x-api-key" || w.Header().Get("Access-Control-Allow-Methods") != "GET" {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	if w := do(off, "OPTIONS", "/long", "", preflight...); w.Code != http.StatusForbidden {
		t.Errorf("preflight while it is off: %d", w.Code)
	}
}

// TestForeignPages sends to every route the requests that browsers send for web pages.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	open := web.Config{}
	keyed := web.Config{Keys: []web.Key{{Role: web.Admin, Secret: "k"}}}
	listed := web.Config{Settings: web.Settings{Origins: []string{"https://a.example"}}}
	any := web.Config{Settings: web.Settings{Origins: []string{"*"}}}
	for _, test := range []struct {
		why     string
		config  web.Config
		host    string
		headers string // "Name: value; …"
		refused bool
	}{
		{"no browser", open, "127.0.0.1:8000", "", false},
		{"an address bar", open, "127.0.0.1:8000", "Sec-Fetch-Site: none", false},
		{"a page of this server", open, "127.0.0.1:8000", "Sec-Fetch-Site: same-origin; Origin: http://127.0.0.1:8000", false},
		{"an image in a page elsewhere", open, "127.0.0.1:8000", "Sec-Fetch-Site: cross-site", true},
		{"a form in a page elsewhere", open, "127.0.0.1:8000", "Origin: https://evil.example", true},
		{"a frame without an origin", open, "127.0.0.1:8000", "Origin: null", true},
		{"an origin that is no address", open, "127.0.0.1:8000", "Origin: http://[", true},
		{"a page of another port", open, "localhost:8000", "Sec-Fetch-Site: same-site; Origin: http://localhost:3000", true},
		{"a name that begins alike", open, "localhost", "Origin: http://localhost.evil.example", true},
		{"a name that leads here", open, "evil.example:8000", "", true},
		{"and says that it is its own page", open, "evil.example:8000", "Sec-Fetch-Site: same-origin; Origin: http://evil.example:8000", true},
		{"an address of the network", open, "192.168.0.7:8000", "", true},
		{"localhost", open, "LOCALHOST:1", "", false},
		{"another name of this machine", open, "hub.localhost", "", false},
		{"another address of it", open, "127.8.8.8", "", false},
		{"IPv6", open, "[::1]:8000", "", false},
		{"IPv6 without a port", open, "[::1]", "", false},
		{"no name, as in HTTP/1.0", open, "", "", false},
		{"a key is asked for, so any name will do", keyed, "hub.example", "", false},
		{"but not every page", keyed, "hub.example", "Origin: https://evil.example", true},
		{"a listed page", listed, "localhost:8000", "Sec-Fetch-Site: cross-site; Origin: https://a.example", false},
		{"a page that is not", listed, "localhost:8000", "Sec-Fetch-Site: cross-site; Origin: https://b.example", true},
		{"an image in any page", listed, "localhost:8000", "Sec-Fetch-Site: cross-site", true},
		{"the name of a listed page", listed, "a.example", "", false},
		{"another port of it", listed, "a.example:81", "", true},
		{"all pages are allowed", any, "evil.example", "Sec-Fetch-Site: cross-site; Origin: https://evil.example", false},
	} {
		s := newServer(t, test.config)
		for _, route := range []string{"GET /", "POST /echo", "POST /skip", "GET /long", "GET /nope", "OPTIONS /long", "GET /long/"} {
			method, path, _ := strings.Cut(route, " ")
			r := httptest.NewRequest(method, path, nil)
			r.Host = test.host
			for h := range strings.SplitSeq(test.headers, "; ") {
				name, value, _ := strings.Cut(h, ": ")
				r.Header.Set(name, value)
			}
			r.Header.Set("X-API-Key", "k")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if refused := w.Code == http.StatusForbidden; refused != test.refused {
				t.Errorf("%s, %s: %d %s", test.why, route, w.Code, w.Body)
			}
		}
	}
}

// TestQueries refuses ambiguous queries.
func TestQueries(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{})
	for query, status := range map[string]int{"": 200, "a=b&c": 200, "a=b;c": 400, "a=%zz": 400} {
		if w := do(s, "GET", "/?"+query, ""); w.Code != status {
			t.Errorf("%s: %d %s, want %d", query, w.Code, w.Body, status)
		}
	}
}
