package duels

import (
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// perfect names the tables of the best play of both sides.
const perfect opponent = "optimal"

// A sides is a match of two seats. Nothing is solved before somebody asks for the best moves.
type sides[S comparable] struct {
	*solver[S]
	board board[S]
	seat  int // to move
}

// Seat implements [games.Sides].
func (s *sides[S]) Seat() int { return s.seat }

// Show implements [games.Sides]: both see everything.
func (s *sides[S]) Show(int) string { return s.board.show() }

// Brief describes the position in a few characters, if the board can.
func (s *sides[S]) Brief(int) string { return brief(s.board) }

// Move implements [games.Sides].
func (s *sides[S]) Move(text string) (name, why string) {
	m, why := s.board.read(strings.Join(strings.Fields(strings.ToLower(text)), " "))
	if why != "" {
		return "", why
	}
	name = s.board.name(m.how)
	s.board, s.seat = m.next, 1-s.seat
	return name, ""
}

// Over implements [games.Sides].
func (s *sides[S]) Over() (worth float64, over bool) {
	switch {
	case !s.board.over():
		return 0, false
	case s.seat == 0:
		return s.board.worth(), true
	}
	return 1 - s.board.worth(), true
}

// Best implements [games.Sides].
func (s *sides[S]) Best() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return names(s.board, s.strongest(s.board.moves()))
}

// Allowed implements [games.Sides].
func (s *sides[S]) Allowed() []string { return names(s.board, s.board.moves()) }

// Says implements [games.Sides].
func (s *sides[S]) Says(mine bool, move string) string {
	if mine {
		return "You play " + move + "."
	}
	return "Your opponent plays " + move + "."
}

// News implements [games.Sides]: the position tells all.
func (s *sides[S]) News(int) string { return "" }

// Play implements [games.Sides].
func (s *sides[S]) Play(r *rng.Rand) string { return rng.Pick(r, s.Best()) }

// names returns the texts of moves.
func names[S comparable](b board[S], moves []move[S]) (all []string) {
	for _, m := range moves {
		all = append(all, b.name(m.how))
	}
	return all
}

// Sides implements [games.Sided].
func (p nim) Sides(_ games.Luck, tables *games.Tables) games.Sides {
	p.Opponent = perfect
	return &sides[[mostHeaps]int8]{solver: p.solver(tables), board: p.board()}
}

// RulesAt implements [games.Sided].
func (p row) RulesAt(seat, wording int) string { return p.rules(seat, wording) }

// Sides implements [games.Sided].
func (p row) Sides(_ games.Luck, tables *games.Tables) games.Sides {
	p.Opponent = perfect
	return &sides[pair]{solver: p.solver(tables), board: p.board()}
}
