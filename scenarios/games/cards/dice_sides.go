package cards

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// A diceSides is a match of liar's dice between two seats. Seat 0 bids first in the first round, and
// then the seats alternate.
type diceSides struct {
	start  dice
	tables *games.Tables
	round  int
	moves  []string  // of the round
	wins   int       // of seat 0
	news   [2]string // of the last move, by seat
}

// RulesAt implements [games.Sided].
func (d dice) RulesAt(seat, wording int) string { return d.game(seat, wording) }

// Sides implements [games.Sided]. The rolls are those of the problem.
func (d dice) Sides(_ games.Luck, tables *games.Tables) games.Sides {
	return &diceSides{start: d, tables: tables}
}

// as is the player of the round that has a seat.
func (s *diceSides) as(seat int) player { return player((s.round + seat) % 2) }

// Seat implements [games.Sides].
func (s *diceSides) Seat() int { return (s.round + len(s.moves)) % 2 }

// Show implements [games.Sides].
func (s *diceSides) Show(seat int) string { return s.start.shown(s.as(seat), s.round, s.moves) }

// Says implements [games.Sides].
func (s *diceSides) Says(mine bool, move string) string { return s.start.says(mine, move) }

// News implements [games.Sides].
func (s *diceSides) News(seat int) string { return s.news[seat] }

// Move implements [games.Sides].
func (s *diceSides) Move(text string) (name, why string) {
	if name, why = s.start.read(s.moves, strings.Join(strings.Fields(strings.ToLower(text)), " ")); why != "" {
		return "", why
	}
	s.moves, s.news = append(s.moves, name), [2]string{}
	if name == liar {
		s.end()
	}
	return name, ""
}

// end decides a round, and begins the next.
func (s *diceSides) end() {
	rolls := s.start.Rolls[s.round]
	bid, _ := readBid(s.moves[len(s.moves)-2])
	holds := s.start.counts(rolls[0], bid.face)+s.start.counts(rolls[1], bid.face) >= bid.count
	bidder := player(len(s.moves) % 2) // of liar and the bid, the bid is the second last
	for seat := range s.news {
		s.news[seat] = s.start.ended(s.as(seat), s.round, s.moves, (s.as(seat) == bidder) == holds)
	}
	if (s.as(0) == bidder) == holds {
		s.wins++
	}
	s.round, s.moves = s.round+1, nil
}

// Over implements [games.Sides]: each round is worth the same.
func (s *diceSides) Over() (worth float64, over bool) {
	if s.round < len(s.start.Rolls) {
		return 0, false
	}
	return float64(s.wins) / float64(len(s.start.Rolls)), true
}

// equilibrium works out an equilibrium of a round. With many bids it has fewer rounds of learning, and
// takes about a second of a core; the best response to it wins less than 0.003 a round.
func (c cups) equilibrium() *strategy {
	const few, many, bids = 1000, 100, 8
	rounds := few
	if 2*c.Dice*c.Faces > bids {
		rounds = many
	}
	s := c.tree().equilibrium(rounds)
	return &s
}

// odds are the chances of the moves in an equilibrium.
func (s *diceSides) odds() []float64 {
	row := s.row()
	return (*games.Table(s.tables, fmt.Sprint("sides", s.start.cups), s.start.cups.equilibrium))[row][s.start.deal(s.round)[len(s.moves)%2]]
}

// row is the number of the decision in the tree, which is made depth first: after a bid, those of
// its answers follow, each with all below it.
func (s *diceSides) row() (row int) {
	all := s.start.bids()
	last := -1
	for _, m := range s.moves {
		at := slices.IndexFunc(all, func(b bid) bool { return b.String() == m })
		row++
		for skipped := last + 1; skipped < at; skipped++ {
			row += 1 << (len(all) - 1 - skipped) // the decisions below a bid, which are the sets of those above it
		}
		last = at
	}
	return row
}

// Best implements [games.Sides].
func (s *diceSides) Best() (moves []string) {
	allowed := s.Allowed()
	for i, p := range s.odds() {
		if p > slack {
			moves = append(moves, allowed[i])
		}
	}
	return moves
}

// Allowed implements [games.Sides].
func (s *diceSides) Allowed() (moves []string) {
	from := 0
	for i, b := range s.start.bids() {
		if len(s.moves) > 0 && b.String() == s.moves[len(s.moves)-1] {
			from = i + 1
		}
	}
	for _, b := range s.start.bids()[from:] {
		moves = append(moves, b.String())
	}
	if len(s.moves) > 0 {
		moves = append(moves, liar)
	}
	return moves
}

// Play implements [games.Sides].
func (s *diceSides) Play(r *rng.Rand) string { return s.Allowed()[drawn(s.odds(), r.Float())] }
