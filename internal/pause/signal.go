package pause

import "sync"

// A Signal wakes all who wait for it, again and again. Many goroutines may use the zero value.
type Signal struct {
	mu   sync.Mutex
	next chan struct{} // nil: nobody waits
}

// Next returns a channel that is closed at the next Wake. Take it first, then look whether there is
// anything to wait for.
func (s *Signal) Next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

// Wake wakes all who wait.
func (s *Signal) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}

// Closed reports whether a channel that nothing is sent to is closed.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
