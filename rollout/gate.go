// Package rollout plays many episodes at a time against a policy, and makes groups of
// them.
package rollout

import (
	"context"
	"sync"
)

// A Gate bounds the staleness of training data: it does not let episodes start that
// could only be trained on too late. The rule is AReaL's, without its counts of all that
// ever was.
type Gate struct {
	Batch  int // episodes that one training step consumes
	MaxLag int // policy versions between an episode's start and its training; 0 is on-policy
}

// Room returns how many more episodes may start now. Pending counts the episodes that
// were started and neither trained on nor dropped: they are trained on first. Behind is
// how many steps the trainer has made that are not yet in the policy's weights.
func (g Gate) Room(pending, behind int) int {
	return max(0, (g.MaxLag+1-behind)*g.Batch-pending)
}

// An Admission is a Gate that keeps its counts. Many goroutines may use it at once.
type Admission struct {
	gate Gate

	mu      sync.Mutex
	pending int
	behind  int
	changed chan struct{} // closed and replaced at every change
}

// NewAdmission returns an admission; pending is the number of episodes that an earlier
// process left.
func NewAdmission(g Gate, pending int) *Admission {
	return &Admission{gate: g, pending: pending, changed: make(chan struct{})}
}

// Enter waits until n episodes may start, and counts them as pending. If ctx ends
// first, it returns the cause of ctx.
func (a *Admission) Enter(ctx context.Context, n int) error {
	for {
		a.mu.Lock()
		if a.gate.Room(a.pending, a.behind) >= n {
			a.pending += n
			a.mu.Unlock()
			return nil
		}
		changed := a.changed
		a.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Leave says that n episodes will not be trained on.
func (a *Admission) Leave(n int) { a.change(func() { a.settle(n) }) }

// Trained says that n episodes were trained on, and how many steps the policy's weights
// are behind after that.
func (a *Admission) Trained(n, behind int) {
	a.change(func() {
		a.settle(n)
		a.behind = behind
	})
}

// settle takes n episodes off those that are pending. Others than those of this run may
// have been trained on. a.mu is held.
func (a *Admission) settle(n int) { a.pending = max(0, a.pending-n) }

// change calls f and wakes all callers that wait.
func (a *Admission) change(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	close(a.changed)
	a.changed = make(chan struct{})
}
