package backend_test

import (
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/sandbox/native"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
	"github.com/quintain-rl/quintain/sandbox/service"
)

// key is that of the servers of tests.
const key = "a-key"

// serveNative serves the sandbox of this machine, and returns the address.
func serveNative(t *testing.T, dir string, grace time.Duration) string {
	t.Helper()
	inner, err := native.New(native.Config{Dir: dir, Zygote: codegrade.Python(), Grace: grace})
	if err != nil {
		t.Fatal(err)
	}
	gate := service.NewGate(inner, service.Most{Jobs: 2 * runtime.NumCPU(), Waiting: 100, Wait: time.Minute})
	jobs := service.NewServer(gate, 100, time.Minute)
	s := serveRoutes(t, jobs.Routes())
	t.Cleanup(func() {
		s.Close()
		gate.Cut()
		for _, one := range []interface{ Close() error }{jobs, inner} {
			if err := one.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return s.URL
}

// serveRoutes serves routes to whoever has the key.
func serveRoutes(t *testing.T, routes []web.Route) *httptest.Server {
	t.Helper()
	w, err := web.New(web.Config{Name: "test", Routes: routes, Keys: []web.Key{{Role: web.Admin, Secret: key}}})
	if err != nil {
		t.Fatal(err)
	}
	return httptest.NewServer(w)
}

// open opens a box that the test closes.
func open(t *testing.T, c backend.RemoteConfig) *backend.Remote {
	t.Helper()
	c.Key = key
	b, err := backend.NewRemote(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestSandboxOverHTTP(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, dir string) sandbox.Sandbox {
		return open(t, backend.RemoteConfig{URLs: []string{serveNative(t, dir, 0)}})
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	sandboxtest.Sessions(t, func(t *testing.T, dir string, grace time.Duration) sandbox.Opener {
		return open(t, backend.RemoteConfig{URLs: []string{serveNative(t, dir, grace)}})
	})
}
