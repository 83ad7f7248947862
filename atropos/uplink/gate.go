package uplink

import (
	"context"
	"math"
	"sync"
)

// Limits say how far an environment may be ahead of the trainer, and how much it may do at
// once.
type Limits struct {
	GroupSize  int
	BatchSize  int      // sequences, if the hub does not say it
	OffPolicy  int      // batches that may wait; 1 or more
	Minimum    *float64 // share of each batch that the environment gives, 0 to 1; nil: none
	Workers    int      // groups under way at once
	Requests   int      // that the servers take at once, of which the environment has the share of its weight
	ExamShare  float64  // of the groups that may be under way while the policy is examined, 0 to 1
	NoExamHold bool     // playing goes on as before then
}

// Allowed is how many groups may be under way or on their way to a hub with a status, whose
// batches have a number of sequences: the rule of Atropos' environments.
//
// It plays ahead of the trainer by OffPolicy batches, of which it has the share that is not
// allocated to others, and pauses when as many wait, unless its own minimum is not met.
func (l Limits) Allowed(s Status, batch int) int {
	ahead := l.OffPolicy * batch // sequences
	share := s.Unallocated
	if l.Minimum != nil {
		share += *l.Minimum
	}
	allowed := int(share*float64(batch))*l.OffPolicy/l.GroupSize - s.Queued
	if l.Minimum == nil {
		if s.Queued*l.GroupSize >= ahead {
			return 0
		}
		return max(0, allowed)
	}
	// Of its minimum, in packs of the largest size that waits.
	pack := max(s.MaxGroup, l.GroupSize)
	packs := int(math.Ceil(*l.Minimum * float64(ahead) / float64(pack)))
	if s.Queued*l.GroupSize >= ahead && packs*(pack/l.GroupSize) <= s.Own {
		return 0
	}
	own := (packs+pack/l.GroupSize)*pack - s.Own*l.GroupSize // sequences
	return max(0, allowed, int(math.Ceil(float64(own)/float64(l.GroupSize))))
}

// running is how many groups may be played at once with a share of the servers.
func (l Limits) running(weight float64) int {
	if !(weight > 0) {
		return 1
	}
	return max(1, min(l.Workers, int(math.Ceil(min(1, weight)*float64(l.Requests)))))
}

// A gate lets groups start.
type gate struct {
	lock    sync.Mutex
	changed chan struct{} // closed and replaced when more may start

	most    int     // groups that are under way, or on their way to the hub
	atOnce  int     // groups that are played
	held    float64 // share of atOnce that may be played; 1: nobody holds the gate
	playing int
	pending int // played, kept to be sent, or sent since the status that counts
}

// newGate returns a gate that is shut; waiting groups were left by an earlier process.
func newGate(waiting int) gate {
	return gate{changed: make(chan struct{}), held: 1, pending: waiting}
}

// Enter waits until another group may start. If ctx ends first, it returns its cause.
func (g *gate) Enter(ctx context.Context) error {
	for {
		g.lock.Lock()
		if g.pending < g.most && g.playing < int(math.Ceil(g.held*float64(g.atOnce))) {
			g.playing++
			g.pending++
			g.lock.Unlock()
			return nil
		}
		changed := g.changed
		g.lock.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Ended says that a group that entered was played, and is kept to be sent, or is not.
func (g *gate) Ended(kept bool) {
	g.change(func() {
		g.playing--
		if !kept {
			g.pending--
		}
	})
}

// leave says that groups are not on their way any more.
func (g *gate) leave(groups int) {
	g.change(func() { g.pending = max(0, g.pending-groups) })
}

// limit sets how many groups may be under way, and how many played at once.
func (g *gate) limit(most, atOnce int) {
	g.change(func() { g.most, g.atOnce = most, atOnce })
}

// hold lets only a share of the groups be played.
func (g *gate) hold(share float64) { g.change(func() { g.held = share }) }

// change calls f and wakes all that wait.
func (g *gate) change(f func()) {
	g.lock.Lock()
	defer g.lock.Unlock()
	f()
	close(g.changed)
	g.changed = make(chan struct{})
}
