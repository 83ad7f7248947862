//go:build heavy && unix

package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// takeovers is how often TestTakeover ends an owner in each way.
var takeovers = flag.Int("takeovers", 1, "rounds of TestTakeover")

// A hubChild is quintain hub --with store.nats_standby=true in a process of its own.
type hubChild struct {
	*exec.Cmd
	url    string
	said   capture
	ended  chan error
	reaped sync.WaitGroup
}

// startChild starts a hub over a NATS cluster.
func startChild(t *testing.T, nats string) *hubChild {
	t.Helper()
	port := freePorts(t, 1)[0]
	h := &hubChild{url: fmt.Sprintf("http://127.0.0.1:%d", port), ended: make(chan error, 1)}
	h.Cmd = program(t, "hub", "--port", fmt.Sprint(port), "--data", t.TempDir(), "--nats-url", nats, "--with", "store.nats_replicas=3", "--with", "store.nats_synced=true", "--with", "store.nats_standby=true")
	h.Stderr = &h.said
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	h.reaped.Go(func() { h.ended <- h.Wait() })
	t.Cleanup(func() {
		_ = h.Process.Kill() // fails if it has ended
		h.reaped.Wait()
	})
	return h
}

// ready reports what a hub's /readyz says.
func (h *hubChild) ready() (status int, says string) {
	reply, err := http.Get(h.url + "/readyz")
	if err != nil {
		return 0, err.Error()
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return 0, err.Error()
	}
	return reply.StatusCode, string(text)
}

// TestTakeover ends the owner of a queue on three NATS servers in each way, while a trainer waits
// at it for a batch and a client follows its events. The standby has the groups, and after an
// orderly end it does not wait for signs of life. With -v it tells how long no hub was ready.
func TestTakeover(t *testing.T) {
	t.Parallel()
	defer http.DefaultClient.CloseIdleConnections()
	cluster := startNodes(t)
	owner := startChild(t, cluster)
	within(t, "no hub is ready", func() bool { status, _ := owner.ready(); return status == http.StatusOK })
	ways := []struct {
		name   string
		signal syscall.Signal
	}{{"ended in order", syscall.SIGTERM}, {"killed", syscall.SIGKILL}, {"paused", syscall.SIGSTOP}}
	askHub(t, 200, "POST "+owner.url+"/register", "", `{"wandb_group":"g","wandb_project":"p","batch_size":1000,"max_token_len":64,`+
		`"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":1000}`)
	took := make([][]time.Duration, len(ways))
	groups := 0
	for range *takeovers {
		for i, way := range ways {
			standby := startChild(t, cluster)
			within(t, "the standby names no owner", func() bool {
				_, says := standby.ready()
				return strings.Contains(says, fmt.Sprintf("process %d on", owner.Process.Pid))
			})
			askHub(t, 200, "POST "+owner.url+"/scored_data", "", fmt.Sprintf(`{"tokens":[[1],[%d]],"masks":[[1],[2]],"scores":[1,0]}`, groups))
			groups++
			waiting := owner.keepBusy(t)
			begin := time.Now()
			if err := owner.Process.Signal(way.signal); err != nil {
				t.Fatal(err)
			}
			within(t, "the standby does not take over", func() bool { status, _ := standby.ready(); return status == http.StatusOK })
			took[i] = append(took[i], time.Since(begin))
			owner.over(t, way.signal)
			waiting.Wait()
			if way.signal == syscall.SIGTERM && strings.Contains(standby.said.String(), "no sign of life") {
				t.Errorf("the owner has not released the queue:\n%s", standby.said.String())
			}
			if stats := askHub(t, 200, "GET "+standby.url+"/v1/runs/default/stats", "", ""); !strings.Contains(strings.ReplaceAll(stats, " ", ""), fmt.Sprintf(`"waiting":{"groups":%d,`, groups)) {
				t.Fatalf("want %d groups: %s", groups, stats)
			}
			owner = standby
		}
	}
	for i, way := range ways {
		slices.Sort(took[i])
		t.Logf("owner %s: %d times; no hub was ready for %.2f s in the middle, %.2f s at most", way.name, len(took[i]), took[i][len(took[i])/2].Seconds(), took[i][len(took[i])-1].Seconds())
	}
}

// keepBusy has a trainer wait for a batch and a client follow the events until the hub ends.
func (h *hubChild) keepBusy(t *testing.T) *sync.WaitGroup {
	t.Helper()
	all := &sync.WaitGroup{}
	all.Go(func() {
		if reply, err := http.Post(h.url+"/v1/runs/default/batches?wait=60", "application/json", nil); err == nil {
			reply.Body.Close()
		}
	})
	events, err := http.Get(h.url + "/v1/runs/default/events")
	if err != nil {
		t.Fatal(err)
	}
	all.Go(func() {
		_, _ = io.Copy(io.Discard, events.Body) // fails when the hub is killed
		events.Body.Close()
	})
	return all
}

// over waits for the end of a hub that got a signal.
func (h *hubChild) over(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if signal == syscall.SIGSTOP {
		if err := h.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-h.ended:
		if signal == syscall.SIGTERM && err != nil {
			t.Errorf("the owner ended with %v:\n%s", err, h.said.String())
		}
		if signal == syscall.SIGSTOP && !strings.Contains(h.said.String(), queue.ErrFenced.Error()) {
			t.Errorf("an owner that was replaced says:\n%s", h.said.String())
		}
	case <-time.After(time.Minute):
		t.Fatalf("the owner does not end:\n%s", h.said.String())
	}
}
