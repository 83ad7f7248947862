package cards

import (
	"math"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
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
		{blackjackTable.Game(), 2, blackjackWorth},
	} {
		of, err := c.game.Scenario.Over(c.game.Task, []byte(`{"reward":"outcome"}`))
		if err != nil {
			t.Fatal(err)
		}
		const matches = 300
		tables := new(games.Tables)
		var sum, squares float64
		for index := range matches {
			p, err := of.Problem(quintain.Draw{Seed: 3, Level: c.level, Index: index})
			if err != nil {
				t.Fatal(err)
			}
			worth, err := c.share(tables, p.Instance)
			if err != nil {
				t.Fatal(err)
			}
			off := earned(t, of, p) - worth
			sum, squares = sum+off, squares+off*off
		}
		mean := sum / matches
		if off := math.Sqrt((squares/matches - mean*mean) / matches); !(math.Abs(mean) <= 4*off) || off == 0 {
			t.Errorf("%s, level %d: the best play earns %.4f ± %.4f more than it is worth", c.game.Task.Info().Name, c.level, mean, off)
		}
	}
}

// earned plays any of the best moves to the end.
func earned(t *testing.T, of quintain.Scenario, p quintain.Problem) (sum float64) {
	t.Helper()
	env, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	r := rng.New(uint64(p.Index), "best")
	for {
		advice := env.(interface{ Advice() quintain.Advice }).Advice()
		step, err := env.Step(t.Context(), quintain.Reply{Text: rng.Pick(r, advice.Best), Finish: quintain.Stop})
		if err != nil {
			t.Fatal(err)
		}
		if sum += step.Reward; step.End != quintain.Going {
			return sum
		}
	}
}

// match begins a match from the record of a problem.
func match[S games.Start](tables *games.Tables, record quintain.Record) (games.Match, error) {
	var r struct {
		Start   S
		Luck    uint64
		Wording int
	}
	raw, err := record.JSON()
	if err == nil {
		err = jsonform.Unmarshal(raw, &r)
	}
	return r.Start.Match(games.Luck{}, tables), err
}

func contestWorth[S games.Start](tables *games.Tables, record quintain.Record) (worth float64, err error) {
	m, err := match[S](tables, record)
	c := m.(*contest)
	for hand := range c.hands() {
		worth += c.rival().responses[seat(hand)].best
	}
	return 0.5 + worth/(2*c.most()*float64(c.hands())), err
}

func matrixWorth(tables *games.Tables, record quintain.Record) (worth float64, err error) {
	m, err := match[matrices](tables, record)
	g := m.(*guessing)
	return 0.5 + g.foresight().look(g.belief).best/float64(2*mostPay*g.Rounds), err
}

func blackjackWorth(tables *games.Tables, record quintain.Record) (worth float64, err error) {
	m, err := match[blackjack](tables, record)
	s := m.(*sitting)
	_, worth = s.worth() // of the first hand, without naturals
	for _, deal := range s.Deals[1:] {
		worth += s.shoe().dealt(deal[0], deal[1], deal[2], s.Double).best
	}
	return 0.5 + worth/float64(4*s.Hands), err
}
