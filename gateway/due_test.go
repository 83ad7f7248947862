package gateway

import "testing"

// What is added twice is taken once, and wakes once.
func TestSet(t *testing.T) {
	s := newDueSet[string]()
	s.add("a")
	s.add("b")
	s.add("a")
	<-s.wake
	if all := s.take(); len(all) != 2 || len(s.wake) != 0 || len(s.take()) != 0 {
		t.Errorf("%q are taken, %d wait, %q are left", all, len(s.wake), s.take())
	}
}
