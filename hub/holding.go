package hub

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/packing"
	"github.com/quintain-rl/quintain/queue"
)

// A holding is the groups that wait, though they are in the queue, for others of
// their environment to make up its group size: groups of two where it registered
// four.
type holding struct {
	sizes map[string]int      // sequences of each, by ID
	envs  map[int32][]heldRef // in the order in which they came
	turn  uint64              // another for each holding of a server
}

// A heldRef is a group that is held.
type heldRef struct {
	ID        string `json:"id"`
	Sequences int    `json:"sequences"`
}

// heldRecord is a holding as it is kept.
type heldRecord struct {
	Version int                 `json:"version"`
	Envs    map[int32][]heldRef `json:"envs"`
}

// newHolding returns a holding of the groups of envs.
func newHolding(envs map[int32][]heldRef) holding {
	h := holding{sizes: make(map[string]int), envs: envs}
	for _, refs := range envs {
		for _, ref := range refs {
			h.sizes[ref.ID] = ref.Sequences
		}
	}
	return h
}

// maxHeld is how many groups of an environment are held at most. Where more come that
// do not make up its group size, they never will.
const maxHeld = 256

// holds reports whether the groups that are held of an environment are still waited
// for: of one that has gone, no more will come. s.mu is held.
func (s *Server) holds(env int32, now time.Time) bool {
	return env >= 0 && int(env) < len(s.run.Envs) && s.alive(int(env), now)
}

// withheld returns a function that reports whether a group that waits may not be handed
// out, because it is held or too stale; nil if all may be. s.mu is held.
func (s *Server) withheld(now time.Time) func(e *queue.Entry) bool {
	lag := s.config.MaxLag
	if len(s.held.sizes) == 0 && lag == nil {
		return nil
	}
	return func(e *queue.Entry) bool {
		_, held := s.held.sizes[e.ID]
		return held && s.holds(e.EnvID, now) || lag != nil && e.Stale(s.step, *lag)
	}
}

// Candidates are the groups among which a batch is chosen.
type candidates struct {
	waiting  []queue.Entry
	withheld func(e *queue.Entry) bool // nil: none is
}

// Len implements [packing.Groups].
func (c candidates) Len() int { return len(c.waiting) }

// At implements [packing.Groups].
func (c candidates) At(i int) packing.Group {
	e := &c.waiting[i]
	if c.withheld != nil && c.withheld(e) {
		return packing.Group{Env: e.EnvID}
	}
	return packing.Group{Env: e.EnvID, Sequences: e.Sequences}
}

// pick returns the groups of the next batch.
func pick(c candidates, n packing.Need) []queue.Entry {
	var picked []queue.Entry
	for _, at := range n.Pack(c) {
		picked = append(picked, c.waiting[at])
	}
	return picked
}

// unhold holds groups no longer that were chosen for a batch, their environment having
// gone.
func (s *Server) unhold(ctx context.Context, groups []queue.Delivery) error {
	var ids []string
	s.mu.RLock()
	for i := range groups {
		if _, held := s.held.sizes[groups[i].ID]; held {
			ids = append(ids, groups[i].ID)
		}
	}
	s.mu.RUnlock()
	if len(ids) == 0 {
		return nil
	}
	s.sorting.Lock()
	defer s.sorting.Unlock()
	return s.letGo(ctx, s.held.without(ids...))
}

// with returns a copy that holds ref, too.
func (h holding) with(env int32, ref heldRef) holding {
	envs := maps.Clone(h.envs)
	if envs == nil {
		envs = make(map[int32][]heldRef)
	}
	envs[env] = append(slices.Clone(envs[env]), ref)
	return newHolding(envs)
}

// without returns a copy that holds the groups of IDs no longer.
func (h holding) without(ids ...string) holding {
	envs := make(map[int32][]heldRef, len(h.envs))
	for env, refs := range h.envs {
		rest := slices.DeleteFunc(slices.Clone(refs), func(r heldRef) bool { return slices.Contains(ids, r.ID) })
		if len(rest) > 0 {
			envs[env] = rest
		}
	}
	return newHolding(envs)
}

// completed returns a copy that no longer holds those groups of env which make up
// its group size, if there are any.
func (h holding) completed(env int32, groupSize int) holding {
	refs := h.envs[env]
	sizes := make([]int, len(refs))
	for i, r := range refs {
		sizes[i] = r.Sequences
	}
	var ids []string
	for _, i := range packing.Completing(sizes, groupSize) {
		ids = append(ids, refs[i].ID)
	}
	if len(ids) == 0 {
		return h
	}
	return h.without(ids...)
}

// sequences is how many sequences are held of env.
func (h holding) sequences(env int32) int {
	n := 0
	for _, r := range h.envs[env] {
		n += r.Sequences
	}
	return n
}

// ids are those of the groups that are held of env.
func (h holding) ids(env int32) []string {
	var ids []string
	for _, r := range h.envs[env] {
		ids = append(ids, r.ID)
	}
	return ids
}

// hold makes h, which holds more than before, the server's, and keeps it. Nothing of
// it is handed out from then on. s.sorting is held.
func (s *Server) hold(ctx context.Context, h holding) error {
	s.mu.Lock()
	before := s.held
	s.setHeld(h)
	s.mu.Unlock()
	err := s.save(ctx, holdingKey, heldRecord{stateVersion, h.envs})
	if err != nil {
		s.mu.Lock()
		s.setHeld(before)
		s.mu.Unlock()
	}
	return err
}

// setHeld makes h the server's. s.mu is held.
func (s *Server) setHeld(h holding) {
	h.turn = s.held.turn + 1
	s.held = h
}

// letGo keeps h, which holds less than before, and makes it the server's. s.sorting
// is held.
func (s *Server) letGo(ctx context.Context, h holding) error {
	if err := s.save(ctx, holdingKey, heldRecord{stateVersion, h.envs}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setHeld(h)
	s.wake()
	return nil
}

// loadHeld reads what an earlier server held. Of that, what is not in the queue was
// never put, or was let go.
func (s *Server) loadHeld(ctx context.Context) error {
	var past heldRecord
	if err := s.read(ctx, holdingKey, &past); err != nil {
		return err
	}
	h := newHolding(past.Envs)
	gone := maps.Clone(h.sizes)
	s.queue.View(func(waiting []queue.Entry) {
		for _, e := range waiting {
			delete(gone, e.ID)
		}
	})
	h = h.without(slices.Collect(maps.Keys(gone))...)
	for id, e := range s.run.Envs {
		h = h.completed(int32(id), e.GroupSize)
	}
	s.held = h
	return nil
}
