package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// A dump has the groups that were put; a check finds missing ones.
func TestQueueCheckAndDump(t *testing.T) {
	data := t.TempDir()
	folder := filepath.Join(data, "queue")
	s, err := files.Open(folder, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(t.Context(), s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := q.Put(t.Context(), queuetest.Group(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{data, folder} {
		p := start("hub", "queue", "dump", dir)
		if status := p.wait(t); status != 0 {
			t.Fatalf("status %d: %s", status, p.stderr.String())
		}
		lines := strings.Split(strings.TrimSpace(p.stdout.String()), "\n")
		for i, line := range lines {
			var g quintain.Group
			if err := json.Unmarshal([]byte(line), &g); err != nil {
				t.Fatal(err)
			}
			if want := queuetest.Group(i); g.ID != want.ID || !reflect.DeepEqual(g.Tokens, want.Tokens) || len(lines) != 3 {
				t.Errorf("line %d of %d: group %s, want %s", i, len(lines), g.ID, want.ID)
			}
		}
	}
	name := filepath.Join(folder, "00000001.groups")
	b, err := os.ReadFile(name)
	if err == nil {
		b[len(b)-1] ^= 1
		err = os.WriteFile(name, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := start("hub", "queue", "check", data)
	if status := p.wait(t); status != 1 || !strings.Contains(p.stderr.String(), "00000001.groups") || !strings.Contains(p.stderr.String(), "2 groups waiting") {
		t.Errorf("status %d: %s", status, p.stderr.String())
	}
}

// A check of a data folder looks at every run; one of a folder without a queue fails.
func TestQueueCheckLooksEverywhere(t *testing.T) {
	data := t.TempDir()
	for _, name := range []string{"queue", "runs/a", "runs/b"} {
		s, err := files.Open(filepath.Join(data, name), files.Options{})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(why, dir string, want int, texts ...string) {
		t.Helper()
		p := start("hub", "queue", "check", dir)
		status := p.wait(t)
		for _, text := range texts {
			if status != want || !strings.Contains(p.stderr.String(), text) {
				t.Errorf("%s: status %d, want %d; %s\nwithout %q", why, status, want, p.stderr.String(), text)
			}
		}
	}
	check("sound", data, 0, filepath.Join("runs", "a"), filepath.Join("runs", "b"))
	check("no queue", filepath.Join(data, "runs"), 1, "holds no queue")
	check("no folder", filepath.Join(data, "none"), 1, "there is no file or folder")
	if err := os.Remove(filepath.Join(data, "runs", "a", "done.log")); err != nil {
		t.Fatal(err)
	}
	check("a log of a run is missing", data, 1, "done.log is missing", filepath.Join("runs", "b"))
}
