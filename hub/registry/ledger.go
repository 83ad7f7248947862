package registry

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// A Ledger adds up what waits, and keeps the result until something changes. Asking
// again costs nothing; after a change it costs as much as there are kinds of groups,
// however many groups and environments there are. Many goroutines may use it at once.
type Ledger struct {
	queue    *queue.Queue
	registry *Registry

	// mu guards what follows. The queue and the registry are asked under it.
	mu       sync.Mutex
	turn     uint64             // of the queue
	kinds    map[queue.Kind]int // that wait in it
	last     *Account           // nil: none
	reported map[int]bool       // sizes of groups that fit into no batch, and that the log has mentioned
}

// NewLedger returns a ledger of what waits in q.
func NewLedger(q *queue.Queue, g *Registry) *Ledger {
	return &Ledger{queue: q, registry: g, reported: make(map[int]bool)}
}

// An Account is what waits, added up. Groups that are held do not count while their
// environment is connected. It does not change.
type Account struct {
	*Roster
	Groups int // that wait
	Held   int // groups that are held

	sizes   map[int]int     // groups, by their sequences
	ids     map[int32]sizes // by the id of the environment; -1: none
	largest int             // sequences of the largest group; at least 1
	spare   int             // sequences of all environments beyond their minimums, in groups of the largest size
}

// sizes is what waits from one environment.
type sizes struct{ sequences, largest int }

// Account returns what waits at the time now.
func (l *Ledger) Account(now time.Time) *Account {
	l.mu.Lock()
	defer l.mu.Unlock()
	kinds, turn := l.queue.Kinds(l.turn)
	if kinds != nil {
		l.kinds, l.turn = kinds, turn
	}
	who := l.registry.Roster(now)
	if kinds == nil && l.last != nil && l.last.Roster == who {
		return l.last
	}
	l.last = newAccount(who, l.kinds)
	return l.last
}

// newAccount adds up what waits.
func newAccount(who *Roster, kinds map[queue.Kind]int) *Account {
	a := &Account{Roster: who, sizes: make(map[int]int), ids: make(map[int32]sizes, len(kinds)), largest: 1}
	for k, n := range kinds {
		if k.Held {
			a.Held += n
			if who.Has(k.EnvID) {
				continue
			}
		}
		a.sizes[k.Sequences] += n
		e := a.ids[k.EnvID]
		a.ids[k.EnvID] = sizes{e.sequences + n*k.Sequences, max(e.largest, k.Sequences)}
		a.Groups += n
		a.largest = max(a.largest, k.Sequences)
	}
	for id := range a.ids {
		a.spare += a.spareOf(id)
	}
	return a
}

// spareOf is the number of sequences of an environment beyond its minimum share of a
// batch, in groups of the largest size. An environment that is gone has no minimum.
func (a *Account) spareOf(id int32) int {
	if a.largest <= 1 {
		return 0
	}
	packed, least := (a.ids[id].sequences+a.largest-1)/a.largest*a.largest, 0
	if e, alive := a.find(id); alive && e.Minimum != nil {
		least = int(float64(a.BatchSize) * *e.Minimum)
	}
	return max(0, packed-least)
}

// An EnvStatus is what an environment is told of the work that waits.
type EnvStatus struct {
	Queue       int     // groups of the environment's size that wait: its own, and what others have beyond their minimum
	Own         int     // groups of the environment's size that are its own
	Largest     int     // sequences of the largest group that waits; at least 1
	Unallocated float64 // share of a batch that is not the minimum of any environment, 0 to 1
	Weight      float64 // the environment's share among all, 0.01 to 1
}

// StatusOf computes what an environment is told; ok is false if there is none of the ID.
func (a *Account) StatusOf(id int32) (st EnvStatus, ok bool) {
	e, alive := a.find(id)
	if e == nil {
		return st, false
	}
	st = EnvStatus{Largest: a.largest, Unallocated: a.unallocated, Weight: 0.01}
	own, total := a.ids[id], a.total
	if !alive {
		total += e.share()
	}
	if total > 0 {
		st.Weight = max(st.Weight, e.share()/total)
	}
	size := max(1, e.GroupSize, own.largest)
	st.Own = own.sequences / size
	st.Queue = (own.sequences + a.spare - a.spareOf(id)) / size
	return st, true
}

// Unpackable counts the groups that fit into no batch, by their size, assuming that only
// sizes come that wait or that environments have registered. It is empty before a
// trainer registers.
func (a *Account) Unpackable() map[int]int {
	found := make(map[int]int)
	if !a.Registered {
		return found
	}
	sizes := slices.Collect(maps.Keys(a.sizes))
	for _, e := range a.present {
		sizes = append(sizes, e.GroupSize)
	}
	fits := packing.Packable(a.BatchSize, sizes)
	for size, n := range a.sizes {
		if !fits(size) {
			found[size] = n
		}
	}
	return found
}

// Unreported returns the sizes of groups that fit into no batch and were not returned
// before, with the number of such groups.
func (l *Ledger) Unreported() map[int]int {
	found := l.Account(time.Now()).Unpackable()
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

// Forget forgets what was reported.
func (l *Ledger) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.reported)
}
