package pause_test

import (
	"testing"

	"github.com/quintain-rl/quintain/internal/pause"
)

func TestASignalWakesThoseWhoWait(t *testing.T) {
	var s pause.Signal
	s.Wake() // nobody waits
	first, second := s.Next(), s.Next()
	if pause.Closed(first) || pause.Closed(second) {
		t.Error("a signal that nobody gave wakes")
	}
	s.Wake()
	if !pause.Closed(first) || !pause.Closed(second) {
		t.Error("one of two is not woken")
	}
	if third := s.Next(); pause.Closed(third) {
		t.Error("a signal wakes one who came later")
	}
}
