package fleet

import (
	"context"
	"time"

	"github.com/quintain-rl/quintain/run/rollout"
)

// phases are those of a coordinator: leases of an earlier process are taken over when the first
// evaluation begins, or the run begins to play; it plays; it plays no more, and holds a last evaluation.
type phases struct{ *Coordinator }

// takeOver holds the leases of an earlier process, whose time begins anew. c.mu is held.
func (c phases) takeOver() {
	if c.taken {
		return
	}
	c.taken = true
	now := time.Now()
	for _, l := range c.book.Open() {
		w := c.workers[l.Instance]
		if w == nil {
			w = &worker{Worker: Worker{Instance: l.Instance, Name: "(of an earlier process)", Since: now, LastSeen: now}, holds: map[uint64]*held{}}
			c.workers[l.Instance] = w
		}
		c.hold(w, &held{Lease: l, size: c.config.GroupSize, granted: now})
	}
}

// open lets groups begin, and counts those of an earlier process.
func (c phases) open(ctx context.Context, t Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takeOver()
	for _, l := range c.book.Open() {
		h := c.held[l.Number]
		if h == nil {
			continue // its worker is giving it back
		}
		job := t.Job(l.Problem)
		if job.Number() < 0 {
			c.overtaken(h, job)
			continue
		}
		t.Resume()
		h.job = job
	}
	c.table, c.last, c.running = t, t, ctx
	c.exams.wake()
}

// overtaken closes a lease of an earlier process whose problem was finished just before that
// process ended, or whose stream is no more. c.mu is held.
func (c phases) overtaken(h *held, job rollout.Job) {
	if job.Scenario == nil {
		c.book.Return(h.Number)
	} else {
		c.book.Finish(h.Number, string(rollout.DropDuplicate))
	}
	c.drop(h)
	if w := c.workers[h.Instance]; w != nil && w.Slots == 0 && len(w.holds) == 0 {
		delete(c.workers, h.Instance)
	}
}

// close ends the grants of groups, and waits for the finishes under way.
func (c phases) close() {
	c.mu.Lock()
	c.table = nil
	var busy []chan struct{}
	for _, h := range c.held {
		if h.busy != nil && h.asked == nil {
			busy = append(busy, h.busy)
		}
	}
	c.mu.Unlock()
	for _, b := range busy {
		<-b
	}
}
