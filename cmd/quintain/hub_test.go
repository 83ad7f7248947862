package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/hub"
)

// startHub starts quintain hub on a free port, and returns it and its URL.
func startHub(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := start(append([]string{"hub", "--port", "0"}, args...)...)
	await(t, p, "Ctrl-C stops")
	_, after, _ := strings.Cut(p.stderr.String(), "listening on ")
	url, _, _ := strings.Cut(after, ",")
	return p, url
}

// stopHub stops a hub and demands that it ends well.
func stopHub(t *testing.T, p *process) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
}

// ask makes a request with a key and demands the status.
func askHub(t *testing.T, status int, request, key, body string) string {
	t.Helper()
	method, url, _ := strings.Cut(request, " ")
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	if reply.StatusCode != status {
		t.Fatalf("%s: %d %s, want %d", request, reply.StatusCode, text, status)
	}
	return string(text)
}

// TestHubRunsAndStats keeps two runs in one folder, over a restart, and shows what they
// hold to one who has a key.
func TestHubRunsAndStats(t *testing.T) {
	data, keys := t.TempDir(), filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte("# keys\nproducer p\ntrainer t\n\nadmin a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, url := startHub(t, "--data", data, "--key-file", keys, "--with", "hub.env_timeout=1h")
	askHub(t, 403, "PUT "+url+"/v1/runs/exp2", "p", "")
	askHub(t, 201, "PUT "+url+"/v1/runs/exp2", "a", "")
	askHub(t, 200, "POST "+url+"/v1/runs/exp2/register", "t", `{"wandb_group":"g","wandb_project":"p","batch_size":2,"max_token_len":64,`+
		`"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":1000}`)
	askHub(t, 401, "POST "+url+"/v1/runs/exp2/scored_data", "x", `{}`)
	for range 2 {
		askHub(t, 200, "POST "+url+"/v1/runs/exp2/scored_data", "p", `{"tokens":[[1],[2]],"masks":[[1],[2]],"scores":[1,0]}`)
	}
	askHub(t, 200, "GET "+url+"/v1/runs/exp2/batch", "t", "")
	stopHub(t, p)

	p, url = startHub(t, "--data", data, "--key-file", keys)
	defer func() { stopHub(t, p) }()
	shown := start("hub", "stats", "--url", url+"/", "--run", "exp2", "--key-file", keys)
	if status := shown.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, shown.stderr.String())
	}
	for _, want := range []string{"exp2: batches of 2 sequences, step 1", "environments  0, 0 heard from in the last 2 min", "waiting       1 group, 2 sequences, 2 tokens",
		"ago, before the hub started", "batch         1 of 1 group: due", "since the hub started ", "received    0 groups and 0 tokens from outside, in 0 posts"} {
		if !strings.Contains(shown.stdout.String(), want) {
			t.Errorf("the statistics have no %q:\n%s", want, shown.stdout.String())
		}
	}
	shown = start("hub", "stats", "--url", url, "--key-file", keys, "--json")
	var st hub.RunStats
	if status := shown.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, shown.stderr.String())
	}
	if err := json.Unmarshal([]byte(shown.stdout.String()), &st); err != nil || st.Run != "default" || st.Registered {
		t.Errorf("%+v (%v) of %s", st, err, shown.stdout.String())
	}
	for _, args := range [][]string{{"--run", "none", "--key-file", keys}, {}} {
		shown = start(append([]string{"hub", "stats", "--url", url}, args...)...)
		if status := shown.wait(t); status != exitFailed {
			t.Errorf("hub stats %v: status %d, want %d", args, status, exitFailed)
		}
	}
	shown = start("hub", "workers", "--url", url, "--key-file", keys)
	if status := shown.wait(t); status != exitFailed || !strings.Contains(shown.stderr.String(), `the run "default" at `+url+` has no workers`) {
		t.Errorf("hub workers of a hub without: status %d\n%s", status, shown.stderr.String())
	}
	askHub(t, 200, "GET "+url+"/v1/runs/exp2/batch", "t", "")
	askHub(t, 403, "DELETE "+url+"/v1/runs/exp2", "t", "")
	askHub(t, 200, "DELETE "+url+"/v1/runs/exp2", "a", "")
	askHub(t, 404, "GET "+url+"/v1/runs/exp2/info", "t", "")
	if left, err := filepath.Glob(filepath.Join(data, "runs", "*")); err != nil || len(left) > 0 {
		t.Errorf("left of the run: %v %v", left, err)
	}
	askHub(t, 201, "PUT "+url+"/v1/runs/exp2", "a", "")
	if info := askHub(t, 200, "GET "+url+"/v1/runs/exp2/info", "t", ""); !strings.Contains(info, "-1") {
		t.Errorf("a new run of the name has something of the old one: %s", info)
	}
	http.DefaultClient.CloseIdleConnections()
}
