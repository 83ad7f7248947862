package registry

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
)

// TestTwinsForget remembers a bounded number of problems.
func TestTwinsForget(t *testing.T) {
	var all Twins
	note := func(index int, by string) bool {
		twin, _ := all.Note(Play{quintain.Origin{Task: "gcd", Index: index}, by})
		return twin
	}
	for i := range mostTwins + 10 {
		note(i, "a")
	}
	if n := len(all.from); n != mostTwins || len(all.last) != mostTwins {
		t.Errorf("%d problems remembered, want %d", n, mostTwins)
	}
	for index, want := range map[int]bool{0: false, mostTwins + 9: true, 20: true} {
		if got := note(index, fmt.Sprint("b", index)); got != want {
			t.Errorf("problem %d of another run: %v, want %v", index, got, want)
		}
	}
}
