package hub

import (
	"maps"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// A ledger keeps what waits, added up, until it changes: asking costs as much as
// there are environments, at most, however much waits, and nothing where nothing has
// changed.
type ledger struct {
	mu      sync.Mutex
	turn    uint64 // of the queue
	changes uint64 // of the run
	held    uint64 // of what is held
	until   time.Time
	kinds   map[queue.Kind]int
	last    *account // nil: none
}

// An account is what waits and is not held, added up. It does not change.
type account struct {
	run   run
	kinds map[queue.Kind]int // groups

	groups      int
	envs        []sizes         // by environment
	others      map[int32]sizes // of ids that are no environment's; -1: none
	largest     int             // sequences of the largest group; 1 at least
	spare       int             // sequences of all environments beyond their minimums, in groups of the largest size
	total       float64         // weights of environments that are connected, times their tokens
	unallocated float64         // part of a batch that is no connected environment's minimum
	alive       []bool          // by environment
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
	if l.last != nil && kinds == nil && l.changes == s.changes && l.held == s.held.turn && now.Before(l.until) {
		return l.last
	}
	l.changes, l.held = s.changes, s.held.turn
	l.last = newAccount(s.run, s.unheld(l.kinds, now), func(id int) bool { return s.alive(id, now) })
	l.until = now.Add(s.config.EnvTimeout)
	for id := range s.run.Envs {
		if end := s.heard[id].Add(s.config.EnvTimeout); l.last.alive[id] && end.Before(l.until) {
			l.until = end
		}
	}
	return l.last
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
func newAccount(r run, kinds map[queue.Kind]int, alive func(id int) bool) *account {
	n := len(r.Envs)
	a := &account{run: r, kinds: kinds, envs: make([]sizes, n), others: make(map[int32]sizes), largest: 1, alive: make([]bool, n)}
	for k, n := range kinds {
		if n == 0 {
			continue
		}
		e := a.of(k.EnvID)
		e.sequences += n * k.Sequences
		e.largest = max(e.largest, k.Sequences)
		if a.known(k.EnvID) {
			a.envs[k.EnvID] = e
		} else {
			a.others[k.EnvID] = e
		}
		a.groups += n
		a.largest = max(a.largest, k.Sequences)
	}
	allocated := 0.0
	for id := range r.Envs {
		e := &r.Envs[id]
		if a.alive[id] = alive(id); a.alive[id] {
			a.total += e.share()
			if e.Minimum != nil {
				allocated += *e.Minimum
			}
		}
		a.spare += a.spareOf(int32(id))
	}
	for id := range a.others {
		a.spare += a.spareOf(id)
	}
	a.unallocated = 1 - min(1, allocated)
	return a
}

// known reports whether an id is an environment's.
func (a *account) known(id int32) bool { return id >= 0 && int(id) < len(a.envs) }

// of is what waits from an id.
func (a *account) of(id int32) sizes {
	if a.known(id) {
		return a.envs[id]
	}
	return a.others[id]
}

// share is an environment's weight, times its tokens.
func (e *env) share() float64 { return float64(e.MaxTokens) * max(0, e.Weight) }

// spareOf is the number of sequences of an environment beyond its minimum part of a
// batch, in groups of the largest size. One that has gone has no minimum.
func (a *account) spareOf(id int32) int {
	if a.largest <= 1 {
		return 0
	}
	packed, least := (a.of(id).sequences+a.largest-1)/a.largest*a.largest, 0
	if a.known(id) && a.alive[id] && a.run.Envs[id].Minimum != nil {
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
	e, own := &a.run.Envs[id], a.envs[id]
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
func (s *Server) need(now time.Time) need {
	n := need{sequences: s.run.BatchSize, strict: s.config.Strict}
	for id, e := range s.run.Envs {
		if e.Minimum != nil && s.alive(id, now) {
			n.addMinimum(int32(id), *e.Minimum)
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
	fits := packable(a.run.BatchSize, sizes)
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
