package registry

import (
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// Pick returns the groups of the next batch, of those that wait. It leaves out groups that are
// held for their connected environment, and those that are stale. Strict packs as Atropos
// does.
func (w *Roster) Pick(waiting []queue.Entry, strict bool, stale func(*queue.Entry) bool) []queue.Entry {
	from := candidates{waiting, w, w.Demand(), stale}
	var picked []queue.Entry
	for _, at := range w.need(strict).Pack(&from) {
		picked = append(picked, waiting[at])
	}
	return picked
}

// need is the demand of the next batch.
func (w *Roster) need(strict bool) packing.Need {
	want := w.Demand()
	n := packing.Need{Least: want.Least, Most: want.Most, Strict: strict}
	for _, e := range w.present {
		if e.Minimum != nil {
			n.AddMinimum(e.ID, *e.Minimum)
		}
	}
	return n
}

// candidates are the groups to choose a batch from.
type candidates struct {
	waiting []queue.Entry
	who     *Roster
	demand  Demand
	stale   func(*queue.Entry) bool
}

// Len implements [packing.Waiting].
func (c *candidates) Len() int { return len(c.waiting) }

// At implements [packing.Waiting].
func (c *candidates) At(i int) packing.Group {
	e := &c.waiting[i]
	if e.Held() && c.who.Has(e.EnvID) || c.stale(e) {
		return packing.Group{Env: e.EnvID} // without a size, it is never chosen
	}
	return packing.Group{Env: e.EnvID, Size: c.demand.Of(1, int(e.Episodes), int(e.Sequences))}
}
