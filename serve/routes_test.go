package serve_test

import (
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/serve"
)

// On a server with keys, problems and grades need one.
func TestRoutesWantAKey(t *testing.T) {
	t.Parallel()
	routes, err := serve.Routes(serve.Default(), backend.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{
		"/health":             true, // says that the server runs
		"/serve/openapi.json": true, // describes the routes, like the document of the hub
	}
	for _, r := range routes {
		if (r.For == web.Anyone) != open[r.Path] {
			t.Errorf("%s %s is for the role %v", r.Method, r.Path, r.For)
		}
	}
}
