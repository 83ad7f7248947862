package gateway

import (
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
	err   error

	// The session's mutex guards the rest.
	waiting int           // requests that wait
	left    chan struct{} // closed and replaced when a request goes
	arrived bool          // a client got all of the reply
}

// flights are the last calls of a session by what was asked.
type flights struct {
	by    map[tree.Digest]*flight
	order []tree.Digest
}

func newFlights() flights { return flights{by: map[tree.Digest]*flight{}} }

// asked is the digest of a request: its route, the client's key for it, and its body, byte
// by byte.
func asked(route, key string, body []byte) tree.Digest {
	return tree.Sum([]byte(route), []byte(key), body)
}

// add remembers a flight.
func (f *flights) add(d tree.Digest, one *flight) {
	if f.by[d] == nil {
		f.order = append(f.order, d)
	}
	f.by[d] = one
	for len(f.order) > mostFlights {
		delete(f.by, f.order[0])
		f.order = f.order[1:]
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
		for i, at := range f.order {
			if at == d {
				f.order = append(f.order[:i:i], f.order[i+1:]...)
				break
			}
		}
	}
}
