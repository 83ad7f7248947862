package hub

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain/packing"
	"github.com/quintain-rl/quintain/queue"
)

// holdingKey is the record of the groups that are held.
const holdingKey = "hub-holding"

// maxHeld is how many groups of an environment are held at most. If that many do not make
// up its group size, they never will.
const maxHeld = 256

// A heldRef is a group that is held.
type heldRef struct {
	ID        string `json:"id"`
	Sequences int    `json:"sequences"`
}

// heldRecord is what is kept of the groups that are held.
type heldRecord struct {
	Version int                 `json:"version"`
	Envs    map[int32][]heldRef `json:"envs"`
}

// heldGroups are groups that wait, although they are in the queue, for others of their
// environment to make up its group size: groups of two if it registered four. They do
// not change: a change makes others.
type heldGroups struct {
	sizes map[string]int      // sequences of each, by ID
	envs  map[int32][]heldRef // in the order in which they came
	turn  uint64              // different for each that a holding had
}

// newHeld returns the groups of envs as held.
func newHeld(envs map[int32][]heldRef) heldGroups {
	h := heldGroups{sizes: make(map[string]int), envs: envs}
	for _, refs := range envs {
		for _, ref := range refs {
			h.sizes[ref.ID] = ref.Sequences
		}
	}
	return h
}

// with returns a copy that holds ref too.
func (h heldGroups) with(env int32, ref heldRef) heldGroups {
	envs := maps.Clone(h.envs)
	if envs == nil {
		envs = make(map[int32][]heldRef)
	}
	envs[env] = append(slices.Clone(envs[env]), ref)
	return newHeld(envs)
}

// without returns a copy that no longer holds the groups of ids.
func (h heldGroups) without(ids ...string) heldGroups {
	envs := make(map[int32][]heldRef, len(h.envs))
	for env, refs := range h.envs {
		rest := slices.DeleteFunc(slices.Clone(refs), func(r heldRef) bool { return slices.Contains(ids, r.ID) })
		if len(rest) > 0 {
			envs[env] = rest
		}
	}
	return newHeld(envs)
}

// completed returns a copy that no longer holds the groups of env that make up its
// group size, if there are any.
func (h heldGroups) completed(env int32, groupSize int) heldGroups {
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
func (h heldGroups) sequences(env int32) int {
	n := 0
	for _, r := range h.envs[env] {
		n += r.Sequences
	}
	return n
}

// ids are those of the groups that are held of env.
func (h heldGroups) ids(env int32) []string {
	var ids []string
	for _, r := range h.envs[env] {
		ids = append(ids, r.ID)
	}
	return ids
}

// subtract returns the counts of kinds without the groups that are held. Groups of an
// environment that is gone are no longer held: nothing more will come from it.
func (h heldGroups) subtract(kinds map[queue.Kind]int, who *roster) map[queue.Kind]int {
	if len(h.sizes) == 0 {
		return kinds
	}
	free := maps.Clone(kinds)
	for id, refs := range h.envs {
		if !who.has(id) {
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

// A holding keeps the groups that are held.
type holding struct {
	queue *queue.Queue
	wake  func() // called after groups are let go

	// sorting is held while groups are put of which some are held, and while groups are
	// let go. It is taken after the run's trade, and before all other locks.
	sorting sync.Mutex

	mu  sync.Mutex // guards now; nothing else is called under it
	now heldGroups
}

// current are the groups that are held now.
func (h *holding) current() heldGroups {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// set makes next the groups that are held.
func (h *holding) set(next heldGroups) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next.turn = h.now.turn + 1
	h.now = next
}

// save keeps next.
func (h *holding) save(ctx context.Context, next heldGroups) error {
	return saveRecord(ctx, h.queue, holdingKey, heldRecord{recordVersion, next.envs})
}

// hold holds next, which is more than before, and keeps it. From the call on, nothing of
// it is handed out. h.sorting is held.
func (h *holding) hold(ctx context.Context, next heldGroups) error {
	before := h.current()
	h.set(next)
	err := h.save(ctx, next)
	if err != nil {
		h.set(before)
	}
	return err
}

// letGo keeps next, which is less than before, and then holds only that. h.sorting is
// held.
func (h *holding) letGo(ctx context.Context, next heldGroups) error {
	if err := h.save(ctx, next); err != nil {
		return err
	}
	h.set(next)
	h.wake()
	return nil
}

// release no longer holds groups that were chosen for a batch, their environment being
// gone.
func (h *holding) release(ctx context.Context, groups []queue.Delivery) error {
	var ids []string
	now := h.current()
	for i := range groups {
		if _, held := now.sizes[groups[i].ID]; held {
			ids = append(ids, groups[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	h.sorting.Lock()
	defer h.sorting.Unlock()
	return h.letGo(ctx, h.current().without(ids...))
}

// releaseEnv no longer holds the groups of an environment that has left.
func (h *holding) releaseEnv(ctx context.Context, env int32) error {
	h.sorting.Lock()
	defer h.sorting.Unlock()
	now := h.current()
	ids := now.ids(env)
	if len(ids) == 0 {
		return nil
	}
	return h.letGo(ctx, now.without(ids...))
}

// load reads what an earlier server held. Groups that are not in the queue were never
// put, or were let go.
func (h *holding) load(ctx context.Context, g registration) error {
	var past heldRecord
	if err := readRecord(ctx, h.queue, holdingKey, &past); err != nil {
		return err
	}
	held := newHeld(past.Envs)
	gone := maps.Clone(held.sizes)
	h.queue.View(func(waiting []queue.Entry) {
		for i := range waiting {
			delete(gone, waiting[i].ID)
		}
	})
	held = held.without(slices.Collect(maps.Keys(gone))...)
	for id, e := range g.Envs {
		held = held.completed(int32(id), e.GroupSize)
	}
	h.now = held
	return nil
}
