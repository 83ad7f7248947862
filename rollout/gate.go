// Package rollout plays many episodes at a time against a policy, and makes groups of
// them.
package rollout

import (
	"context"
	"sync"
)

// A Gate bounds the staleness of training data: it does not let episodes start that
// could only be trained on too late. The rule is AReaL's.
type Gate struct {
	Batch  int // episodes that one training step consumes
	MaxLag int // policy versions between an episode's start and its training; 0 is on-policy
}

// Room returns how many more episodes may start now. version is the policy's version,
// beginning with 0. admitted counts all episodes ever started, minus those that were
// dropped.
func (g Gate) Room(version, admitted int) int {
	return max(0, (version+g.MaxLag+1)*g.Batch-admitted)
}

// An Admission is a Gate that keeps its version and its count. Many goroutines may use
// it at once.
type Admission struct {
	gate Gate

	mu       sync.Mutex
	version  int
	admitted int
	changed  chan struct{} // closed and replaced at every change
}

// NewAdmission returns an admission at a version; waiting is the number of episodes
// already played but not yet consumed. The episodes of earlier versions count as
// consumed, so that a restarted run does not start too many at once.
func NewAdmission(g Gate, version, waiting int) *Admission {
	return &Admission{gate: g, version: version, admitted: version*g.Batch + waiting, changed: make(chan struct{})}
}

// Enter waits until n episodes may start, and counts them as started. If ctx ends
// first, it returns the cause of ctx.
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

// Leave subtracts n episodes that will not be trained on.
func (a *Admission) Leave(n int) {
	a.change(func() { a.admitted -= n })
}

// Advance sets the policy's version. A lower version than before is ignored.
func (a *Admission) Advance(version int) {
	a.change(func() { a.version = max(a.version, version) })
}

// Version returns the policy's version.
func (a *Admission) Version() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.version
}

// change calls f and wakes all callers that wait.
func (a *Admission) change(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	close(a.changed)
	a.changed = make(chan struct{})
}
