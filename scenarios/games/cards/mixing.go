package cards

import (
	"fmt"
	"math/big"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// Mixes are what is known of the matrices of a match.
type mixes struct {
	values []*big.Rat // of each matrix
	best   [][]string // texts: one of the best mixes, and those of the allowed ones that are as good
	par    float64    // what uniform play among the allowed mixes gives away on average
}

// mixes solves the matrices.
func (s matrices) mixes() *mixes {
	all := new(mixes)
	for _, pay := range s.Pay {
		solved := solve(pay)
		best := []string{solved.rows.String()}
		value, _ := solved.value.Float64()
		allowed := fourths(len(pay))
		for _, m := range allowed {
			lost := value - float64(m.worst(pay))/float64(m.sum())
			all.par += lost / float64(len(allowed))
			if lost < slack && m.guaranteed(pay).Cmp(solved.value) == 0 && m.String() != best[0] {
				best = append(best, m.String())
			}
		}
		all.values, all.best = append(all.values, solved.value), append(all.best, best)
	}
	return all
}

// loss is what a mix gives away against the best answer.
func (m *mixes) loss(round int, pay [][]int, chosen mix) float64 {
	lost, _ := new(big.Rat).Sub(m.values[round], chosen.guaranteed(pay)).Float64()
	return lost
}

// A mixing is a match in which each move is a mix, and the opponent knows it.
type mixing struct {
	matrices
	solved func() *mixes // when the first move needs it
	round  int
	won    float64
	score  games.Score
}

var _ games.Match = (*mixing)(nil)

// Show implements [games.Match].
func (m *mixing) Show() string {
	if m.round == m.Rounds {
		return "The match is over."
	}
	return fmt.Sprintf("%s\nThis is matrix %d of %d.", table(m.Pay[m.round]), m.round+1, m.Rounds)
}

// Move implements [games.Match].
func (m *mixing) Move(text string) (told, why string) {
	pay := m.Pay[m.round]
	chosen, why := readMix(text, len(pay))
	if why != "" {
		return "", why
	}
	m.score.Par = m.solved().par
	m.score.Add(m.solved().loss(m.round, pay, chosen), 0)
	won, _ := chosen.guaranteed(pay).Float64()
	m.round++
	m.won += won
	return fmt.Sprintf("You mix %s. Against your opponent's best answer, you gain %.3f on average.", chosen, won), ""
}

// Over implements [games.Match].
func (m *mixing) Over() (worth float64, over bool) {
	if m.round < m.Rounds {
		return 0, false
	}
	return 0.5 + m.won/float64(2*mostPay*m.Rounds), true
}

// Value implements [games.Match].
func (m *mixing) Value() float64 { return m.score.Value() }

// Best implements [games.Match].
func (m *mixing) Best() []string { return m.solved().best[m.round] }

// Allowed implements [games.Match]: the mixes in fourths.
func (m *mixing) Allowed() (moves []string) {
	for _, allowed := range fourths(len(m.Pay[m.round])) {
		moves = append(moves, allowed.String())
	}
	return moves
}
