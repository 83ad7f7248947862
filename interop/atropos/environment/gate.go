package environment

import (
	"context"
	"math"
	"sync"

	"github.com/quintain-rl/quintain/internal/pause"
)

// LinkLimits bounds how far an environment may be ahead of the trainer, and how much it may do
// at once.
type LinkLimits struct {
	GroupSize  int
	BatchSize  int      // sequences, unless the hub sets it
	OffPolicy  int      // batches that may wait; 1 or more
	Minimum    *float64 // the environment's least share of each batch, 0 to 1; nil: none
	Workers    int      // groups in flight
	Requests   int      // concurrent requests of the servers; the environment gets the share of its weight
	ExamShare  float64  // share of the groups in flight during an evaluation, 0 to 1
	NoExamHold bool     // play on as before during an evaluation
}

// Allowed returns how many groups may be in play or on their way to a hub, given its status
// and the sequences per batch: the rule of Atropos' environments.
//
// The environment plays OffPolicy batches ahead of the trainer, of which it has the share
// that no other environment has reserved. It pauses when as many batches wait, unless its
// own minimum is not met.
func (l LinkLimits) Allowed(s LinkStatus, batch int) int {
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
	// Its minimum is counted in packs of the largest waiting size.
	pack := max(s.MaxGroup, l.GroupSize)
	packs := int(math.Ceil(*l.Minimum * float64(ahead) / float64(pack)))
	if s.Queued*l.GroupSize >= ahead && packs*(pack/l.GroupSize) <= s.Own {
		return 0
	}
	own := (packs+pack/l.GroupSize)*pack - s.Own*l.GroupSize // sequences
	return max(0, allowed, int(math.Ceil(float64(own)/float64(l.GroupSize))))
}

// running returns how many groups may be played at once with a share of the servers.
func (l LinkLimits) running(weight float64) int {
	if !(weight > 0) {
		return 1
	}
	return max(1, min(l.Workers, int(math.Ceil(min(1, weight)*float64(l.Requests)))))
}

// A gate admits groups.
type gate struct {
	lock    sync.Mutex
	changed pause.Signal // more may start

	most    int     // groups in play or on their way to the hub
	atOnce  int     // groups in play
	held    float64 // share of atOnce that may be in play; 1: nobody holds the gate
	playing int
	pending int // played, waiting to be sent, or sent since the status in force
}

// newGate returns a closed gate; waiting counts the groups left by an earlier process.
func newGate(waiting int) gate {
	return gate{held: 1, pending: waiting}
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
		changed := g.changed.Next()
		g.lock.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Ended records that an admitted group was played, and whether it is kept for sending.
func (g *gate) Ended(kept bool) {
	g.change(func() {
		g.playing--
		if !kept {
			g.pending--
		}
	})
}

// leave takes groups off the way to the hub.
func (g *gate) leave(groups int) {
	g.change(func() { g.pending = max(0, g.pending-groups) })
}

// limit sets how many groups may be in flight, and how many in play.
func (g *gate) limit(most, atOnce int) {
	g.change(func() { g.most, g.atOnce = most, atOnce })
}

// hold lets only a share of the groups be in play.
func (g *gate) hold(share float64) { g.change(func() { g.held = share }) }

// change calls f and wakes all waiters.
func (g *gate) change(f func()) {
	g.lock.Lock()
	defer g.lock.Unlock()
	f()
	g.changed.Wake()
}
