package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestViewOpensTheFolderOfARun plays a few groups, opens them, and reads the page that a
// browser is sent to.
func TestViewOpensTheFolderOfARun(t *testing.T) {
	data := t.TempDir()
	if p := start("run", "--policy", "script", "--steps", "2", "--data", data, "--port", "0"); p.wait(t) != exitOK {
		t.Fatal(p.stderr.String())
	} else if !strings.Contains(p.stderr.String(), "watch it on http://127.0.0.1:") {
		t.Errorf("the run does not say where to watch it:\n%s", p.stderr.String())
	}
	p := start("view", data, "--port", "0", "--open")
	await(t, p, "Ctrl-C stops")
	reply, err := http.Get(<-p.opened)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	page, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), `<a href="groups?drop=kept">kept</a>`) || !strings.Contains(string(page), `data-name="train/score"`) {
		t.Errorf("the page has no groups or no scores:\n%s", page)
	}
	stopHub(t, p)
}

// TestARunThatTrainsWaitsForNoTrainer asks the hub of a run that trains itself, and a hub alone.
func TestARunThatTrainsWaitsForNoTrainer(t *testing.T) {
	for verb, local := range map[string]bool{"run": true, "hub": false} {
		p := start(verb, "--data", t.TempDir(), "--port", "0", "--open")
		url := strings.TrimSuffix(<-p.opened, "/watch/run")
		if stats := call(t, http.MethodGet, url+"/v1/runs/default/stats", ""); strings.Contains(stats, `"local":true`) != local {
			t.Errorf("%s: want local: %v, got %s", verb, local, stats)
		}
		page := call(t, http.MethodGet, url+"/watch/run", "")
		if strings.Contains(page, "this process trains on the groups itself") != local || strings.Contains(page, "no trainer has registered") == local {
			t.Errorf("%s: the page is\n%s", verb, page)
		}
		stopHub(t, p)
	}
}

func TestViewRefusesWhatIsNoFolder(t *testing.T) {
	p := start("view", "nothing")
	if status := p.wait(t); status != exitUsage || !strings.Contains(p.stderr.String(), "nothing is neither a folder nor a file") {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
}

// TestViewShowsFiles opens rollouts of another program, and leaves nothing behind.
func TestViewShowsFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "rollouts.jsonl")
	if err := os.WriteFile(file, []byte(`{"item_id":"their_task","rollouts":[{"conversation":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"score":1}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start("view", file, "--port", "0", "--open")
	await(t, p, "Ctrl-C stops")
	reply, err := http.Get(strings.Replace(<-p.opened, "/run", "/groups", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	page, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "their_task:0</a>") || !strings.Contains(string(page), "1 of 1 groups match") {
		t.Errorf("the page has no such group:\n%s", page)
	}
	stopHub(t, p)
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v are left, error %v", left, err)
	}
}

func TestViewSaysThatAFolderIsEmpty(t *testing.T) {
	dir := t.TempDir()
	p := start("view", dir, "--port", "0")
	await(t, p, dir+" is empty; the pages follow a run that begins there")
	stopHub(t, p)
}
