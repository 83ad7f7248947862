package duels

import (
	"fmt"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// A chessSides is an endgame between two seats. Seat 0 has the task of the problem: as White to mate,
// or as Black to hold the draw. It wins by that, and else the other does.
type chessSides struct {
	finish
	plies int
	limit int // moves in which White must mate; 0: Black holds
}

// RulesAt implements [games.Sided].
func (p chessStart) RulesAt(seat, wording int) string {
	begin := []string{"This is the end of a game of chess, and you play %s. ", "You are %s in an endgame of chess. ", "A chess endgame, in which you have the %s pieces. "}[wording]
	name := [2]string{"White", "Black"}[(seat+min(p.Hold, 1))%2]
	if wording == 2 {
		name = [2]string{"white", "black"}[(seat+min(p.Hold, 1))%2]
	}
	text := fmt.Sprintf(begin, name)
	switch {
	case p.Hold > 0 && seat == 0:
		text += fmt.Sprintf("The position is a draw with the right moves. You win if you hold it for %d moves of yours, or earlier if White has too little left to mate or there is a stalemate. You lose as soon as White can force mate.", p.Hold)
	case p.Hold > 0:
		text += fmt.Sprintf("The position is a draw with the right moves. You win as soon as you can force mate. You lose if Black holds out for %d moves, or earlier if you have too little left to mate or there is a stalemate.", p.Hold)
	case seat == 0:
		text += fmt.Sprintf("You can force mate, and win by mating Black in %d moves of yours at most. You lose if you have not by then, or as soon as you can no longer force mate, by a stalemate or otherwise.", p.Turns())
	default:
		text += fmt.Sprintf("White can force mate, and wins by mating you in %d moves at most. You win if that has not happened by then, or as soon as White can no longer force mate, by a stalemate or otherwise.", p.Turns())
	}
	return text + " Repetition and the rule of fifty moves play no part. Write a move in algebraic notation, such as Kd4, or by its two squares, such as e3d4."
}

// Sides implements [games.Sided].
func (p chessStart) Sides(games.Luck, *games.Tables) games.Sides {
	s := &chessSides{finish: finish{chess: p.chess(), defends: p.Hold > 0, hold: p.Hold}}
	if p.Hold == 0 {
		s.limit = p.Turns()
	}
	return s
}

// Seat implements [games.Sides].
func (s *chessSides) Seat() int { return s.plies % 2 }

// Show implements [games.Sides]: both see everything.
func (s *chessSides) Show(int) string {
	text := s.finish.Show()
	if s.limit > 0 {
		text += fmt.Sprintf("\nMoves left for White: %d", s.limit-s.turn)
	}
	return text
}

// Move implements [games.Sides].
func (s *chessSides) Move(text string) (name, why string) {
	mv, why := s.read(text)
	if why != "" {
		return "", why
	}
	if s.Seat() == 0 {
		_, all := s.loss(mv)
		s.lost = s.lost || all
		s.turn++
	}
	name = s.spell(mv)
	s.chess = s.after(mv)
	s.plies++
	return name, ""
}

// Over implements [games.Sides].
func (s *chessSides) Over() (worth float64, over bool) {
	if worth, over = s.finish.Over(); over || s.limit == 0 || s.turn < s.limit {
		return worth, over
	}
	return 0, true
}

// Says implements [games.Sides].
func (s *chessSides) Says(mine bool, move string) string {
	if mine {
		return "You play " + move + "."
	}
	return "Your opponent plays " + move + "."
}

// News implements [games.Sides]: the position tells all.
func (s *chessSides) News(int) string { return "" }

// Best implements [games.Sides]. Seat 1 lasts longest as Black, and as White leaves the fewest
// replies that hold.
func (s *chessSides) Best() (names []string) {
	if s.Seat() == 0 {
		return s.finish.Best()
	}
	for _, mv := range s.toughest(s.moves()) {
		names = append(names, s.spell(mv))
	}
	return names
}

// Play implements [games.Sides].
func (s *chessSides) Play(r *rng.Rand) string { return rng.Pick(r, s.Best()) }
