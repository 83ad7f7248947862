package scenariotest

import (
	"math"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// Luck tests that what the best play wins on average is what it is said to be worth, from 0 to 1.
func Luck(t *testing.T, g *games.Game, level int, worth func(*games.Tables, quintain.Record) (float64, error)) {
	t.Helper()
	of, err := g.Scenario.Over(g.Task, []byte(`{"reward":"outcome"}`))
	if err != nil {
		t.Fatal(err)
	}
	tables := new(games.Tables)
	var sum, squares float64
	for index := range luckMatches {
		p, err := of.Problem(quintain.Draw{Seed: 3, Level: level, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		share, err := worth(tables, p.Instance)
		if err != nil {
			t.Fatal(err)
		}
		off := earned(t, of, p) - share
		sum, squares = sum+off, squares+off*off
	}
	mean := sum / luckMatches
	if off := math.Sqrt((squares/luckMatches - mean*mean) / luckMatches); !(math.Abs(mean) <= 4*off) || off == 0 {
		t.Errorf("%s, level %d: the best play earns %.4f ± %.4f more than it is worth", g.Task.Info().Name, level, mean, off)
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

// Begin begins a match from the record of a problem.
func Begin[S games.Start](tables *games.Tables, record quintain.Record) (games.Match, error) {
	var r struct {
		Start   S
		Luck    uint64
		Wording int
	}
	raw, err := record.JSON()
	if err == nil {
		err = strictjson.Unmarshal(raw, &r)
	}
	return r.Start.Match(games.Luck{}, tables), err
}
