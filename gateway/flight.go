package gateway

import (
	"context"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
)

// mostFlights is how many calls of a session are remembered, for clients that ask again.
const mostFlights = 64

// A flight is a call under way or done. Several requests may wait for it: a client that
// lost the connection asks again, and gets the same reply.
type flight struct {
	id    string           // of the call
	req   *dialect.Request // nil: of another process
	body  tree.Digest      // of the request
	done  chan struct{}    // closed when nodes and err are there
	nodes []*tree.Node     // a reply each
	at    time.Time        // of the commit
	place tree.Place       // in the tree; known before done
	live  liveText         // of a stream
	err   error

	cancel context.CancelCauseFunc // ends it before its time; nil: of another process

	// The session's mutex guards the rest.
	holds   int         // requests that wait for it, and the call itself while it is under way
	alone   *time.Timer // runs while nobody waits, and then ends the call; nil: somebody does
	arrived bool        // a client got all of the reply
}

func (f *flight) stopTimer() {
	if f.alone != nil {
		f.alone.Stop()
		f.alone = nil
	}
}

// flights are the last calls of a session by what was asked.
type flights struct {
	by    map[tree.Digest]*flight
	order []tree.Digest
}

func newFlights() flights { return flights{by: map[tree.Digest]*flight{}} }

// underway reports whether the reply is still to come.
func (f *flight) underway() bool {
	select {
	case <-f.done:
		return false
	default:
		return true
	}
}

// add remembers a flight.
func (f *flights) add(d tree.Digest, one *flight) {
	if f.by[d] != nil {
		f.order = slices.DeleteFunc(f.order, func(other tree.Digest) bool { return other == d })
	}
	f.order, f.by[d] = append(f.order, d), one
	for i := 0; len(f.order) > mostFlights && i < len(f.order); {
		if f.by[f.order[i]].underway() { // whoever asks for it again must not get another
			i++
			continue
		}
		delete(f.by, f.order[i])
		f.order = slices.Delete(f.order, i, i+1)
	}
}

// arrived says whether the reply of a restored flight arrived.
func (f *flights) arrived(n *tree.Node, did bool) {
	for _, one := range f.by {
		if len(one.nodes) > 0 && one.nodes[0] == n {
			one.arrived = did
		}
	}
}

// drop forgets a flight that failed: who asks again gets a new reply.
func (f *flights) drop(d tree.Digest, one *flight) {
	if f.by[d] == one {
		delete(f.by, d)
		f.order = slices.DeleteFunc(f.order, func(other tree.Digest) bool { return other == d })
	}
}
