package registry

import (
	"hash/maphash"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
)

// Twins finds problems that several environments play: those of one configuration and seed
// play the same ones. It remembers the last problems. Many goroutines may use it at once; the
// zero value is ready.
type Twins struct {
	mu    sync.Mutex        // guards the rest
	seed  maphash.Seed      // zero until the first problem
	from  map[uint64]uint64 // the environment's run by the problem, both as hashes
	last  []uint64          // problems in from, in a ring
	next  int               // place in last of the next problem
	found bool              // it has found one
}

// mostTwins is the number of problems to remember.
const mostTwins = 1 << 16

// A Play says which problem a group answers, and who played it.
type Play struct {
	Problem quintain.Origin
	By      string // the run in the environment; empty: unknown
}

// PlayOf returns who played the problem of a group, if an environment of Quintain did: it
// names its groups by its run and their number there.
func PlayOf(g *quintain.Group) (p Play) {
	if run, _, named := strings.Cut(g.ID, "/"); named && g.EnvID != nil && g.Origin.Task != "" {
		p = Play{g.Origin, run}
		p.Problem.Worker, p.Problem.Model = "", ""
	}
	return p
}

// Note remembers a problem, and reports whether another run has played it, and whether that is
// the first such problem.
func (t *Twins) Note(p Play) (twin, first bool) {
	if p.By == "" {
		return false, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.from == nil {
		t.seed, t.from = maphash.MakeSeed(), make(map[uint64]uint64)
	}
	problem, by := maphash.Comparable(t.seed, p.Problem), maphash.String(t.seed, p.By)
	before, known := t.from[problem]
	if known && before != by {
		first, t.found = !t.found, true
		return true, first
	}
	if !known {
		t.remember(problem)
		t.from[problem] = by
	}
	return false, false
}

// remember adds a problem to the ring, in place of the oldest if it is full. t.mu is held.
func (t *Twins) remember(problem uint64) {
	if len(t.last) < mostTwins {
		t.last = append(t.last, problem)
		return
	}
	delete(t.from, t.last[t.next])
	t.last[t.next] = problem
	t.next = (t.next + 1) % mostTwins
}
