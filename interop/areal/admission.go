package areal

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/stats"
)

// Limits bounds the rollouts in flight and their staleness: the versions by which the
// weights may change until a rollout is trained on. A rollout is the playing of one
// problem, however many episodes that takes.
type Limits struct {
	Concurrent int           // concurrent rollouts (max_concurrent_rollouts); below 1 means 1
	Lag        int           // versions (max_head_offpolicyness), 0 or more
	Batch      int           // rollouts per training step; below 1 means 1
	Timeout    time.Duration // after which an unfinished rollout counts as rejected; 0: never
}

// Counts counts rollouts.
type Counts struct {
	Submitted int // admitted since the process began
	Running   int // admitted and unfinished
	Accepted  int // finished, for training; includes earlier processes
	Rejected  int // finished otherwise, since the process began
}

// Capacity returns how many more rollouts may start at a version of the weights; it may be
// negative. It is the rule of AReaL's staleness manager.
func (l Limits) Capacity(c Counts, version int) int {
	return min(max(1, l.Concurrent)-c.Running, (l.Lag+version+1)*max(1, l.Batch)-(c.Accepted+c.Running))
}

// refusal returns why no rollout may start; empty: one may.
func (l Limits) refusal(c Counts, version int) string {
	switch {
	case l.Capacity(c, version) > 0:
		return ""
	case c.Running >= max(1, l.Concurrent):
		return fmt.Sprintf("capacity: %s running, of %d that may", stats.Count(c.Running, "rollout"), max(1, l.Concurrent))
	}
	return fmt.Sprintf("staled: %s accepted or running, of %d that version %d may be trained on with an offpolicyness of %d",
		stats.Count(c.Accepted+c.Running, "rollout"), (l.Lag+version+1)*max(1, l.Batch), version, l.Lag)
}

// ErrNotRunning says that a rollout was not admitted, or has finished.
var ErrNotRunning = errors.New("no rollout of this name is running")

// An Admission admits rollouts. Many goroutines may use it at once.
type Admission struct {
	mu      sync.Mutex
	counts  Counts
	running map[string]time.Time // time of admission, by name
}

// Recover returns an admission for weights of a version. The rollouts behind that version
// count as accepted: otherwise a process that resumes a run would admit all of them again.
func Recover(l Limits, version int) *Admission {
	return &Admission{counts: Counts{Accepted: version * max(1, l.Batch)}, running: map[string]time.Time{}}
}

// Allocate admits a rollout, or returns why it may not start. A running one is admitted
// again without being counted twice: the reply to the first request may have been lost.
func (a *Admission) Allocate(id string, l Limits, version int) (refusal string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for other, since := range a.running {
		if l.Timeout > 0 && now.Sub(since) > l.Timeout {
			a.finish(other, false)
		}
	}
	if _, again := a.running[id]; again {
		return ""
	}
	if refusal = l.refusal(a.counts, version); refusal == "" {
		a.running[id] = now
		a.counts.Submitted++
		a.counts.Running++
	}
	return refusal
}

// Finish ends a rollout: accepted for training, or rejected, which frees its place. The
// error is [ErrNotRunning].
func (a *Admission) Finish(id string, accepted bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.running[id]; !ok {
		return ErrNotRunning
	}
	a.finish(id, accepted)
	return nil
}

// finish ends a running rollout. The caller holds a.mu.
func (a *Admission) finish(id string, accepted bool) {
	delete(a.running, id)
	a.counts.Running--
	if accepted {
		a.counts.Accepted++
	} else {
		a.counts.Rejected++
	}
}

// Counts returns the counts.
func (a *Admission) Counts() Counts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counts
}
