package hub

import (
	"maps"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/packing"
	"github.com/quintain-rl/quintain/queue"
)

// A ledger keeps what waits, added up, until it changes: asking costs nothing where
// nothing has changed, and else as much as there are kinds of groups, however much waits
// and however many environments there are.
type ledger struct {
	mu      sync.Mutex
	turn    uint64 // of the queue
	held    uint64 // of what is held
	changes uint64 // of the run
	until   time.Time
	kinds   map[queue.Kind]int
	roster  *roster  // nil: none
	last    *account // nil: none
}

// A roster is who is there. It does not change.
type roster struct {
	run         run
	alive       []bool  // by environment
	total       float64 // weights of environments that are connected, times their tokens
	unallocated float64 // part of a batch that is no connected environment's minimum
}

// An account is what waits and is not held, added up. It does not change.
type account struct {
	*roster
	kinds   map[queue.Kind]int // groups
	groups  int
	ids     map[int32]sizes // by the id of the environment; -1: none
	largest int             // sequences of the largest group; 1 at least
	spare   int             // sequences of all environments beyond their minimums, in groups of the largest size
}

// sizes is what waits from one environment.
type sizes struct{ sequences, largest int }

// account returns what waits at the time now.
func (s *Server) account(now time.Time) *account {
	l := &s.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	kinds, turn := s.queue.Kinds(l.turn)
	if kinds != nil {
		l.kinds, l.turn = kinds, turn
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	known := l.roster != nil && l.changes == s.changes && now.Before(l.until)
	if known && kinds == nil && l.held == s.held.turn {
		return l.last
	}
	if !known {
		l.roster, l.until = s.newRoster(now)
	}
	l.changes, l.held = s.changes, s.held.turn
	l.last = newAccount(l.roster, s.unheld(l.kinds, now))
	return l.last
}

// newRoster returns who is there, and until when that is so if nothing changes. s.mu is
// held.
func (s *Server) newRoster(now time.Time) (*roster, time.Time) {
	until := now.Add(s.config.EnvTimeout)
	r := rosterOf(s.run, func(id int) bool {
		alive := s.alive(id, now)
		if end := s.heard[id].Add(s.config.EnvTimeout); alive && end.Before(until) {
			until = end
		}
		return alive
	})
	return r, until
}

// rosterOf adds up the environments of a run.
func rosterOf(r run, alive func(id int) bool) *roster {
	who := &roster{run: r, alive: make([]bool, len(r.Envs))}
	allocated := 0.0
	for id := range r.Envs {
		e := &r.Envs[id]
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

// unheld returns kinds without what is held of environments that are connected. s.mu
// is held.
func (s *Server) unheld(kinds map[queue.Kind]int, now time.Time) map[queue.Kind]int {
	if len(s.held.sizes) == 0 {
		return kinds
	}
	free := maps.Clone(kinds)
	for id, refs := range s.held.envs {
		if !s.holds(id, now) {
			continue
		}
		for _, ref := range refs {
			if k := (queue.Kind{EnvID: id, Sequences: ref.Sequences}); free[k] > 0 {
				free[k]--
			}
		}
	}
	return free
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

// share is an environment's weight, times its tokens.
func (e *env) share() float64 { return float64(e.MaxTokens) * max(0, e.Weight) }

// spareOf is the number of sequences of an environment beyond its minimum part of a
// batch, in groups of the largest size. One that has gone has no minimum.
func (a *account) spareOf(id int32) int {
	if a.largest <= 1 {
		return 0
	}
	packed, least := (a.ids[id].sequences+a.largest-1)/a.largest*a.largest, 0
	if id >= 0 && int(id) < len(a.alive) && a.alive[id] && a.run.Envs[id].Minimum != nil {
		least = int(float64(a.run.BatchSize) * *a.run.Envs[id].Minimum)
	}
	return max(0, packed-least)
}

// An envStatus is what /status-env tells.
type envStatus struct {
	queue       int     // groups of the environment's size that wait, its own and what others have beyond their minimum
	own         int     // groups of the environment's size that are its own
	largest     int     // sequences of the largest group that waits
	unallocated float64 // part of a batch that is no environment's minimum
	weight      float64 // the environment's part among all
}

// envStatus computes what an environment is told; known is false where there is none
// of the id.
func (s *Server) envStatus(id int) (st envStatus, known bool) {
	a := s.account(time.Now())
	if id < 0 || id >= len(a.run.Envs) {
		return st, false
	}
	return a.statusOf(id), true
}

// statusOf computes what the environment of the given id is told.
func (a *account) statusOf(id int) envStatus {
	e, own := &a.run.Envs[id], a.ids[int32(id)]
	st := envStatus{largest: a.largest, unallocated: a.unallocated, weight: 0.01}
	total := a.total
	if !a.alive[id] {
		total += e.share()
	}
	if total > 0 {
		st.weight = max(st.weight, float64(e.MaxTokens)*e.Weight/total)
	}
	size := max(1, e.GroupSize, own.largest)
	st.own = own.sequences / size
	st.queue = (own.sequences + a.spare - a.spareOf(int32(id))) / size
	return st
}

// need says what the next batch must hold. s.mu is held.
func (s *Server) need(now time.Time) packing.Need {
	n := packing.Need{Sequences: s.run.BatchSize, Strict: s.config.Strict}
	for id, e := range s.run.Envs {
		if e.Minimum != nil && s.alive(id, now) {
			n.AddMinimum(int32(id), *e.Minimum)
		}
	}
	return n
}

// unpackable counts the groups that fit into no batch, by their size, as long as no
// sizes come but those that wait and those of the environments. It is empty before a
// trainer registers.
func (s *Server) unpackable(now time.Time) map[int]int {
	a := s.account(now)
	found := make(map[int]int)
	if !a.run.Registered {
		return found
	}
	var sizes []int
	for id, e := range a.run.Envs {
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
	fits := packing.Packable(a.run.BatchSize, sizes)
	for size, n := range found {
		if n == 0 || fits(size) {
			delete(found, size)
		}
	}
	return found
}

// reportUnpackable logs the sizes of groups that fit into no batch, each once.
func (s *Server) reportUnpackable() {
	sizes := s.unpackable(time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	for size, groups := range sizes {
		if s.reported[size] {
			continue
		}
		s.reported[size] = true
		s.events.tell("unpackable", map[string]any{"sequences": size, "groups": groups, "batch_size": s.run.BatchSize})
		s.log.Warn("groups of this size fit into no batch, and wait in vain",
			"sequences", size, "groups", groups, "batch_size", s.run.BatchSize)
	}
}
