package catalog_test

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// Every level of every task has examples: right ones, which ask neither what is held out nor what is asked.
func TestExamplesOfEveryTask(t *testing.T) {
	t.Parallel()
	for _, task := range catalog.Tasks() {
		t.Run(task.Info().Name, func(t *testing.T) {
			t.Parallel()
			for level := range task.Info().Levels {
				showsExamples(t, task, quintain.Draw{Seed: 1, Level: level, Index: 7})
			}
		})
	}
}

// showsExamples checks the examples before the problem of d.
func showsExamples(t *testing.T, task quintain.Task, d quintain.Draw) {
	t.Helper()
	of := reasoningGym(t, task, `{"examples":2}`)
	p, err := of.Problem(d)
	if err != nil {
		t.Fatal(err)
	}
	e, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	talk, err := e.Open(t.Context())
	if err != nil || len(talk) != 6 || talk[5].Content != p.Prompt {
		t.Fatalf("%s: %d messages, error %v", p.ID(), len(talk), err)
	}
	right := map[string]string{} // by the questions of the next problems that are trained on
	for range 60 {
		d.Index++
		one, err := of.Problem(d)
		if err != nil {
			t.Fatal(err)
		}
		if key, err := of.Key(one); err == nil && !key.HeldOut() && one.Prompt != p.Prompt {
			right[one.Prompt] = solution(t, task, one)
		}
	}
	for _, at := range []int{1, 3} {
		if answer, known := right[talk[at].Content]; !known || answer != talk[at+1].Content || talk[1].Content == talk[3].Content {
			t.Errorf("%s: %q is answered by %q, want %q", p.ID(), talk[at].Content, talk[at+1].Content, answer)
		}
	}
	if step, err := e.Step(t.Context(), quintain.Reply{Text: solution(t, task, p)}); err != nil || !step.Right {
		t.Errorf("%s: a solution in the form of the examples earns %v (%s), error %v", p.ID(), step.Reward, step.Why, err)
	}
}

// solution returns a right reply to p.
func solution(t *testing.T, task quintain.Task, p quintain.Problem) string {
	t.Helper()
	answer, err := task.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	return quintain.ScenarioInfo{Tags: true}.Reply(answer)
}

// Settings without examples are hashed as before there were any: the IDs of data folders stay.
func TestExamplesKeepTheIDs(t *testing.T) {
	t.Parallel()
	task := catalog.Tasks()[0]
	for given, want := range map[string]string{
		`{"short_prompts":true}`:                "reasoning_gym.v2-0ef280", // as in a data folder of v0.1.0
		`{"examples_fixed":false,"examples":0}`: "reasoning_gym.v2",
		`{"examples":2}`:                        "reasoning_gym.v2-ba236e",
		`{"examples":2,"examples_fixed":true}`:  "reasoning_gym.v2-",
		`{"short_prompts":true,"examples":2}`:   "reasoning_gym.v2-",
	} {
		id := reasoningGym(t, task, given).Info().ID()
		if id != want && (want != "reasoning_gym.v2-" || len(id) != len("reasoning_gym.v2-0ef280") || id == "reasoning_gym.v2-0ef280") {
			t.Errorf("%s: %s, want %s", given, id, want)
		}
	}
}
