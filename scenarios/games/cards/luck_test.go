package cards

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/scenarios/games"
)

// What the best play wins on average is what it is said to be worth: cards, dice and opponents are
// drawn as the solvers assume.
func TestLuckIsAsTold(t *testing.T) {
	for _, c := range []struct {
		game  *games.Game
		level int
		share func(*games.Tables, quintain.Record) (worth float64, err error) // of the best play, from 0 to 1
	}{
		{smallPoker.Game(), 1, contestWorth[poker]},
		{smallPoker.Game(), 4, contestWorth[poker]},
		{smallPoker.Game(), 5, contestWorth[poker]},
		{liarsDice.Game(), 1, contestWorth[dice]},
		{matrixDuel.Game(), 2, matrixWorth},
	} {
		scenariotest.Luck(t, c.game, c.level, c.share)
	}
}

func contestWorth[S games.Start](tables *games.Tables, record quintain.Record) (worth float64, err error) {
	m, err := scenariotest.Begin[S](tables, record)
	c := m.(*contest)
	for hand := range c.hands() {
		worth += c.rival().responses[seat(hand)].best
	}
	return 0.5 + worth/(2*c.most()*float64(c.hands())), err
}

func matrixWorth(tables *games.Tables, record quintain.Record) (worth float64, err error) {
	m, err := scenariotest.Begin[matrices](tables, record)
	g := m.(*guessing)
	return 0.5 + g.foresight().look(g.belief).best/float64(2*mostPay*g.Rounds), err
}
