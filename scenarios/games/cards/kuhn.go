package cards

import (
	"fmt"
	"strings"
)

// A KuhnSpot is all that the player to move knows in a hand of Kuhn's poker with three cards.
type KuhnSpot struct {
	Card  int    // 1 to 3
	Moves string // of the hand so far: "", "check", "bet" or "check bet"
}

// KuhnSpots lists the twelve spots: six of the player who acts first, then six of the other.
func KuhnSpots() (all []KuhnSpot) {
	for _, moves := range []string{"", "check bet", "check", "bet"} {
		for card := 1; card <= 3; card++ {
			all = append(all, KuhnSpot{card, moves})
		}
	}
	return all
}

// KuhnExploitability is what the best responses to a strategy win of it per hand, averaged over
// both seats: 0 for an equilibrium, 11/24 for uniform play. A strategy gives, for each spot, the
// probability to bet or, if there is a bet, to call.
func KuhnExploitability(bets map[KuhnSpot]float64) (float64, error) {
	for _, spot := range KuhnSpots() {
		if p, has := bets[spot]; !has || !(p >= 0 && p <= 1) {
			return 0, fmt.Errorf("the strategy has %v for card %d after %q, want a probability", p, spot.Card, spot.Moves)
		}
	}
	t := kuhn(3).tree()
	s := make(strategy, t.rows)
	t.root.along(nil, func(n *node, moves []string) {
		for holds := range t.holds {
			p := bets[KuhnSpot{holds + 1, strings.Join(moves, " ")}]
			s[n.row] = append(s[n.row], []float64{1 - p, p})
		}
	})
	return t.exploitability(s), nil
}

// along calls f for each decision below a node, with the moves that lead to it.
func (n *node) along(moves []string, f func(*node, []string)) {
	if n.mover == nobody {
		return
	}
	f(n, moves)
	for i, next := range n.next {
		next.along(append(moves[:len(moves):len(moves)], n.moves[i]), f)
	}
}
