package worker_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// weights are those of a small model, as a file of a version.
func weights(t testing.TB, version int32) []byte {
	t.Helper()
	m, err := transformer.New(transformer.Config{Vocab: tiny.Size, Context: 2000, Layers: 1, Width: 16, Heads: 1, Hidden: 16}, uint64(version))
	if err != nil {
		t.Fatal(err)
	}
	chance := rng.New(uint64(version), "weights")
	for i := range m.Params() {
		m.Params()[i] = float32(chance.Float() - 0.5)
	}
	file, err := tiny.WriteVersion(m, nil, version)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// weigh sends the weights of the coordinator's version to a worker that has others, or none for now.
func (c *coordinator) weigh(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	wait, err := strconv.Atoi(q.Get("wait"))
	if err != nil {
		c.t.Error(err)
	}
	c.mu.Lock()
	has, waits := q.Get("after") == strconv.Itoa(c.version), c.waits
	c.mu.Unlock()
	if has {
		ctx, end := context.WithTimeout(r.Context(), time.Duration(wait)*time.Second)
		defer end()
		select {
		case <-waits:
		case <-ctx.Done():
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	file := weights(c.t, int32(c.version))
	if c.torn > 0 {
		c.torn--
		file = file[:len(file)/2]
	}
	if _, err := w.Write(file); err != nil {
		c.t.Error(err)
	}
}

// asTiny has a worker play the tiny policy.
func asTiny(to *worker.Config) {
	of := player.Default(player.Tiny)
	of.Sampling.MaxTokens = 8
	to.Player = &of
}

func TestATinyPolicyTakesEachVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 1)
		c.torn = 2
		p := c.start(asTiny)
		c.until(func() bool { return len(c.finished) == 1 })
		c.set(func() { c.version, c.left = 9, 1 }) // its group waits for the weights
		c.until(func() bool { return len(c.finished) == 2 })
		if err := p.end(); err != nil {
			t.Error(err)
		}
		for number, version := range map[uint64]int32{1: 7, 2: 9} {
			for _, e := range c.finished[number].Episodes {
				if got := e.Turns[0].Versions; slices.Min(got) != version || slices.Max(got) != version {
					t.Errorf("lease %d: versions %v, want %d", number, got, version)
				}
			}
		}
		has(t, p.text(), "waiting for the weights: ", "truncated", "the weights are here", "sampling with version 7 of the run's model")
	})
}

// A version below the one before is of older data, or of another run: its label would be wrong.
func TestOlderWeightsEndTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 0)
		p := c.start(asTiny)
		c.until(func() bool { return len(c.told) == 1 })
		c.set(func() { c.version = 6 })
		<-p.done
		if p.err == nil {
			t.Fatal("no error")
		}
		has(t, p.err.Error(), "start the worker again", "version 6 after those of 7")
	})
}

func TestARunWithoutWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCoordinator(t, 0)
		c.fault = func(r *http.Request) int {
			if kind(r) == "GET weights" {
				return http.StatusNotFound
			}
			return 0
		}
		_, _, err := c.hire(asTiny)
		var invalid player.InvalidError
		if !errors.As(err, &invalid) {
			t.Fatalf("error %v, want one of a setting", err)
		}
		has(t, err.Error(), "policy.kind", "leave the policy to the run's settings", "the reason")
	})
}
