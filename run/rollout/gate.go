// Package rollout plays many episodes at once against a policy, and turns them into groups.
package rollout

import (
	"context"
	"sync"

	"github.com/quintain-rl/quintain/internal/pause"
)

// A Gate bounds the staleness of training data: it holds back episodes that could only be
// trained on too late. The rule is AReaL's, without its counts since the beginning.
type Gate struct {
	Batch  int // episodes that one training step consumes
	MaxLag int // policy versions between an episode's start and its training; 0 is on-policy
}

// Room returns how many more episodes may start now. pending counts the episodes that were
// started and neither trained on nor dropped: they are trained on first. behind counts the
// trainer's steps that have not reached the policy's weights.
func (g Gate) Room(pending, behind int) int {
	return max(0, (g.MaxLag+1-behind)*g.Batch-pending)
}

// An Admission is a Gate that keeps its own counts. Many goroutines may use it at once.
type Admission struct {
	gate Gate

	mu      sync.Mutex
	pending int
	behind  int
	changed pause.Signal
}

// NewAdmission returns an admission; pending is the number of episodes that an earlier
// process left.
func NewAdmission(g Gate, pending int) *Admission {
	return &Admission{gate: g, pending: pending}
}

// Enter waits until n episodes may start, and counts them as pending. If ctx ends first, it
// returns the cause of ctx.
func (a *Admission) Enter(ctx context.Context, n int) error {
	for {
		a.mu.Lock()
		if a.gate.Room(a.pending, a.behind) >= n {
			a.pending += n
			a.mu.Unlock()
			return nil
		}
		changed := a.changed.Next()
		a.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Resume counts n episodes as pending that an earlier process let in.
func (a *Admission) Resume(n int) { a.change(func() { a.pending += n }) }

// Room is how many more episodes may start now.
func (a *Admission) Room() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gate.Room(a.pending, a.behind)
}

// Leave gives up n episodes: they will not be trained on.
func (a *Admission) Leave(n int) { a.change(func() { a.settle(n) }) }

// Trained records that n episodes were trained on, and how many steps the policy's weights
// are now behind.
func (a *Admission) Trained(n, behind int) {
	a.change(func() {
		a.settle(n)
		a.behind = behind
	})
}

// Resize sets the number of episodes that one training step consumes.
func (a *Admission) Resize(batch int) {
	a.mu.Lock()
	same := a.gate.Batch == batch
	a.mu.Unlock()
	if !same {
		a.change(func() { a.gate.Batch = batch })
	}
}

// Pending is the number of episodes that were started and neither trained on nor dropped.
func (a *Admission) Pending() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pending
}

// settle takes n episodes off the pending ones. Episodes of other runs may have been
// trained on. The caller holds a.mu.
func (a *Admission) settle(n int) { a.pending = max(0, a.pending-n) }

// change calls f and wakes all waiting callers.
func (a *Admission) change(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	a.changed.Wake()
}
