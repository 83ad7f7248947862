package registry

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain/queue/packing"
)

// A Roster is a registration, and which of its environments are connected. It does not
// change.
type Roster struct {
	Registration
	envs        []*Env  // by ID
	alive       []bool  // of those
	total       float64 // of the shares of the environments that are connected
	unallocated float64 // share of a batch that is not the minimum of an environment that is connected
}

// newRoster adds up environments, of which some are connected.
func newRoster(g Registration, envs []*Env, alive []bool) *Roster {
	who := &Roster{Registration: g, envs: envs, alive: alive}
	allocated := 0.0
	for _, e := range who.present {
		who.total += e.share()
		if e.Minimum != nil {
			allocated += *e.Minimum
		}
	}
	who.unallocated = 1 - min(1, allocated)
	return who
}

// present shows the environments that are connected.
func (w *Roster) present(yield func(int, *Env) bool) {
	for i, e := range w.envs {
		if w.alive[i] && !yield(i, e) {
			return
		}
	}
}

// find returns the environment of an ID, or nil, and whether it is connected.
func (w *Roster) find(id int32) (e *Env, alive bool) {
	at, ok := slices.BinarySearchFunc(w.envs, id, func(e *Env, id int32) int { return cmp.Compare(e.ID, id) })
	if !ok {
		return nil, false
	}
	return w.envs[at], w.alive[at]
}

// Has reports whether an environment is connected.
func (w *Roster) Has(id int32) bool {
	_, alive := w.find(id)
	return alive
}

// Known is how many environments there are.
func (w *Roster) Known() int { return len(w.envs) }

// Connected is how many environments are connected.
func (w *Roster) Connected() (n int) {
	for range w.present {
		n++
	}
	return n
}

// Need says what the next batch must hold.
func (w *Roster) Need(strict bool) packing.Need {
	n := packing.Need{Sequences: w.BatchSize, Strict: strict}
	for _, e := range w.present {
		if e.Minimum != nil {
			n.AddMinimum(e.ID, *e.Minimum)
		}
	}
	return n
}
