package host_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
)

// open opens a hub over a folder for the test, with a log.
func open(t *testing.T, data string, log *bytes.Buffer) *host.Host {
	t.Helper()
	server := web.Default()
	server.Port = 0
	h, err := host.Open(t.Context(), host.Config{
		Data: data, Program: "test", Server: server, Hub: hub.Default(), Store: host.DefaultStore(), Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// status makes requests without bodies, and checks the status of each reply.
func status(t *testing.T, h *host.Host, want int, method string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		w := httptest.NewRecorder()
		h.Hub().Handler().ServeHTTP(w, httptest.NewRequest(method, "http://localhost"+path, nil))
		if w.Code != want {
			t.Errorf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, want)
		}
	}
}

// A run of which a crash left some files can be deleted, and made anew.
func TestHalfARunCanBeDeleted(t *testing.T) {
	for _, gone := range []string{"done.log", "states.log", "manifest", "00000001.groups"} {
		data, log := t.TempDir(), new(bytes.Buffer)
		h := open(t, data, log)
		status(t, h, 201, "PUT", "/v1/runs/x", "/v1/runs/y")
		status(t, h, 200, "DELETE", "/v1/runs/y")
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(data, datadir.Runs, "x", gone)); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(data, datadir.Runs, "y.removed", "rest"), 0o755); err != nil {
			t.Fatal(err)
		}
		h = open(t, data, log)
		status(t, h, 200, "DELETE", "/v1/runs/x")
		if left, err := os.ReadDir(filepath.Join(data, datadir.Runs)); err != nil || len(left) > 0 {
			t.Errorf("without %s: %v are left, error %v", gone, left, err)
		}
		status(t, h, 201, "PUT", "/v1/runs/x", "/v1/runs/y")
		status(t, h, 200, "GET", "/v1/runs/x/stats", "/v1/runs/y/stats")
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A hub tells that the folder of a queue was removed. A run that was deleted and made anew is
// no such case.
func TestRemovedFolderIsTold(t *testing.T) {
	data := t.TempDir()
	for _, test := range []struct {
		why  string
		gone string
		want bool
	}{
		{"at first", "", false},
		{"the folder of the default run", datadir.Queue, true},
		{"once", "", false},
		{"that of a further run", filepath.Join(datadir.Runs, "x"), true},
	} {
		if test.gone != "" {
			if err := os.RemoveAll(filepath.Join(data, test.gone)); err != nil {
				t.Fatal(err)
			}
		}
		log := new(bytes.Buffer)
		h := open(t, data, log)
		if test.gone == datadir.Queue { // it had the list of runs
			status(t, h, 201, "PUT", "/v1/runs/x")
		}
		if test.gone == "" {
			h.Hub().Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPut, "http://localhost/v1/runs/x", nil))
			status(t, h, 200, "DELETE", "/v1/runs/x")
			status(t, h, 201, "PUT", "/v1/runs/x")
		}
		status(t, h, 200, "GET", "/v1/runs/x/stats")
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if told := bytes.Contains(log.Bytes(), []byte("was removed or replaced")); told != test.want {
			t.Errorf("%s: told %v, want %v: %s", test.why, told, test.want, log)
		}
	}
}
