package gateway

import (
	"maps"
	"slices"
	"sync"
)

// dueGroups are the groups that must be looked at soon. Its mutex may be taken with any other
// held.
type dueGroups struct {
	mu   sync.Mutex
	all  map[*group]bool
	wake chan struct{} // has one element if there are any
}

func newDueGroups() dueGroups {
	return dueGroups{all: map[*group]bool{}, wake: make(chan struct{}, 1)}
}

// add adds a group.
func (d *dueGroups) add(of *group) {
	d.mu.Lock()
	d.all[of] = true
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// take removes and returns all groups.
func (d *dueGroups) take() []*group {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Collect(maps.Keys(d.all))
	clear(d.all)
	return all
}
