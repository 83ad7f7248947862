package host

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"
)

// sampleEvery is how often the bound follows what is in use.
const sampleEvery = 2 * time.Second

// A bound follows what a process has in use beside requests: the least of its last samples.
type bound struct {
	least   int64 // of the bound, in bytes
	samples [32]int64
	taken   int
}

// next adds a sample of the bytes in use, and returns the bound.
func (b *bound) next(inUse int64) int64 {
	b.samples[b.taken%len(b.samples)] = inUse
	b.taken++
	return max(b.least, 2*slices.Min(b.samples[:min(b.taken, len(b.samples))]))
}

// BoundMemory bounds the memory of the process until ctx ends: to that of requests, or to
// twice what is in use for a minute, if that is more, as with very many groups. Near the bound,
// the process collects garbage more often, and returns memory before it takes more. A lower
// GOMEMLIMIT stays.
func (h *Host) BoundMemory(ctx context.Context) error {
	before := debug.SetMemoryLimit(-1) // a negative limit only asks
	defer debug.SetMemoryLimit(before)
	clock := time.NewTicker(sampleEvery)
	defer clock.Stop()
	b, now := bound{least: h.hub.Memory()}, int64(0)
	for {
		// A change stops all goroutines for a moment, so small ones wait.
		if want := min(before, b.next(inUse())); want > now+now/8 || want < now-now/8 {
			debug.SetMemoryLimit(want)
			now = want
		}
		select {
		case <-clock.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// ServeCalls has the process serve model calls of agents, or leases of workers, well until ctx ends:
// see [CollectLess]; [Host.BoundMemory] sees to the rest.
func (h *Host) ServeCalls(ctx context.Context) error {
	defer CollectLess()()
	return h.BoundMemory(ctx)
}

// CollectLess is for a process whose calls allocate much and hold little, while each waits for the
// disk: the heap may grow to five times what is in use before garbage is collected, in place of
// twice, which takes a fifth less of the processor's time. A processor more than there are cores
// would have each call wait longer, as its threads look for work more often. A GOGC of the
// environment stays. The caller calls undo in the end.
func CollectLess() (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

// inUse is how many bytes of the heap the last garbage collection found in use.
func inUse() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}
