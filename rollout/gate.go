// Package rollout plays episodes against a policy, many at a time, and makes
// groups of them.
package rollout

import (
	"context"
	"sync"
)

// A Gate bounds how stale training data can be, by refusing to start episodes
// that could only be trained on too late. The rule is AReaL's.
type Gate struct {
	Batch  int // episodes that one training step consumes
	MaxLag int // policy versions between an episode's start and its training; 0 is on-policy
}

// Room returns how many more episodes may start now, where version is the
// policy's version and admitted counts the episodes that were ever started, less
// those that were dropped. The first version is 0.
func (g Gate) Room(version, admitted int) int {
	return max(0, (version+g.MaxLag+1)*g.Batch-admitted)
}

// An Admission is a Gate with its two numbers. Many goroutines may use it.
type Admission struct {
	gate Gate

	mu       sync.Mutex
	version  int
	admitted int
	changed  chan struct{} // closed and replaced at every change that may make room
}

// NewAdmission returns an admission at a version, where waiting episodes are
// already played and not yet consumed. After a restart the episodes of earlier
// versions count as consumed, so that a run that continues does not burst.
func NewAdmission(g Gate, version, waiting int) *Admission {
	return &Admission{gate: g, version: version, admitted: version*g.Batch + waiting, changed: make(chan struct{})}
}

// Enter waits until n episodes may start, and counts them as started. The error is
// the cause of ctx.
func (a *Admission) Enter(ctx context.Context, n int) error {
	for {
		a.mu.Lock()
		if a.gate.Room(a.version, a.admitted) >= n {
			a.admitted += n
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

// Leave takes back n episodes that will not be trained on.
func (a *Admission) Leave(n int) {
	a.change(func() { a.admitted -= n })
}

// Advance sets the policy's version. A lower one than before is not taken.
func (a *Admission) Advance(version int) {
	a.change(func() { a.version = max(a.version, version) })
}

// Version returns the policy's version.
func (a *Admission) Version() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.version
}

// change does f and wakes all who wait.
func (a *Admission) change(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	close(a.changed)
	a.changed = make(chan struct{})
}
