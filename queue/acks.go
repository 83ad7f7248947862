package queue

import "sync/atomic"

// acks tells somebody which groups are acknowledged.
type acks struct {
	tell atomic.Pointer[func([]Entry)] // nil: nobody listens
}

// OnAcked calls tell for groups that any consumer acknowledges, once they are durably done. Tell
// must be quick, must not call the queue, and may be called by many goroutines. It replaces that of an
// earlier call.
func (a *acks) OnAcked(tell func([]Entry)) { a.tell.Store(&tell) }

// announce tells of groups.
func (a *acks) announce(groups []Entry) {
	if tell := a.tell.Load(); tell != nil {
		(*tell)(groups)
	}
}
