package registry

import (
	"cmp"
	"slices"
)

// A Roster is a registration with the connected environments. It is immutable.
type Roster struct {
	Registration
	envs        []*Env  // by ID
	alive       []bool  // whether each is connected
	total       float64 // shares of the connected environments
	unallocated float64 // share of a batch beyond the connected environments' minimums
}

// newRoster sums up environments and which of them are connected.
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

// present yields the connected environments.
func (w *Roster) present(yield func(int, *Env) bool) {
	for i, e := range w.envs {
		if w.alive[i] && !yield(i, e) {
			return
		}
	}
}

// find returns an environment, or nil, and whether it is connected.
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

// Known is the number of environments.
func (w *Roster) Known() int { return len(w.envs) }

// Connected is the number of connected environments.
func (w *Roster) Connected() (n int) {
	for range w.present {
		n++
	}
	return n
}
