package catalog_test

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// The solutions of all tasks at all levels earn 1 by the scores of reasoning-gym too.
func TestSolutionsEarnReasoningGymsScore(t *testing.T) {
	for _, of := range catalog.Tasks() {
		for level := range of.Info().Levels {
			p, err := of.Problem(quintain.Draw{Seed: 11, Level: level})
			if err != nil {
				t.Fatal(err)
			}
			solution, err := of.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := reasoninggym.ReasoningGym.Grade(of, p, &solution); err != nil || v.Score != 1 {
				t.Errorf("%s: the solution, %.100q, is graded %+v, error %v", p.ID(), solution, v, err)
			}
		}
	}
}

// The scenario pays by the scores of its setting, and each setting has streams of its own.
func TestScenarioScores(t *testing.T) {
	all, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	spec, err := catalog.Scenario("reasoning_gym")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		task, why    string
		reply        func(solution string) string
		ours, theirs float64
	}{
		{"gsm_symbolic", "a wrong number", func(string) string { return "<answer>123456789</answer>" }, 0, 0.01},
		{"gsm_symbolic", "the right one", func(s string) string { return "<answer>" + s + "</answer>" }, 1, 1},
		{"sentence_reordering", "as many words as one", func(string) string { return "<answer>zzz</answer>" }, 0, 0.05},
		{"countdown", "any formula", func(string) string { return "<answer>1 + 1</answer>" }, 0, 0.05},
		{"gcd", "as a formula, which the task reads", func(s string) string { return "<answer>$" + s + "$</answer>" }, 1, 1.0 / 3},
		{"gcd", "no answer", func(string) string { return "?" }, 0, 0},
	} {
		of, err := all.Get(test.task)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for settings, want := range map[string]float64{`{}`: test.ours, `{"scores":"quintain"}`: test.ours, `{"scores":"reasoning-gym"}`: test.theirs} {
			s, err := spec.Over(of, []byte(settings))
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Problem(quintain.Draw{Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			ids[p.ID()] = true
			solution, err := of.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			if got := rewardOf(t, s, p, test.reply(solution)); got != want {
				t.Errorf("%s, %s, %s: the reward is %v, want %v", test.task, settings, test.why, got, want)
			}
		}
		if len(ids) != 2 {
			t.Errorf("%s: the problems of two kinds of scores have the IDs %v", test.task, ids)
		}
	}
}

// rewardOf plays one reply.
func rewardOf(t *testing.T, s quintain.Scenario, p quintain.Problem, reply string) float64 {
	t.Helper()
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	step, err := e.Step(t.Context(), quintain.Reply{Text: reply, Finish: quintain.Stop})
	if err != nil {
		t.Fatal(err)
	}
	return step.Reward
}
