package cards

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// A matrixSides is a match between two seats, who move at once: in each round, both choose a letter,
// or both give a mix. Seat 1 is shown the matrix from its own side, so that both choose rows.
type matrixSides struct {
	matrices
	round int
	first mix // the move of seat 0 in the round; nil: it is to move
	won   float64
	news  [2]string // of the last round, by seat
}

var _ games.Blind = (*matrixSides)(nil)

// RulesAt implements [games.Sided]: they are the same for both.
func (s matrices) RulesAt(_, wording int) string {
	if len(s.Members) > 0 {
		return s.rounds(wording)
	}
	return fmt.Sprintf([]string{
		"You play a zero-sum game given by a matrix. You choose a row and your opponent a column, both named by the letters %[1]s; the number there is what you gain and your opponent loses. " +
			"You may leave your choice to chance: your move is a mix, with a weight for each row that you may play. Your opponent gives a mix of columns. " +
			"Your result is what you gain on average. There are %[2]d matrices, and each asks for one mix. %[3]s",
		"In each of %[2]d games, a matrix tells what you gain, and your opponent loses, when you play a row and your opponent a column (%[1]s). You do not choose a single row: you say how often you play each, " +
			"and your opponent does the same with the columns. What counts is your average gain. %[3]s",
		"There are %[2]d matrices of a zero-sum game. The rows (%[1]s) are your moves, the columns your opponent's, and each entry is your gain, which your opponent loses. For each matrix, give a mix of rows, " +
			"from which your row is drawn; your opponent gives a mix of columns. You get the average gain over both. %[3]s",
	}[wording], s.letters(), s.Rounds, weights)
}

// Sides implements [games.Sided].
func (s matrices) Sides(games.Luck, *games.Tables) games.Sides { return &matrixSides{matrices: s} }

// Seat implements [games.Sides].
func (s *matrixSides) Seat() int {
	if s.first == nil {
		return 0
	}
	return 1
}

// Blind implements [games.Blind].
func (s *matrixSides) Blind() bool { return s.first != nil }

// mixed reports whether the moves are mixes.
func (s *matrixSides) mixed() bool { return len(s.Members) == 0 }

// pay is the matrix of the round, from the side of a seat.
func (s *matrixSides) pay(seat int) [][]int {
	pay := s.Pay[0]
	if s.mixed() {
		pay = s.Pay[s.round]
	}
	if seat == 0 {
		return pay
	}
	turned := make([][]int, len(pay))
	for i := range turned {
		for j := range pay {
			turned[i] = append(turned[i], -pay[j][i])
		}
	}
	return turned
}

// Show implements [games.Sides].
func (s *matrixSides) Show(seat int) string {
	if s.round == s.Rounds {
		return "The match is over."
	}
	what := "round"
	if s.mixed() {
		what = "matrix"
	}
	text := fmt.Sprintf("%s\nThis is %s %d of %d.", table(s.pay(seat)), what, s.round+1, s.Rounds)
	if s.round > 0 {
		text += fmt.Sprintf(" Below, %s move of each %s comes first.", [2]string{"your", "your opponent's"}[seat], what)
	}
	return text
}

// Move implements [games.Sides].
func (s *matrixSides) Move(text string) (name, why string) {
	m, why := s.choice(text)
	if why != "" {
		return "", why
	}
	name = s.nameOf(m)
	if s.first == nil {
		s.first = m
		return name, ""
	}
	won := average(s.pay(0), s.first, m)
	for seat, gain := range []float64{won, -won} {
		s.news[seat] = s.gained(gain)
	}
	s.won += won
	s.round, s.first = s.round+1, nil
	return name, ""
}

// choice reads a move. A letter is a mix of one row.
func (s *matrixSides) choice(text string) (m mix, why string) {
	size := len(s.Pay[0])
	if s.mixed() {
		return readMix(text, size)
	}
	letters := s.names()
	for i, letter := range letters {
		if strings.ToUpper(strings.TrimSpace(text)) == letter {
			m = make(mix, size)
			m[i] = 1
			return m, ""
		}
	}
	return nil, fmt.Sprintf("%.20q is none of your moves, which are %s", text, strings.Join(letters, ", "))
}

// nameOf is the name of a move.
func (s *matrixSides) nameOf(m mix) string {
	if s.mixed() {
		return m.String()
	}
	return s.names()[m.row()]
}

// row is the one row of a mix that is a letter.
func (m mix) row() int {
	for i, w := range m {
		if w > 0 {
			return i
		}
	}
	return 0
}

// average is what the row wins when both mix.
func average(pay [][]int, rows, columns mix) (won float64) {
	for i, row := range pay {
		for j, win := range row {
			won += float64(float64(rows[i]) / float64(rows.sum()) * float64(columns[j]) / float64(columns.sum()) * float64(win))
		}
	}
	return won
}

// gained tells what a round has won.
func (s *matrixSides) gained(won float64) string {
	switch {
	case s.mixed() && won < 0:
		return fmt.Sprintf("You lose %.3f on average.", -won)
	case s.mixed():
		return fmt.Sprintf("You gain %.3f on average.", won)
	case won > 0:
		return fmt.Sprintf("You win %.0f.", won)
	case won < 0:
		return fmt.Sprintf("You lose %.0f.", -won)
	}
	return "Nobody wins."
}

// Says implements [games.Sides].
func (s *matrixSides) Says(mine bool, move string) string {
	who, verb, ending := "Your opponent", "play", "s"
	if mine {
		who, ending = "You", ""
	}
	if s.mixed() {
		verb = "mix"
		ending = strings.Replace(ending, "s", "es", 1)
	}
	return who + " " + verb + ending + " " + move + "."
}

// News implements [games.Sides].
func (s *matrixSides) News(seat int) string { return s.news[seat] }

// Over implements [games.Sides].
func (s *matrixSides) Over() (worth float64, over bool) {
	if s.round < s.Rounds {
		return 0, false
	}
	return 0.5 + s.won/float64(2*mostPay*s.Rounds), true
}

// optimal is the mix that wins most against the best answer to it.
func (s *matrixSides) optimal() mix { return solve(s.pay(s.Seat())).rows }

// Best implements [games.Sides]: all letters of the optimal mix, or the mix.
func (s *matrixSides) Best() (moves []string) {
	best := s.optimal()
	if s.mixed() {
		return []string{s.nameOf(best)}
	}
	for i, w := range best {
		if w > 0 {
			moves = append(moves, s.names()[i])
		}
	}
	return moves
}

// Allowed implements [games.Sides]: of the mixes, those in fourths and the best.
func (s *matrixSides) Allowed() (moves []string) {
	if !s.mixed() {
		return s.names()
	}
	for _, m := range append(fourths(len(s.Pay[0])), s.optimal()) {
		moves = append(moves, s.nameOf(m))
	}
	return moves
}

// Play implements [games.Sides].
func (s *matrixSides) Play(r *rng.Rand) string {
	best := s.optimal()
	if s.mixed() {
		return s.nameOf(best)
	}
	chances := make([]float64, len(best))
	for i, w := range best {
		chances[i] = float64(w) / float64(best.sum())
	}
	return s.names()[drawn(chances, r.Float())]
}
