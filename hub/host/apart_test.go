package host_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/web"
)

// apart opens a hub with a route on a port of its own.
func apart(t *testing.T, server web.Settings, port int) (*host.Host, error) {
	t.Helper()
	say := func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(`"here"`)) }
	return host.Open(t.Context(), host.Config{
		Data: t.TempDir(), Program: "test", Server: server, Hub: hub.Default(), Store: host.DefaultStore(),
		Apart: host.Apart{Name: "x.port", Host: "127.0.0.1", Port: port, Routes: []web.Route{{Method: "GET", Path: "/apart", Serve: say}}},
	})
}

// fetch is the status and the body of a page.
func fetch(t *testing.T, at net.Addr, path string) string {
	t.Helper()
	resp, err := http.Get(fmt.Sprintf("http://%s%s", at, path))
	if err != nil {
		return "nobody"
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		return resp.Status
	}
	return string(text)
}

// Routes apart are on their port, and all else on the other one.
func TestRoutesApart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	server := web.Default()
	server.Port = 0
	want := fmt.Sprintf("x.port: port %d of 127.0.0.1 is in use; choose another", port)
	if _, err := apart(t, server, port); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	server.KeyFile = filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(server.KeyFile, []byte("producer secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken.Close()
	h, err := apart(t, server, port)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()
	for path, want := range map[string][2]string{"/apart": {"404 Not Found", `"here"`}, "/healthz": {`{"status":"ok"}`, "404 Not Found"}} {
		if got := [2]string{fetch(t, h.Addr(), path), fetch(t, h.Apart(), path)}; strings.TrimSpace(got[0]) != want[0] || got[1] != want[1] {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if got := fetch(t, h.Apart(), "/apart"); got != "nobody" {
		t.Errorf("a closed port says %s", got)
	}
}
