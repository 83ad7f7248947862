package cards

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// round is a match of one round with a die each.
func round(faces, one, two int) dice {
	return dice{cups: cups{Dice: 1, Faces: faces}, Opponent: "honest", Rolls: [][2][]int{{{one}, {two}}}}
}

// A seat sees nothing that depends on the other's die before the challenge.
func TestSidesHideDice(t *testing.T) {
	tables := new(games.Tables)
	for seat := range 2 {
		starts := [2]dice{round(3, 2, 1), round(3, 2, 3)}
		if seat == 1 {
			starts = [2]dice{round(3, 1, 2), round(3, 3, 2)}
		}
		low, high := starts[0].Sides(games.Luck{}, tables), starts[1].Sides(games.Luck{}, tables)
		for _, move := range []string{"1 two", "2 ones", "2 threes", liar} {
			if low.Show(seat) != high.Show(seat) || low.News(seat) != high.News(seat) {
				t.Errorf("before %s, seat %d sees %q %q or %q %q", move, seat, low.News(seat), low.Show(seat), high.News(seat), high.Show(seat))
			}
			for _, s := range []games.Sides{low, high} {
				if _, why := s.Move(move); why != "" {
					t.Fatal(why)
				}
			}
		}
		if !strings.Contains(low.News(seat), "die shows 1") || !strings.Contains(high.News(seat), "die shows 3") {
			t.Errorf("in the end, seat %d is told %q and %q", seat, low.News(seat), high.News(seat))
		}
	}
}

func TestSidesSettleRounds(t *testing.T) {
	two := round(3, 2, 2)
	two.Rolls = append(two.Rolls, [2][]int{{1}, {3}})
	wild := round(3, 2, 3)
	wild.Wild = true
	for _, c := range []struct {
		why   string
		start dice
		moves string
		want  []string // the beginnings and the ends of the news of both seats
		worth float64
	}{
		{"a true bid of the first", round(3, 2, 2), "2 twos,liar", []string{"bid of 2 twos is true. You win the round.", "bid of 2 twos is true. You lose the round."}, 1},
		{"a false one", round(3, 2, 1), "2 twos,liar", []string{"bid of 2 twos is false. You lose the round.", "bid of 2 twos is false. You win the round."}, 0},
		{"a false one of the second", round(3, 2, 1), "1 two,2 twos,liar", []string{"bid of 2 twos is false. You win the round.", "You lose the round."}, 1},
		{"a wild die", wild, "2 twos,liar", []string{"is true. You win the round.", "is true. You lose the round."}, 1},
		{"two rounds: the second seat bids first in the second", two, "2 twos,liar,1 one,liar", []string{"bid of 1 one is true. You lose the round.", "bid of 1 one is true. You win the round."}, 0.5},
	} {
		s := c.start.Sides(games.Luck{}, new(games.Tables))
		for move := range strings.SplitSeq(c.moves, ",") {
			if !slices.Contains(s.Allowed(), move) {
				t.Errorf("%s: %s is none of %q", c.why, move, s.Allowed())
			}
			if _, why := s.Move(move); why != "" {
				t.Fatalf("%s: %s: %s", c.why, move, why)
			}
		}
		worth, over := s.Over()
		if !over || worth != c.worth || !strings.HasSuffix(s.News(0), c.want[0]) || !strings.HasSuffix(s.News(1), c.want[1]) {
			t.Errorf("%s: %q and %q, over %v with %v; want %q and %v", c.why, s.News(0), s.News(1), over, worth, c.want, c.worth)
		}
	}
}

// A decision is found by its number, without the tree.
func TestDecisionsOfDiceAreCounted(t *testing.T) {
	start := round(3, 1, 1)
	var visit func(n *node, moves []string)
	met := 0
	visit = func(n *node, moves []string) {
		if n.mover == nobody {
			return
		}
		met++
		s := &diceSides{start: start, moves: moves}
		if row := s.row(); row != n.row || !slices.Equal(s.Allowed(), n.moves) {
			t.Errorf("after %q: row %d and the moves %q, want %d and %q", moves, row, s.Allowed(), n.row, n.moves)
		}
		for i, next := range n.next {
			visit(next, append(moves[:len(moves):len(moves)], n.moves[i]))
		}
	}
	visit(start.tree().root, nil)
	if met != 64 {
		t.Errorf("there are %d decisions, want 64", met)
	}
}
