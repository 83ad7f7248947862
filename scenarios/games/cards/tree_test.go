package cards

import (
	"math"
	"testing"
)

// The values are those of the literature and of open_spiel.
func TestValuesOfHands(t *testing.T) {
	for _, c := range []struct {
		why    string
		tree   *tree
		rounds int
		value  float64 // to the first
		within float64
		naive  float64 // exploitability of uniform play; 0: not known
		firstU float64 // what uniform play wins against the equilibrium, first
		other  float64 // and second
	}{
		{"Kuhn's poker", kuhn(3).tree(), 3000, -1.0 / 18, 3e-4, 11.0 / 24, -1.0 / 6, -0.1298},
		{"Leduc hold'em", leduc().tree(), 3000, -0.0856, 1e-3, 2.373611, -0.8228, -0.5903},
		{"liar's dice, one die of three faces", cups{1, 3, true}.tree(), 1000, 1.0 / 9, 1e-3, 0, -0.4075, -0.5044},
	} {
		s := c.tree.equilibrium(c.rounds)
		one, two := c.tree.respond(first, s), c.tree.respond(second, s)
		if math.Abs(one.best-c.value) > c.within || math.Abs(two.best+c.value) > c.within {
			t.Errorf("%s: the best responses win %v and %v, and the value is %v", c.why, one.best, two.best, c.value)
		}
		if got := c.tree.exploitability(c.tree.play(uniform)); c.naive > 0 && math.Abs(got-c.naive) > 1e-6 {
			t.Errorf("%s: the exploitability of uniform play is %v, want %v", c.why, got, c.naive)
		}
		if math.Abs(one.blind-c.firstU) > 2e-3 || math.Abs(two.blind-c.other) > 2e-3 {
			t.Errorf("%s: uniform play wins %v and %v, want %v and %v", c.why, one.blind, two.blind, c.firstU, c.other)
		}
	}
}
