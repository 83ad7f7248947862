package run_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A counter deals out small blocks, each index once. Every third request fails.
type counter struct {
	mu       sync.Mutex
	requests int
	next     map[string]int
}

func (c *counter) Allocate(_ context.Context, wants []rollout.Want) (blocks []rollout.Block, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests++; c.requests%3 == 1 {
		return nil, errors.New("the allocator is away")
	}
	if c.requests%3 == 2 {
		return blocks, nil // too few
	}
	for _, w := range wants {
		from := max(c.next[w.Stream], w.Least)
		c.next[w.Stream] = from + 8
		blocks = append(blocks, rollout.Block{From: from, To: from + 8})
	}
	return blocks, nil
}

// Runs with one allocator play different problems, one after another of one process and of the
// next, and wait while the allocator is away.
func TestDealer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		allocator, seen := &counter{next: map[string]int{}}, &events{}
		stores := []queue.Store{queue.NewMemory(), queue.NewMemory(), queue.NewMemory()}
		for range 2 {
			var all sync.WaitGroup
			for _, store := range stores {
				q := open(t, store)
				s := &shop{want: 60}
				c := selling(t, q, s)
				c.Trainer.Allocator, c.Sinks = allocator, []run.Sink{seen}
				all.Go(func() {
					finish(t, c)
					if err := q.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		times := map[quintain.Origin]int{}
		for _, p := range of[run.Played](seen) {
			if p.Drop == rollout.DropCancelled || p.Again {
				continue
			}
			problem := p.Job.Problem
			times[quintain.Origin{Task: problem.Task, Seed: problem.Seed, Index: problem.Index}]++
		}
		for problem, n := range times {
			if n > 1 {
				t.Errorf("problem %+v was played %d times", problem, n)
			}
		}
		if len(times) < 300 {
			t.Errorf("%d problems", len(times))
		}
	})
}
