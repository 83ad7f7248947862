//go:build heavy

package cards

import (
	"math"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// The best response to an equilibrium hardly wins more than the game is worth.
func TestEquilibriaOfManyBids(t *testing.T) {
	c := cups{Dice: 2, Faces: 3, Wild: true}
	if e := c.tree().exploitability(*c.equilibrium()); e > 0.003 {
		t.Errorf("an exploitability of %v", e)
	}
}

// With a die of three faces each, the highest of which is wild, the first wins 1/9 more than it loses, by the specification's figure of
// open_spiel.
func TestTheEquilibriumOfDiceEarnsTheValueOfTheGame(t *testing.T) {
	tables, r := new(games.Tables), rng.New(1, "equilibrium of dice")
	const n = 20_000
	wins := 0.0
	for range n {
		start := round(3, r.Between(1, 3), r.Between(1, 3))
		start.Wild = true
		s := start.Sides(games.Luck{}, tables)
		for _, over := s.Over(); !over; _, over = s.Over() {
			s.Move(s.Play(r))
		}
		worth, _ := s.Over()
		wins += worth
	}
	if mean := 2*wins/n - 1; math.Abs(mean-1.0/9) > 4/math.Sqrt(n) {
		t.Errorf("the first wins %v a round, want 1/9", mean)
	}
}

// The equilibrium, played against itself, earns what the game is worth: the second gains 1/18 of a
// chip a hand (Kuhn, 1950).
func TestTheEquilibriumEarnsTheValueOfTheGame(t *testing.T) {
	tables, r := new(games.Tables), rng.New(1, "equilibrium")
	sum, square, n := 0.0, 0.0, 20_000
	for range n {
		cards := rng.Sample(r, []int{0, 1, 2}, 2)
		s := hand(cards[0], cards[1]).Sides(games.Luck{}, tables)
		for _, over := s.Over(); !over; _, over = s.Over() {
			s.Move(s.Play(r))
		}
		worth, _ := s.Over()
		won := 4 * (worth - 0.5)
		sum, square = sum+won, square+won*won
	}
	mean := sum / float64(n)
	if off := math.Sqrt(square/float64(n)) / math.Sqrt(float64(n)); math.Abs(mean+1.0/18) > 4*off {
		t.Errorf("the first wins %v a hand, want -1/18 within %v", mean, 4*off)
	}
}
