package cards

import (
	"math"
	"testing"
)

// Leduc hold'em has 288 information sets; the first to move bets a king more often than a jack.
func TestLeducEquilibrium(t *testing.T) {
	bets := map[int]float64{}
	spots := LeducEquilibrium()
	for _, s := range spots {
		sum := 0.0
		for _, p := range s.Odds {
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("the odds of %v add up to %g", s, sum)
		}
		if s.Moves == "" {
			bets[s.Card] = s.Odds[1]
		}
	}
	if len(spots) != 288 || len(bets) != 3 || bets[3] <= bets[1] {
		t.Errorf("there are %d spots, and the opening bets are %v", len(spots), bets)
	}
}
