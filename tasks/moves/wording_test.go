package moves

import (
	"strings"
	"testing"
)

// Every wording says what readers would otherwise have to guess.
func TestWordingsLeaveNothingOpen(t *testing.T) {
	for i, words := range sokobanPhrasings {
		if text := strings.Join(words[:], " "); !strings.Contains(text, "count") && !strings.Contains(text, "used up") {
			t.Errorf("sokoban: wording %d does not say whether a move that is blocked counts: %q", i, text)
		}
	}
	for i, text := range boxnetPhrasings {
		if !strings.Contains(text, "number of boxes") && !strings.Contains(text, "everal boxes") && !strings.Contains(text, "many boxes") {
			t.Errorf("boxnet: wording %d does not say whether boxes may share a square: %q", i, text)
		}
	}
}
