package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// filler is the number of all groups that only make the last batch whole.
const filler = 0

// A hubDrive has the clients of a hub that is killed again and again.
type hubDrive struct {
	url  string
	next atomic.Int64 // number of the next group
	full atomic.Int64 // requests that were refused because the disk is full

	mu        sync.Mutex
	posted    map[int]bool // groups that the hub acknowledged
	delivered map[int]bool // groups that came in a batch
	finished  map[int]bool // groups of batches after which another one, or none, came
	last      []int        // groups of the last batch
	twice     []int        // groups that came although they were finished
}

// call makes a request and decodes the reply into v.
func (d *hubDrive) call(ctx context.Context, method, path, body string, v any) error {
	r, err := http.NewRequestWithContext(ctx, method, d.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if reply.StatusCode == http.StatusInsufficientStorage {
		d.full.Add(1)
	}
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", reply.Status, text)
	}
	return json.Unmarshal(text, v)
}

// post sends groups of two sequences until ctx is done. The group's number is its
// only token.
func (d *hubDrive) post(ctx context.Context) {
	for ctx.Err() == nil {
		n := int(d.next.Add(1))
		var reply struct{ Status string }
		body := fmt.Sprintf(`{"tokens":[[%d],[%d]],"masks":[[%d],[-100]],"scores":[1,0]}`, n, n, n)
		if err := d.call(ctx, http.MethodPost, "/scored_data", body, &reply); err != nil {
			continue
		}
		d.mu.Lock()
		d.posted[n] = true
		d.mu.Unlock()
	}
}

// take asks for a batch once, and reports whether there was one.
func (d *hubDrive) take(ctx context.Context) (bool, error) {
	var reply struct {
		Batch []struct {
			Tokens [][]int `json:"tokens"`
		} `json:"batch"`
	}
	if err := d.call(ctx, http.MethodGet, "/batch", "", &reply); err != nil {
		return false, err
	}
	var batch []int
	for _, group := range reply.Batch {
		batch = append(batch, group.Tokens[0][0])
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.last { // another reply: the hub knows that the trainer is done with them
		d.finished[n] = !slices.Contains(batch, n)
	}
	for _, n := range batch {
		if d.finished[n] && n != filler {
			d.twice = append(d.twice, n)
		}
		d.delivered[n] = true
	}
	d.last = batch
	return len(reply.Batch) > 0, nil
}

// cramped is the program on a disk with little room left: no file may become more than
// some kilobytes larger than the largest of dir is.
func cramped(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	largest := int64(0)
	for _, name := range queueFiles(t, dir) {
		if info, err := os.Stat(name); err == nil {
			largest = max(largest, info.Size())
		}
	}
	c := program(t, args...)
	script := fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, largest/512+16) // blocks of 512 bytes, or of 1024
	c.Args = append([]string{"sh", "-c", script, c.Path}, c.Args[1:]...)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	c.Path = shell
	return c
}

// queueFiles are the files of the queue in the data folder dir.
func queueFiles(t *testing.T, dir string) []string {
	t.Helper()
	groups, err := filepath.Glob(filepath.Join(dir, "queue", "*.groups"))
	if err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "queue", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	return append(groups, logs...)
}

// tear puts a part of a record behind the last one of each file, as a process that is
// killed while it writes, or a machine that stops, leaves it.
func tear(t *testing.T, dir string) {
	t.Helper()
	for _, name := range queueFiles(t, dir) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 { // it was killed before it wrote
			continue
		}
		from := rand.IntN(len(b))
		b = append(b, b[max(from, len(b)-900):len(b)-1]...)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilledHubLosesNothing kills quintain hub at random moments under load; in one round of
// three the disk is full, and before one of three the files of the queue are torn. Every
// group that it acknowledged is delivered, and none again after the trainer asked
// for the next batch.
func TestKilledHubLosesNothing(t *testing.T) {
	port := freePort(t)
	d := &hubDrive{url: "http://127.0.0.1:" + port, posted: map[int]bool{}, delivered: map[int]bool{}, finished: map[int]bool{}}
	defer http.DefaultClient.CloseIdleConnections()
	data := t.TempDir()
	for round := range killRounds + 1 {
		c := program(t, "hub", "--data", data, "--port", port)
		switch round % 3 {
		case 1:
			c = cramped(t, data, "hub", "--data", data, "--port", port)
		case 2:
			tear(t, data)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		d.awaitHub(t)
		if round == 0 {
			d.register(t)
		}
		if round == killRounds {
			d.drain(t)
		} else {
			d.load(t, func() { _ = c.Process.Kill() })
		}
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	}
	for n := range d.posted {
		if !d.delivered[n] {
			t.Errorf("group %d was acknowledged and is lost", n)
		}
	}
	if len(d.twice) > 0 {
		t.Errorf("groups %v came again after the trainer was done with them", d.twice)
	}
	if len(d.posted) < 2*killRounds {
		t.Errorf("only %d groups in %d rounds: the test tests nothing", len(d.posted), killRounds)
	}
	t.Logf("%d kills: %d groups acknowledged, %d delivered, %d refused by a full disk", killRounds, len(d.posted), len(d.delivered), d.full.Load())
}

// freePort returns a port of the loopback that nobody uses. It is below those that systems give to
// whoever asks for any, so nobody is given it before its user comes.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000)))
		if err != nil {
			continue // it is taken
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no port is free")
	return ""
}

// awaitHub waits until the hub answers.
func (d *hubDrive) awaitHub(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var info map[string]int
	for d.call(ctx, http.MethodGet, "/info", "", &info) != nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the hub does not answer")
		}
	}
}

// register registers the trainer, with batches of 8 sequences.
func (d *hubDrive) register(t *testing.T) {
	t.Helper()
	var reply map[string]any
	err := d.call(t.Context(), http.MethodPost, "/register", `{"wandb_group":"g","wandb_project":"p","batch_size":8,"max_token_len":64,`+
		`"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":1000}`, &reply)
	if err != nil {
		t.Fatal(err)
	}
}

// answered counts the groups that were acknowledged, or refused because the disk is full.
func (d *hubDrive) answered() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.posted) + int(d.full.Load())
}

// killUnderWay calls kill a while after some groups were answered. The context ends soon after.
func (d *hubDrive) killUnderWay(t *testing.T, clients *sync.WaitGroup, kill func()) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	before := d.answered()
	clients.Go(func() {
		defer cancel()
		for ctx.Err() == nil && d.answered() < before+4 {
			<-time.After(time.Millisecond)
		}
		<-time.After(time.Duration(rand.IntN(300)) * time.Millisecond)
		kill()
		<-time.After(50 * time.Millisecond)
	})
	return ctx
}

// load posts and takes from several clients until kill is called after a while.
func (d *hubDrive) load(t *testing.T, kill func()) {
	var clients sync.WaitGroup
	ctx := d.killUnderWay(t, &clients, kill)
	for range 3 {
		clients.Go(func() { d.post(ctx) })
	}
	clients.Go(func() {
		for ctx.Err() == nil {
			if _, err := d.take(ctx); err != nil {
				continue
			}
		}
	})
	clients.Wait()
}

// drain takes batches until none is left, filling the last one up.
func (d *hubDrive) drain(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for filled := 0; filled < 4; {
		some, err := d.take(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !some {
			filled++ // a group more may make the last batch whole
			body := `{"tokens":[[0],[0]],"masks":[[0],[0]],"scores":[1,0]}`
			var reply map[string]any
			if err := d.call(ctx, http.MethodPost, "/scored_data", body, &reply); err != nil {
				t.Fatal(err)
			}
		}
	}
}
