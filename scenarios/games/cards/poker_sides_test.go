package cards

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// hand is a match of one hand of Kuhn's poker.
func hand(one, two int) poker {
	return poker{Cards: 3, Opponent: "equilibrium", Deals: [][3]int{{one, two, 3 - one - two}}}
}

// A seat sees nothing that depends on the other's card before the showdown, and never a card that was
// folded.
func TestSidesHideCards(t *testing.T) {
	tables := new(games.Tables)
	for _, c := range []struct {
		moves  string
		reveal bool // in the end
	}{{"bet fold", false}, {"check bet fold", false}, {"bet call", true}, {"check check", true}, {"check bet call", true}} {
		for seat := range 2 {
			deals := [2]poker{hand(1, 0), hand(1, 2)}
			if seat == 1 {
				deals = [2]poker{hand(0, 1), hand(2, 1)}
			}
			low, high := deals[0].Sides(games.Luck{}, tables), deals[1].Sides(games.Luck{}, tables)
			for _, move := range strings.Fields(c.moves) {
				if low.Show(seat) != high.Show(seat) || low.News(seat) != high.News(seat) {
					t.Errorf("%s: before %s, seat %d sees %q %q or %q %q", c.moves, move, seat, low.News(seat), low.Show(seat), high.News(seat), high.Show(seat))
				}
				low.Move(move)
				high.Move(move)
			}
			shown := strings.Contains(low.News(seat), "shows 1") && strings.Contains(high.News(seat), "shows 3")
			if shown != c.reveal || !c.reveal && strings.Contains(low.News(seat)+high.News(seat), "shows") {
				t.Errorf("%s: in the end, seat %d is told %q and %q", c.moves, seat, low.News(seat), high.News(seat))
			}
		}
	}
}

func TestSidesSettleHands(t *testing.T) {
	for _, c := range []struct {
		why   string
		start poker
		moves string
		want  []string // news of both seats
		worth float64  // to seat 0: 1/2, and its gain by what may be gained at most
	}{
		{"the higher card", hand(2, 0), "bet call", []string{"Your opponent shows 1. You gain 2 chips.", "Your opponent shows 3. You lose 2 chips."}, 1},
		{"a fold", hand(0, 2), "bet fold", []string{"You gain 1 chip.", "You lose 1 chip."}, 0.75},
		{"two hands: the seats change", poker{Cards: 3, Opponent: "calls", Deals: [][3]int{{0, 1, 2}, {1, 0, 2}}}, "check check check check",
			[]string{"Your opponent shows 2. You lose 1 chip.", "Your opponent shows 1. You gain 1 chip."}, 0.25},
		{"a shared pot", poker{Opponent: "calls", Deals: [][3]int{{0, 0, 1}}}, "check check check check",
			[]string{"Your opponent shows J. You share the pot.", "Your opponent shows J. You share the pot."}, 0.5},
		{"a fold before the public card", poker{Opponent: "calls", Deals: [][3]int{{0, 1, 2}}}, "bet raise fold", []string{"You lose 3 chips.", "You gain 3 chips."}, 0.5 - 3.0/26},
		{"a pair", poker{Opponent: "calls", Deals: [][3]int{{0, 2, 0}}}, "check check bet raise call",
			[]string{"Your opponent shows K. You gain 9 chips.", "Your opponent shows J. You lose 9 chips."}, 0.5 + 9.0/26},
	} {
		s := c.start.Sides(games.Luck{}, new(games.Tables))
		for _, move := range strings.Fields(c.moves) {
			if _, why := s.Move(move); why != "" {
				t.Fatalf("%s: %s: %s", c.why, move, why)
			}
		}
		worth, over := s.Over()
		if got := []string{s.News(0), s.News(1)}; !slices.Equal(got, c.want) || !over || math.Abs(worth-c.worth) > 1e-12 {
			t.Errorf("%s: %q, over %v with %v; want %q and %v", c.why, got, over, worth, c.want, c.worth)
		}
	}
}
