package due

import "testing"

// What is added twice is taken once, and wakes once.
func TestSet(t *testing.T) {
	s := New[string]()
	s.Add("a")
	s.Add("b")
	s.Add("a")
	<-s.Wake
	if all := s.Take(); len(all) != 2 || len(s.Wake) != 0 || len(s.Take()) != 0 {
		t.Errorf("%q are taken, %d wait, %q are left", all, len(s.Wake), s.Take())
	}
}
