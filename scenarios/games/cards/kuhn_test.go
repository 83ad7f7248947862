package cards

import (
	"fmt"
	"math"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// alpha is the equilibrium whose first player bets the lowest card with a probability of a, at most
// a third: Kuhn (1950).
func alpha(a float64) map[KuhnSpot]float64 {
	return map[KuhnSpot]float64{
		{1, ""}: a, {2, ""}: 0, {3, ""}: 3 * a,
		{1, "check bet"}: 0, {2, "check bet"}: a + 1.0/3, {3, "check bet"}: 1,
		{1, "check"}: 1.0 / 3, {2, "check"}: 0, {3, "check"}: 1,
		{1, "bet"}: 0, {2, "bet"}: 1.0 / 3, {3, "bet"}: 1,
	}
}

// filled gives every spot a probability.
func filled(p func(int) float64) map[KuhnSpot]float64 {
	s := map[KuhnSpot]float64{}
	for i, spot := range KuhnSpots() {
		s[spot] = p(i)
	}
	return s
}

func TestKuhnExploitability(t *testing.T) {
	r := rng.New(1, "kuhn")
	drawn := filled(func(int) float64 { return r.Float() })
	for _, c := range []struct {
		why      string
		strategy map[KuhnSpot]float64
		want     float64
	}{
		{"uniform play, as open_spiel has it", filled(func(int) float64 { return 0.5 }), 11.0 / 24},
		{"an equilibrium without bluffs of the first", alpha(0), 0},
		{"an equilibrium with some", alpha(0.2), 0},
		{"the equilibrium with the most", alpha(1.0 / 3), 0},
		{"drawn, against all pure responses", drawn, exploited(drawn)},
		{"always bets, against all pure responses", filled(func(int) float64 { return 1 }), exploited(filled(func(int) float64 { return 1 }))},
	} {
		got, err := KuhnExploitability(c.strategy)
		if err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, error %v, want %v", c.why, got, err, c.want)
		}
	}
	if p := alpha(0.5); exploited(p) < 0.01 {
		t.Errorf("%v is no equilibrium, but nothing exploits it", p)
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		s := alpha(0)
		s[KuhnSpot{2, "bet"}] = bad
		if got, err := KuhnExploitability(s); err == nil {
			t.Errorf("a strategy with %v is exploitable by %v", bad, got)
		}
	}
	if got, err := KuhnExploitability(nil); err == nil {
		t.Errorf("no strategy is exploitable by %v", got)
	}
}

// exploited is the exploitability by brute force: over all pure strategies and all deals.
func exploited(s map[KuhnSpot]float64) float64 {
	return (bestPure(s, 0) + bestPure(s, 1)) / 2
}

// bestPure is what the best pure strategy of a seat wins, of 64.
func bestPure(s map[KuhnSpot]float64, seat int) float64 {
	best := math.Inf(-1)
	for pure := range 64 {
		mixed := filled(func(i int) float64 { return float64(pure >> (i % 6) & 1) })
		for i, spot := range KuhnSpots() {
			if i/6 != seat {
				mixed[spot] = s[spot]
			}
		}
		sum := 0.0
		for deal := range 9 {
			if one, two := deal/3+1, deal%3+1; one != two {
				sum += kuhnHand(mixed, one, two) / 6
			}
		}
		if seat == 1 {
			sum = -sum
		}
		best = max(best, sum)
	}
	return best
}

// kuhnHand is what the first player wins, from the rules alone.
func kuhnHand(s map[KuhnSpot]float64, one, two int) float64 {
	high := 1.0
	if two > one {
		high = -1
	}
	bet, call := s[KuhnSpot{one, ""}], s[KuhnSpot{two, "bet"}]
	later, answer := s[KuhnSpot{two, "check"}], s[KuhnSpot{one, "check bet"}]
	return bet*(call*2*high+(1-call)*1) + (1-bet)*((1-later)*high+later*(answer*2*high-(1-answer)*1))
}

func ExampleKuhnExploitability() {
	always := map[KuhnSpot]float64{}
	for _, spot := range KuhnSpots() {
		always[spot] = 1
	}
	fmt.Println(KuhnExploitability(always))
	// Output: 0.3333333333333333 <nil>
}
