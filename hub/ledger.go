package hub

import (
	"sync"
	"time"

	"github.com/quintain-rl/quintain/packing"
	"github.com/quintain-rl/quintain/queue"
)

// A roster is a registration, and which of its environments are connected. It does not
// change.
type roster struct {
	registration
	alive       []bool  // by environment
	total       float64 // of the shares of the environments that are connected
	unallocated float64 // share of a batch that is not the minimum of an environment that is connected
}

// newRoster adds up the environments of a registration.
func newRoster(g registration, alive func(id int) bool) *roster {
	who := &roster{registration: g, alive: make([]bool, len(g.Envs))}
	allocated := 0.0
	for id := range g.Envs {
		e := &g.Envs[id]
		if who.alive[id] = alive(id); !who.alive[id] {
			continue
		}
		who.total += e.share()
		if e.Minimum != nil {
			allocated += *e.Minimum
		}
	}
	who.unallocated = 1 - min(1, allocated)
	return who
}

// has reports whether an environment is connected.
func (w *roster) has(id int32) bool { return id >= 0 && int(id) < len(w.alive) && w.alive[id] }

// connected is how many environments are connected.
func (w *roster) connected() int {
	n := 0
	for _, alive := range w.alive {
		if alive {
			n++
		}
	}
	return n
}

// need says what the next batch must hold.
func (w *roster) need(strict bool) packing.Need {
	n := packing.Need{Sequences: w.BatchSize, Strict: strict}
	for id, e := range w.Envs {
		if e.Minimum != nil && w.alive[id] {
			n.AddMinimum(int32(id), *e.Minimum)
		}
	}
	return n
}

// A ledger adds up what waits, and keeps the result until something changes. Asking
// again costs nothing; after a change it costs as much as there are kinds of groups,
// however many groups and environments there are.
type ledger struct {
	queue    *queue.Queue
	registry *registry
	holding  *holding

	// mu guards what follows. The queue, and the locks of registry and holding, come
	// under it.
	mu       sync.Mutex
	turn     uint64             // of the queue
	kinds    map[queue.Kind]int // that wait in it
	held     uint64             // turn of the held groups
	last     *account           // nil: none
	reported map[int]bool       // sizes of groups that fit into no batch, and that the log has mentioned
}

// An account is what waits and is not held, added up. It does not change.
type account struct {
	*roster
	kinds   map[queue.Kind]int // groups
	groups  int
	ids     map[int32]sizes // by the id of the environment; -1: none
	largest int             // sequences of the largest group; at least 1
	spare   int             // sequences of all environments beyond their minimums, in groups of the largest size
}

// sizes is what waits from one environment.
type sizes struct{ sequences, largest int }

// account returns what waits at the time now.
func (l *ledger) account(now time.Time) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	kinds, turn := l.queue.Kinds(l.turn)
	if kinds != nil {
		l.kinds, l.turn = kinds, turn
	}
	who, held := l.registry.roster(now), l.holding.current()
	if kinds == nil && l.last != nil && l.last.roster == who && l.held == held.turn {
		return l.last
	}
	l.held = held.turn
	l.last = newAccount(who, held.subtract(l.kinds, who))
	return l.last
}

// newAccount adds up what waits.
func newAccount(who *roster, kinds map[queue.Kind]int) *account {
	a := &account{roster: who, kinds: kinds, ids: make(map[int32]sizes, len(kinds)), largest: 1}
	for k, n := range kinds {
		if n == 0 {
			continue
		}
		e := a.ids[k.EnvID]
		a.ids[k.EnvID] = sizes{e.sequences + n*k.Sequences, max(e.largest, k.Sequences)}
		a.groups += n
		a.largest = max(a.largest, k.Sequences)
	}
	for id := range a.ids {
		a.spare += a.spareOf(id)
	}
	return a
}

// spareOf is the number of sequences of an environment beyond its minimum share of a
// batch, in groups of the largest size. An environment that is gone has no minimum.
func (a *account) spareOf(id int32) int {
	if a.largest <= 1 {
		return 0
	}
	packed, least := (a.ids[id].sequences+a.largest-1)/a.largest*a.largest, 0
	if a.has(id) && a.Envs[id].Minimum != nil {
		least = int(float64(a.BatchSize) * *a.Envs[id].Minimum)
	}
	return max(0, packed-least)
}

// An envStatus is the answer to /status-env.
type envStatus struct {
	queue       int     // groups of the environment's size that wait: its own, and what others have beyond their minimum
	own         int     // groups of the environment's size that are its own
	largest     int     // sequences of the largest group that waits
	unallocated float64 // share of a batch that is not the minimum of any environment
	weight      float64 // the environment's share among all
}

// statusOf computes what an environment is told; ok is false if there is none of the id.
func (a *account) statusOf(id int) (st envStatus, ok bool) {
	if id < 0 || id >= len(a.Envs) {
		return st, false
	}
	e, own := &a.Envs[id], a.ids[int32(id)]
	st = envStatus{largest: a.largest, unallocated: a.unallocated, weight: 0.01}
	total := a.total
	if !a.alive[id] {
		total += e.share()
	}
	if total > 0 {
		st.weight = max(st.weight, e.share()/total)
	}
	size := max(1, e.GroupSize, own.largest)
	st.own = own.sequences / size
	st.queue = (own.sequences + a.spare - a.spareOf(int32(id))) / size
	return st, true
}

// unpackable counts the groups that fit into no batch, by their size, assuming that only
// sizes come that wait or that environments have registered. It is empty before a
// trainer registers.
func (a *account) unpackable() map[int]int {
	found := make(map[int]int)
	if !a.Registered {
		return found
	}
	var sizes []int
	for id, e := range a.Envs {
		if a.alive[id] {
			sizes = append(sizes, e.GroupSize)
		}
	}
	for k, n := range a.kinds {
		found[k.Sequences] += n
	}
	for size := range found {
		sizes = append(sizes, size)
	}
	fits := packing.Packable(a.BatchSize, sizes)
	for size, n := range found {
		if n == 0 || fits(size) {
			delete(found, size)
		}
	}
	return found
}

// unreported returns the sizes of groups that fit into no batch and were not returned
// before, with the number of such groups.
func (l *ledger) unreported() map[int]int {
	found := l.account(time.Now()).unpackable()
	l.mu.Lock()
	defer l.mu.Unlock()
	for size := range found {
		if l.reported[size] {
			delete(found, size)
		}
		l.reported[size] = true
	}
	return found
}

// forget forgets what was reported.
func (l *ledger) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.reported)
}
