package exam

import (
	"math"
	"testing"

	"github.com/quintain-rl/quintain"
)

// played is an episode whose turns have some values; a negative one is unknown.
func valued(values ...float64) *quintain.Trajectory {
	t := &quintain.Trajectory{Problem: quintain.Problem{Scenario: "nim_family.v1-abc", Task: "nim_family"}, Outcome: quintain.Scored}
	for _, v := range values {
		turn := quintain.Turn{}
		if v >= 0 {
			turn.Value = &v
		}
		t.Turns = append(t.Turns, turn)
	}
	return t
}

func TestRegretIsTheFallOfTheValue(t *testing.T) {
	for _, test := range []struct {
		why     string
		values  []float64
		regrets []float64 // negative: unknown
		blunder int
		all     float64
	}{
		{"the best play", []float64{1, 1}, []float64{0, 0}, -1, 0},
		{"small losses are no blunder", []float64{0.95, 0.9, 0.85}, []float64{0.05, 0.05, 0.05}, -1, 0.15},
		{"the first blunder, not the largest", []float64{1, 0.9, 0.2}, []float64{0, 0.1, 0.7}, 1, 0.8},
		{"all is lost at once", []float64{0}, []float64{1}, 0, 1},
		{"an unknown value hides two turns", []float64{0.9, -1, 0.5}, []float64{0.1, -1, -1}, 0, 0.1},
	} {
		got := RegretOf(valued(test.values...))
		for k, want := range test.regrets {
			if (got.Turns[k] == nil) != (want < 0) || want >= 0 && math.Abs(got.Turns[k].Regret-want) > 1e-9 {
				t.Errorf("%s: turn %d has %v, want the regret %v", test.why, k, got.Turns[k], want)
			}
		}
		if got.Blunder != test.blunder || math.Abs(got.Play.Regret-test.all) > 1e-9 {
			t.Errorf("%s: the first blunder is turn %d, the regret %v, want %d and %v", test.why, got.Blunder, got.Play.Regret, test.blunder, test.all)
		}
	}
	if got := RegretOf(valued(-1, -1)); got.Play != nil || got.Blunder != -1 {
		t.Errorf("without values, the regret is %+v", got)
	}
}

// In a tree, the value before a call is that after the call that it continues.
func TestRegretFollowsTheTree(t *testing.T) {
	tree := valued(0.8, 0.5, 0.7)
	for k, parent := range []int{-1, 0, 0} {
		tree.Turns[k].Call = &quintain.Call{Parent: parent}
	}
	if got := RegretOf(tree).Turns[2].Regret; math.Abs(got-0.1) > 1e-9 {
		t.Errorf("the second branch gives away %v, want 0.1", got)
	}
}

func TestMeansAreByScenario(t *testing.T) {
	by := RegretByScenario{}
	one, two, failed, other := valued(1, 0.5), valued(0, 0, 0, 0), valued(0), valued(-1)
	one.Turns[0].Illegal, two.Turns[3].Illegal, two.Turns[2].Illegal = true, true, true
	failed.Outcome, other.Problem.Scenario = quintain.InfraFailed, "math_multi_turn.v1"
	for _, e := range []*quintain.Trajectory{one, two, failed, other} {
		by.Add(e)
	}
	if want := (MeanRegrets{Episodes: 2, Regret: 0.75, Illegal: 0.5, Turns: 3}); len(by) != 1 || by["nim_family"] != want {
		t.Errorf("the means are %+v, want %+v of nim_family alone", by, want)
	}
	if got, want := by["nim_family"].String(), "regret 0.750, 50.0 % of the moves illegal, 3.0 turns an episode"; got != want {
		t.Errorf("they read %q, want %q", got, want)
	}
	e := RegretOf(one)
	if got, want := e.String(), "regret 0.5 in 2 turns, 1 of them illegal; the first blunder is turn 2, which gives away 0.5"; got != want {
		t.Errorf("an episode reads %q, want %q", got, want)
	}
}
