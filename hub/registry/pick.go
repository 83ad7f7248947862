package registry

import (
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// Pick returns the groups of the next batch, of those that wait. It leaves out groups that are
// held for their connected environment, and those that are stale.
func (w *Roster) Pick(waiting []queue.Entry, stale func(*queue.Entry) bool) []queue.Entry {
	demand := w.Demand()
	return w.need().Pick(waiting, func(e *queue.Entry) int {
		if e.Held() && w.Has(e.EnvID) || stale(e) {
			return 0
		}
		return demand.Of(1, int(e.Episodes), int(e.Sequences))
	})
}

// need is the demand of the next batch.
func (w *Roster) need() packing.Need {
	want := w.Demand()
	n := packing.Need{Least: want.Least, Most: want.Most}
	for _, e := range w.present {
		if e.Minimum != nil {
			n.AddMinimum(e.ID, *e.Minimum)
		}
	}
	return n
}
