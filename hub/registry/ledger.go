package registry

import (
	"sync"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// A Ledger sums up the waiting groups, and caches the result until something changes. Asking
// again costs nothing; after a change the cost grows with the number of kinds of groups, not
// of groups or environments. Many goroutines may use it at once.
type Ledger struct {
	queue    *queue.Queue
	registry *Registry

	// mu guards the rest. The queue and the registry are called under it.
	mu    sync.Mutex
	turn  uint64             // of the queue
	kinds map[queue.Kind]int // its waiting groups
	last  *Account           // nil: none
}

// NewLedger returns a ledger of the waiting groups in q.
func NewLedger(q *queue.Queue, g *Registry) *Ledger {
	return &Ledger{queue: q, registry: g}
}

// An Account is the sum of the waiting groups. Groups held for a connected environment do
// not count. It is immutable.
type Account struct {
	*Roster
	Groups int // waiting
	Held   int // groups

	ids     map[int32]sizes // by environment; -1: none
	largest int             // sequences of the largest group; at least 1
	spare   int             // sequences beyond all environments' minimums, in groups of the largest size
}

// sizes are those of one environment's waiting groups.
type sizes struct{ sequences, largest int }

// Account sums up the waiting groups at the time now.
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

// newAccount sums up the waiting groups.
func newAccount(who *Roster, kinds map[queue.Kind]int) *Account {
	a := &Account{Roster: who, ids: make(map[int32]sizes, len(kinds)), largest: 1}
	for k, n := range kinds {
		if k.Held {
			a.Held += n
			if who.Has(k.EnvID) {
				continue
			}
		}
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

// spareOf is the number of an environment's sequences beyond its minimum share of a batch,
// in groups of the largest size. A disconnected environment has no minimum.
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

// An EnvStatus tells an environment about the waiting groups.
type EnvStatus struct {
	Queue       int     // waiting work, in groups of its size: its own, and others' beyond their minimums
	Own         int     // its own, in groups of its size
	Largest     int     // sequences of the largest waiting group; at least 1
	Unallocated float64 // share of a batch beyond all minimums, 0 to 1
	Weight      float64 // its share among all, 0.01 to 1
}

// StatusOf is the status for an environment; ok is false if the ID is unknown.
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
