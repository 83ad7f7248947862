package web

import "testing"

// TestJournalForgets keeps only the last events, and starts over for a follower that
// knows those of an earlier process. It shows some at a time.
func TestJournalForgets(t *testing.T) {
	var j Journal
	for range keptEvents + 5 {
		j.Tell("x", map[string]any{})
	}
	for _, after := range []uint64{2, 1 << 40} {
		next, events := after, 0
		for {
			list, _ := j.since(next)
			if len(list) > shownEvents {
				t.Fatalf("%d events at once, want %d", len(list), shownEvents)
			}
			if len(list) == 0 {
				break
			}
			if events == 0 && list[0].number != 6 {
				t.Errorf("after %d: the first is %d, want 6", after, list[0].number)
			}
			events += len(list)
			next = list[len(list)-1].number
		}
		if events != keptEvents {
			t.Errorf("after %d: %d events, want %d", after, events, keptEvents)
		}
	}
}
