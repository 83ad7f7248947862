package hub

import (
	"context"
	"log/slog"
	"math"
	"sync"

	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// maxHeld is the most held groups of an environment. If so many do not complete its group
// size, they never will.
const maxHeld = 256

// heldGroups frees held groups of the queue: groups smaller than their environment registered,
// which wait for others to complete its group size.
type heldGroups struct {
	queue    *queue.Queue
	registry *registry.Registry
	log      *slog.Logger
	tally    *tally
	wake     func() // called after freeing groups

	// sorting is held to decide which groups to free. It is taken after the run's mutex, and
	// before all other locks.
	sorting sync.Mutex
}

// settle frees an environment's held groups, up to a sequence number, that complete its
// group size, or all if too many are held. It returns how many sequences of them are still
// held.
func (h *heldGroups) settle(ctx context.Context, id int32, through uint64) (left int, err error) {
	e := h.registry.Env(id)
	if e == nil { // the run was reset meanwhile
		return 0, nil
	}
	h.sorting.Lock()
	defer h.sorting.Unlock()
	var seqs, free []uint64
	var sizes []int
	for _, g := range h.queue.Held(id) {
		if g.Seq <= through {
			seqs, sizes = append(seqs, g.Seq), append(sizes, int(g.Sequences))
			left += int(g.Sequences)
		}
	}
	for _, i := range packing.Completing(sizes, e.GroupSize) {
		free = append(free, seqs[i])
		left -= sizes[i]
	}
	if len(seqs)-len(free) >= maxHeld {
		free, left = seqs, 0
		h.tally.count(func(n *counts) { n.letGo += uint64(len(free)) })
		h.log.Warn("groups that do not complete their environment's group size are packed as they are",
			"env", id, "groups", len(free), "group_size", e.GroupSize)
	}
	return left, h.free(ctx, free)
}

func (h *heldGroups) free(ctx context.Context, seqs []uint64) error {
	if len(seqs) == 0 {
		return nil
	}
	defer h.wake()
	return h.queue.Free(ctx, seqs...)
}

// freeEnv frees all held groups of an environment that has left.
func (h *heldGroups) freeEnv(ctx context.Context, id int32) error {
	h.sorting.Lock()
	defer h.sorting.Unlock()
	var seqs []uint64
	for _, g := range h.queue.Held(id) {
		seqs = append(seqs, g.Seq)
	}
	return h.free(ctx, seqs)
}

// load settles the groups of an earlier server.
func (h *heldGroups) load(ctx context.Context) error {
	kinds, _ := h.queue.Kinds(0)
	for k := range kinds {
		if !k.Held {
			continue
		}
		if _, err := h.settle(ctx, k.EnvID, math.MaxUint64); err != nil {
			return err
		}
	}
	return nil
}
