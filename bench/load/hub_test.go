//go:build heavy

package main

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// smallHub returns a load that takes a moment, on a hub that runs for the test.
func smallHub(t *testing.T) HubLoad {
	t.Helper()
	q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server, err := hub.New(hub.Config{Queue: q})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	addr, _ := webtest.Serve(t, server)
	l := DefaultHub()
	l.URL = "http://" + addr
	l.Time, l.Length, l.Groups, l.Batch, l.Environments = 50*time.Millisecond, 20, 64, 64, 3
	return l
}

// TestHub puts a small load of each kind on a hub and checks the measurements.
func TestHub(t *testing.T) {
	t.Parallel()
	l := smallHub(t)
	for _, form := range []string{"json", "gzip", "binary"} {
		for _, scenario := range Scenarios() {
			l.Form, l.Gzip = form, form == "gzip"
			measured, err := l.Run(t.Context(), scenario)
			if err != nil {
				t.Fatalf("%s, %s: %v", scenario, form, err)
			}
			text, err := json.Marshal(measured)
			if err != nil {
				t.Fatal(err)
			}
			var row struct {
				Scenario   string
				GroupsPerS float64 `json:"groups_per_s"`
				Groups     int
				Taken      int
				Latency    HubLatency
				Polls      HubLatency
			}
			if err := json.Unmarshal(text, &row); err != nil {
				t.Fatal(err)
			}
			takes := scenario == "batch" || scenario == "backlog"
			if row.Scenario != scenario || row.GroupsPerS <= 0 || row.Latency.N == 0 || row.Groups == 0 || takes && row.Taken != row.Groups {
				t.Errorf("%s, %s: %s", scenario, form, text)
			}
		}
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	for why, change := range map[string]func(l *HubLoad, scenario *string){
		"a form":        func(l *HubLoad, _ *string) { l.Form = "xml" },
		"a scenario":    func(_ *HubLoad, s *string) { *s = "nothing" },
		"no connection": func(l *HubLoad, _ *string) { l.Connections = 0 },
		"no time":       func(l *HubLoad, _ *string) { l.Time = 0 },
		"less than no":  func(l *HubLoad, _ *string) { l.Groups = -1 },
		"another URL":   func(l *HubLoad, _ *string) { l.URL = "https://x" },
		"no hub":        func(*HubLoad, *string) {},
	} {
		l, scenario := DefaultHub(), "ingest"
		l.URL = "http://127.0.0.1:1"
		change(&l, &scenario)
		if _, err := l.Run(t.Context(), scenario); err == nil {
			t.Errorf("%s: taken", why)
		}
	}
}

// A group of the load is valid, and written as by Python.
func TestGroup(t *testing.T) {
	t.Parallel()
	g := newGroup(3, 8, 64)
	text := spaced(atropos.AppendGroup(nil, g))
	back, err := atropos.DecodeGroup(text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(atropos.AppendGroup(nil, back), atropos.AppendGroup(nil, g)) {
		t.Error("the group comes back changed")
	}
	if !bytes.Contains(text, []byte(`, "masks": [[-100, -100, `)) {
		t.Errorf("%.200s", text)
	}
}
