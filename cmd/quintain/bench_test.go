package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/interop/atropos"
)

// TestBenchHub puts a small load of each kind on a hub and looks at what is said of it.
func TestBenchHub(t *testing.T) {
	data := t.TempDir()
	port := freePort(t)
	c := program(t, "hub", "--data", data, "--port", port)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	}()
	d := &hubDrive{url: "http://127.0.0.1:" + port}
	d.awaitHub(t)
	for _, form := range []string{"json", "gzip", "binary"} {
		out := new(bytes.Buffer)
		w := &world{stdout: out, stderr: out, environ: func() []string { return nil }, args: []string{
			"bench", "hub", "--url", d.url, "--form", form, "--time", "50ms", "--length", "20", "--groups", "64", "--batch", "64", "--environments", "3",
		}}
		if status := execute(w); status != exitOK {
			t.Fatalf("status %d: %s", status, out)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 4 {
			t.Fatalf("%d lines, want 4: %s", len(lines), out)
		}
		for _, line := range lines {
			var row struct {
				Scenario   string
				GroupsPerS float64 `json:"groups_per_s"`
				Groups     int
				Taken      int
				Latency    latency
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			takes := row.Scenario == "batch" || row.Scenario == "backlog"
			if row.GroupsPerS <= 0 || row.Latency.N == 0 || row.Groups == 0 || takes && row.Taken != row.Groups {
				t.Errorf("%s: %s", form, line)
			}
		}
	}
}

func TestBenchHubRefuses(t *testing.T) {
	for _, args := range [][]string{{"--form", "xml"}, {"--scenario", "ingest,nothing"}, {"--connections", "0"}, {"--url", "https://x"}} {
		out := new(bytes.Buffer)
		w := &world{stdout: out, stderr: out, environ: func() []string { return nil }, args: append([]string{"bench", "hub", "--url", "http://127.0.0.1:1"}, args...)}
		if status := execute(w); status == exitOK {
			t.Errorf("%v: taken", args)
		}
	}
}

// A group of the bench is one that a hub takes, written as Python writes it.
func TestBenchGroup(t *testing.T) {
	g := benchGroup(3, 8, 64)
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
