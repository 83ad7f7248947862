package web_test

import (
	"encoding/base64"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
)

// TestPages sends browsers' requests to a page, and to a route that is not one.
func TestPages(t *testing.T) {
	t.Parallel()
	serve := func(c *web.Call) error { return c.Text(200, "here") }
	routes := []web.Route{
		{Method: "GET", Path: "/page", For: web.AnyKey, Serve: serve, Page: true},
		{Method: "GET", Path: "/route", For: web.AnyKey, Serve: serve},
	}
	open, keyed := newServer(t, web.Config{Routes: routes}), newServer(t, web.Config{Routes: routes, Keys: []web.Key{{Role: "writer", Secret: "w"}}})
	basic := func(password string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+password))
	}
	link := []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}
	for _, test := range []struct {
		why         string
		s           *web.Server
		headers     []string
		page, route int
	}{
		{"a link from elsewhere", open, link, 200, 403},
		{"a link from elsewhere, with a key", keyed, append([]string{basic("w")}, link...), 200, 403},
		{"a form of another page", open, append([]string{"Origin: https://a.example"}, link...), 403, 403},
		{"a frame in another page", open, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"}, 403, 403},
		{"a script of another page", open, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"}, 403, 403},
		{"no key", keyed, nil, 401, 401},
		{"a key as a password", keyed, []string{basic("w")}, 200, 401},
		{"another password", keyed, []string{basic("x")}, 401, 401},
		{"a key", keyed, []string{"X-API-Key: w"}, 200, 200},
	} {
		for path, want := range map[string]int{"/page": test.page, "/route": test.route} {
			if w := do(test.s, "GET", path, "", test.headers...); w.Code != want {
				t.Errorf("%s: %s: %d, want %d", test.why, path, w.Code, want)
			}
		}
	}
	for path, want := range map[string]string{"/page": `Basic realm="any name, and the key as the password"`, "/route": "Bearer"} {
		if got := do(keyed, "GET", path, "").Header().Get("WWW-Authenticate"); got != want {
			t.Errorf("%s asks for %q, want %q", path, got, want)
		}
	}
}
