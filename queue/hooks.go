package queue

import (
	"slices"
	"sync"
)

// hooks tell others which groups are handed out and acknowledged.
type hooks struct {
	guard             sync.RWMutex
	onLeased, onAcked []func([]Entry)
}

// OnAcked calls tell for groups that any consumer acknowledges, once they are durably done, in
// addition to what earlier calls named. Tell must be quick, must not call the queue, and may be
// called by many goroutines.
func (h *hooks) OnAcked(tell func([]Entry)) { h.add(&h.onAcked, tell) }

// OnLeased is [hooks.OnAcked] for groups that are handed out, more than once if they come back.
func (h *hooks) OnLeased(tell func([]Entry)) { h.add(&h.onLeased, tell) }

func (h *hooks) add(to *[]func([]Entry), tell func([]Entry)) {
	h.guard.Lock()
	defer h.guard.Unlock()
	*to = append(slices.Clip(*to), tell)
}

// announce tells of groups. All is a field of h.
func (h *hooks) announce(all *[]func([]Entry), leases []*lease) {
	h.guard.RLock()
	list := *all
	h.guard.RUnlock()
	if len(list) == 0 || len(leases) == 0 {
		return
	}
	groups := entriesOf(leases)
	for _, tell := range list {
		tell(groups)
	}
}
