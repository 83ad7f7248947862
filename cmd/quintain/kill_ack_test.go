package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// An acker is a trainer of /v1, which acknowledges each batch, again and again until it
// knows that it is.
type acker struct {
	*hubDrive
	name   string
	number string // of the batch whose acknowledgement was not answered; empty: none
	groups []int  // of that
}

// step takes a batch and acknowledges it, or finishes that for the last one. It reports
// whether there was one.
func (a *acker) step(ctx context.Context) (bool, error) {
	if a.number == "" {
		if err := a.take(ctx); err != nil || a.number == "" {
			return false, err
		}
	}
	reply, err := a.ask(ctx, "/batches/"+a.number+"/ack?trainer="+a.name)
	if err != nil {
		return false, err // it may or may not be acknowledged: ask again
	}
	reply.Body.Close()
	switch status := reply.StatusCode; status {
	case http.StatusOK:
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, n := range a.groups {
			a.finished[n] = true
		}
	case http.StatusConflict, http.StatusGone: // after a kill it may be the other's
	default:
		return false, fmt.Errorf("ack: status %d", status)
	}
	a.number = ""
	return true, nil
}

// take takes a batch, if there is one.
func (a *acker) take(ctx context.Context) error {
	reply, err := a.ask(ctx, "/batches?wait=50ms&trainer="+a.name)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return nil
	}
	var body struct {
		Batch []struct {
			Tokens [][]int `json:"tokens"`
		} `json:"batch"`
	}
	if err := json.NewDecoder(reply.Body).Decode(&body); err != nil {
		return err
	}
	a.number, a.groups = reply.Header.Get("Quintain-Batch"), nil
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, g := range body.Batch {
		n := g.Tokens[0][0]
		if a.finished[n] {
			a.twice = append(a.twice, n)
		}
		a.groups = append(a.groups, n)
		a.delivered[n] = true
	}
	return nil
}

// ask makes a request of /v1.
func (a *acker) ask(ctx context.Context, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/v1/runs/default"+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	return http.DefaultClient.Do(r)
}

// TestKilledHubAndAckers kills quintain hub at random moments while two trainers take and
// acknowledge batches by /v1. Every group that the hub acknowledged is delivered, and
// none again after a trainer's acknowledgement was answered.
func TestKilledHubAndAckers(t *testing.T) {
	port, data := freePort(t), t.TempDir()
	d := &hubDrive{url: "http://127.0.0.1:" + port, posted: map[int]bool{}, delivered: map[int]bool{}, finished: map[int]bool{}}
	trainers := []*acker{{hubDrive: d, name: "a"}, {hubDrive: d, name: "b"}}
	defer http.DefaultClient.CloseIdleConnections()
	for round := range killRounds + 1 {
		c := program(t, "hub", "--data", data, "--port", port)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		d.awaitHub(t)
		if round == 0 {
			d.register(t)
		}
		if round < killRounds {
			loadAckers(t, d, trainers, func() { _ = c.Process.Kill() })
		} else {
			drainAckers(t, trainers)
		}
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	}
	lost := 0
	for n := range d.posted {
		if !d.finished[n] {
			lost++
		}
	}
	if lost > 3 { // those make no whole batch
		t.Errorf("%d groups were acknowledged and are lost", lost)
	}
	if len(d.twice) > 0 {
		t.Errorf("groups %v came again after they were acknowledged", d.twice)
	}
	if len(d.posted) < 2*killRounds {
		t.Errorf("only %d groups in %d rounds: the test tests nothing", len(d.posted), killRounds)
	}
	t.Logf("%d kills: %d groups acknowledged to environments, %d by trainers", killRounds, len(d.posted), len(d.finished))
}

// loadAckers posts and takes until the hub is killed after a while.
func loadAckers(t *testing.T, d *hubDrive, trainers []*acker, kill func()) {
	var clients sync.WaitGroup
	ctx := d.killUnderWay(t, &clients, kill)
	for range 3 {
		clients.Go(func() { d.post(ctx) })
	}
	for _, a := range trainers {
		clients.Go(func() {
			for ctx.Err() == nil {
				if _, err := a.step(ctx); err != nil {
					continue // the hub is gone, or about to be
				}
			}
		})
	}
	clients.Wait()
}

// drainAckers takes and acknowledges all that there is. After a kill everything is due
// at once, whoever had it.
func drainAckers(t *testing.T, trainers []*acker) {
	t.Helper()
	for more := true; more; {
		more = false
		for _, a := range trainers {
			got, err := a.step(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			more = more || got
		}
	}
}
