package cards

import "strings"

// A LeducSpot is all that the player to move knows in a hand of Leduc hold'em, and what a strategy does
// there.
type LeducSpot struct {
	Card   int       `json:"card"`   // 1 to 3
	Public int       `json:"public"` // the public card; 0: not yet dealt
	Moves  string    `json:"moves"`  // of the hand so far, with a / where the public card was dealt
	Odds   []float64 `json:"odds"`   // of the legal moves, in the order check, bet, or fold, call, raise
}

// LeducEquilibrium lists the spots with the strategy of the opponent of small_poker that plays an
// equilibrium.
func LeducEquilibrium() (all []LeducSpot) {
	p := poker{Opponent: "equilibrium"}
	r := p.rival()
	var visit func(n *node, moves []string)
	visit = func(n *node, moves []string) {
		for holds := 0; n.mover <= second && holds < r.holds; holds++ {
			all = append(all, LeducSpot{holds + 1, n.shown + 1, strings.Join(moves, " "), r.strategy[n.row][holds]})
		}
		for i, next := range n.next {
			move := "/"
			if n.mover != chance {
				move = n.moves[i]
			}
			visit(next, append(moves[:len(moves):len(moves)], move))
		}
	}
	visit(r.root, nil)
	return all
}
