package cards

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// A pokerSides is a match of poker between two seats. Seat 0 acts first in the first hand, and then
// the seats alternate.
type pokerSides struct {
	poker
	tables *games.Tables
	hand   int
	bets   betting
	moves  []string  // of the hand
	won    float64   // by seat 0
	news   [2]string // of the last move, by seat
}

// RulesAt implements [games.Sided].
func (p poker) RulesAt(seat, wording int) string { return p.game(seat, wording) }

// Sides implements [games.Sided]. The cards are those of the problem.
func (p poker) Sides(_ games.Luck, tables *games.Tables) games.Sides {
	return &pokerSides{poker: p, tables: tables, bets: p.limit().opening()}
}

// as is the player of the hand that has a seat.
func (s *pokerSides) as(seat int) player { return player((s.hand + seat) % 2) }

// Seat implements [games.Sides].
func (s *pokerSides) Seat() int { return (s.hand + int(s.bets.turn)) % 2 }

// Show implements [games.Sides].
func (s *pokerSides) Show(seat int) string { return s.shown(s.as(seat), s.hand, s.moves) }

// Brief describes a hand in a few characters, as against an equilibrium.
func (s *pokerSides) Brief(seat int) string {
	return s.equal().briefAs(s.as(seat), s.hand, s.moves)
}

// equal is the game against an equilibrium.
func (s *pokerSides) equal() poker {
	p := s.poker
	p.Opponent, p.Table = "equilibrium", nil
	return p
}

// Says implements [games.Sides].
func (s *pokerSides) Says(mine bool, move string) string { return s.says(mine, move) }

// News implements [games.Sides].
func (s *pokerSides) News(seat int) string { return s.news[seat] }

// Move implements [games.Sides].
func (s *pokerSides) Move(text string) (name, why string) {
	if name, why = s.read(s.moves, strings.Join(strings.Fields(strings.ToLower(text)), " ")); why != "" {
		return "", why
	}
	round := s.bets.round
	s.bets, s.moves, s.news = s.bets.after(name), append(s.moves, name), [2]string{}
	switch {
	case s.bets.over():
		s.end()
	case s.bets.round > round:
		s.news = [2]string{s.shows(s.hand), s.shows(s.hand)}
	}
	return name, ""
}

// end pays a hand, and begins the next.
func (s *pokerSides) end() {
	deal := s.deal(s.hand)
	won := s.bets.pay(deal[0], deal[1], s.board())
	if s.as(0) == second {
		won = -won
	}
	s.won += won
	for seat, gain := range []float64{won, -won} {
		s.news[seat] = s.ended(1-s.as(seat), s.hand, s.moves) + gained(gain)
		if s.hand+1 < s.hands() {
			s.news[seat] += " The next hand begins."
		}
	}
	s.hand, s.bets, s.moves = s.hand+1, s.limit().opening(), nil
}

// board is the public card; below 0: the game has none.
func (s *pokerSides) board() int {
	if s.Cards > 0 {
		return -1
	}
	return s.deal(s.hand)[2]
}

// Over implements [games.Sides].
func (s *pokerSides) Over() (worth float64, over bool) {
	if s.hand < s.hands() {
		return 0, false
	}
	return 0.5 + s.won/(2*s.poker.most()*float64(s.hands())), true
}

// odds are the chances of the moves in an equilibrium.
func (s *pokerSides) odds() []float64 {
	r := s.equal().solved(s.tables)
	at := r.root
	for _, move := range s.moves {
		if at.mover == chance {
			at = at.next[s.board()]
		}
		at = at.next[slices.Index(at.moves, move)]
	}
	if at.mover == chance {
		at = at.next[s.board()]
	}
	return r.strategy[at.row][s.deal(s.hand)[s.bets.turn]]
}

// Best implements [games.Sides].
func (s *pokerSides) Best() (moves []string) {
	for i, p := range s.odds() {
		if p > slack {
			moves = append(moves, s.Allowed()[i])
		}
	}
	return moves
}

// Allowed implements [games.Sides].
func (s *pokerSides) Allowed() []string { return s.bets.moves() }

// Play implements [games.Sides].
func (s *pokerSides) Play(r *rng.Rand) string { return s.Allowed()[drawn(s.odds(), r.Float())] }
