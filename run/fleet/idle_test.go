package fleet

import (
	"net/http"
	"testing"
)

// A worker that waits for a lease is alive, unless it holds one: then it owes beats.
func TestAWaitIsASignOfLife(t *testing.T) {
	s := newSite(t, newDesk(t, 1), nil)
	s.join(1)
	s.join(2)
	s.join(3)
	held := s.take(1, 1)
	done := make(chan int)
	for i := 1; i <= 2; i++ {
		go func() { done <- s.ask("POST", "/leases?wait=300&instance="+name(i), nil, nil) }()
	}
	waits := func(i int) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		w := s.workers[name(i)]
		return w != nil && w.asks > 0
	}
	for !waits(1) || !waits(2) { // they do not wait yet
	}
	s.pass()
	s.mu.Lock()
	first, second, third := s.workers[name(1)], s.workers[name(2)], s.workers[name(3)]
	s.mu.Unlock()
	if first != nil || second == nil || third != nil {
		t.Errorf("the workers are %v, %v and %v, want the second alone", first, second, third)
	}
	if status := s.finish(held[0], played(1)); status != http.StatusGone {
		t.Errorf("a lost worker's group: status %d", status)
	}
	s.stop()
	<-done
	<-done
}
