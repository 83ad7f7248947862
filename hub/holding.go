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

// maxHeld is how many groups of an environment are held at most. If that many do not make
// up its group size, they never will.
const maxHeld = 256

// A holding frees groups that are held in the queue: those that wait for others of their
// environment to make up its group size, groups of two if it registered four.
type holding struct {
	queue    *queue.Queue
	registry *registry.Registry
	log      *slog.Logger
	tally    *tally
	wake     func() // called after groups were freed

	// sorting is held while it is decided which groups of an environment are freed. It is
	// taken after the run's trade, and before all other locks.
	sorting sync.Mutex
}

// settle frees the groups of an environment that make up its group size, among those up
// to a sequence number. If too many are held, it frees them all. It returns how many
// sequences are still held of them.
func (h *holding) settle(ctx context.Context, id int32, through uint64) (left int, err error) {
	e := h.registry.Env(id)
	if e == nil { // the run was reset in the meantime
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
		h.log.Warn("groups that do not make up the size that their environment registered are packed as they are",
			"env", id, "groups", len(free), "group_size", e.GroupSize)
	}
	return left, h.free(ctx, free)
}

// free frees groups.
func (h *holding) free(ctx context.Context, seqs []uint64) error {
	if len(seqs) == 0 {
		return nil
	}
	defer h.wake()
	return h.queue.Free(ctx, seqs...)
}

// freeEnv frees the groups of an environment that has left.
func (h *holding) freeEnv(ctx context.Context, id int32) error {
	h.sorting.Lock()
	defer h.sorting.Unlock()
	var seqs []uint64
	for _, g := range h.queue.Held(id) {
		seqs = append(seqs, g.Seq)
	}
	return h.free(ctx, seqs)
}

// load settles what an earlier server did not.
func (h *holding) load(ctx context.Context) error {
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
