package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	s := newServer(t, web.Config{
		Keys: []web.Key{{Role: web.Admin, Secret: "s3cret"}, {Role: "writer", Secret: "w"}, {Role: "reader", Secret: "r"}},
		Routes: []web.Route{
			{Method: "GET", Path: "/info", For: web.AnyKey, Serve: func(c *web.Call) error { return c.JSON(200, []byte("{}")) }},
			{Method: "GET", Path: "/reset", For: web.Admin, Serve: func(c *web.Call) error { return c.JSON(200, []byte("{}")) }},
		},
	})
	for _, test := range []struct {
		why, request, header string
		status               int
	}{
		{"none", "GET /info", "", 401},
		{"a wrong one", "GET /info", "X-API-Key: secret", 401},
		{"an empty one", "GET /info", "Authorization: Bearer ", 401},
		{"no bearer", "GET /info", "Authorization: Basic s3cret", 401},
		{"a bearer", "GET /info", "Authorization: Bearer s3cret", 200},
		{"in any case", "GET /info", "Authorization: bearer s3cret", 200},
		{"a header of its own", "GET /info", "X-API-Key: s3cret", 200},
		{"any key", "GET /info", "X-API-Key: r", 200},
		{"the role's key", "POST /echo", "X-API-Key: w", 200},
		{"another role's key", "POST /echo", "X-API-Key: r", 403},
		{"admin may do everything", "POST /echo", "X-API-Key: s3cret", 200},
		{"and alone may do some things", "GET /reset", "X-API-Key: w", 403},
		{"with its own key", "GET /reset", "X-API-Key: s3cret", 200},
		{"a route for anyone", "GET /", "", 200},
		{"an unknown path", "GET /nope", "", 404},
	} {
		method, path, _ := strings.Cut(test.request, " ")
		if w := do(s, method, path, "", test.header); w.Code != test.status {
			t.Errorf("%s: %d, want %d", test.why, w.Code, test.status)
		}
	}
	if w := do(newServer(t, web.Config{}), "POST", "/echo", "x"); w.Code != 200 {
		t.Errorf("a server without keys asks for one: %d", w.Code)
	}
}

func TestReadKeys(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, file string
		keys      []web.Key
		fault     string
	}{
		{"keys", "# some\na\n\nwriter b\r\n  admin c  \n", []web.Key{{"admin", "a"}, {"writer", "b"}, {"admin", "c"}}, ""},
		{"an unknown role", "a\nwriter b\nboss c\n", nil, "line 3 is not a key: want KEY, or reader, writer or admin and a KEY"},
		{"too many words", "writer a b\n", nil, "line 1 is not a key"},
		{"a role and no key", "a\nwriter\n", nil, "line 2 has the role writer and no key: want writer KEY"},
		{"the admin's too", "admin", nil, "line 1 has the role admin and no key"},
		{"the mark of an editor", "\ufeffwriter a\r\nb", []web.Key{{"writer", "a"}, {"admin", "b"}}, ""},
		{"a key that no header can carry", "a\nk\u00e9y", nil, "line 2 has a non-ASCII character"},
		{"a comment in any language", "# cl\u00e9\na", []web.Key{{"admin", "a"}}, ""},
		{"nothing but a comment", "# a\n", nil, "is empty"},
	} {
		name := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(name, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := web.ReadKeys(name, "reader", "writer")
		if !slices.Equal(keys, test.keys) || !strings.Contains(fmt.Sprint(err), test.fault) || (err == nil) != (test.fault == "") {
			t.Errorf("%s: %v, error %v, want %v, %q", test.why, keys, err, test.keys, test.fault)
		}
	}
	if keys, err := web.ReadKeys(""); keys != nil || err != nil {
		t.Errorf("no file: %v, error %v", keys, err)
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(name, []byte("writer w\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := web.Listen(t.Context(), web.Settings{Host: "0.0.0.0", KeyFile: name}, "writer")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if want := []web.Key{{Role: "writer", Secret: "w"}}; !slices.Equal(l.Keys, want) {
		t.Errorf("keys %v, want %v", l.Keys, want)
	}
	inner, err := web.Listen(t.Context(), web.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	var port int
	if _, err := fmt.Sscanf(inner.Addr().String(), "127.0.0.1:%d", &port); err != nil {
		t.Fatalf("listens on %s: %v", inner.Addr(), err)
	}
	for _, test := range []struct {
		why  string
		s    web.Settings
		want string
	}{
		{"other machines without a key", web.Settings{Host: "0.0.0.0"}, "is not loopback: name a file with a key"},
		{"a file that is not there", web.Settings{KeyFile: name + "x"}, "no such file"},
		{"a port in use", web.Settings{Port: port}, "is in use; choose another"},
		{"one after it", web.Settings{Port: port, Next: true}, ""},
	} {
		l, err := web.Listen(t.Context(), test.s)
		if err == nil {
			err = l.Close()
		}
		if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}
