package scenarios

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task/answer"
)

// reasoningGym is the scenario of Atropos' ReasoningGym environment: strict extraction and
// dual-format scoring.
//
// Two rules are stricter than in Atropos. An answer inside the thinking never counts, and
// upper-case tags count as tags, both for reading answers and for counting them.
var reasoningGym = scenario.Spec{
	Name: "reasoning_gym",
	Doc: "One reply, which may think between <think> and </think> and must give its answer exactly once, between <answer> and </answer>. " +
		"The reward is the task's own score, or that of reasoning-gym.",
	Source:  "The ReasoningGym environment of Atropos (Nous Research, MIT); prompt and code are our own.",
	Version: 2,
	New:     func() scenario.Play { return &ReasoningGym{Scores: reasoninggym.Ours} },
}

// reasoningSystem asks for thinking and for one tagged answer.
const reasoningSystem = `You solve reasoning problems. First think the problem through between <think> and </think>, step by step and for as long as you need, and check your result there before you commit to it. Then write your final answer between <answer> and </answer>.

The grader reads only the text between <answer> and </answer>, so put just the answer there, in exactly the form the question asks for, and nothing else: no restatement, no explanation, no units unless the question asks for them. Use the answer tags exactly once: an answer inside the thinking does not count, and if you give two answers, neither counts. You may write anything else you like around the tags.`

// exampleSystem is the system message before examples, whose answers come without reasoning.
const exampleSystem = "Answer with nothing but <answer>your answer</answer>."

// ReasoningGym holds the settings of the scenario reasoning_gym.
type ReasoningGym struct {
	// ShortPrompts omits the system message and asks the short question if the task has
	// one. It is for policies with a short context that have learnt the form of the
	// answers, or see it in Examples.
	ShortPrompts bool

	Scores reasoninggym.By // whose scores answers get

	// Examples stand before the question. There is a system message then, which asks for the answer alone.
	Examples scenario.Examples
}

// Declare implements [settings.Declarer].
func (g *ReasoningGym) Declare(d *settings.Section) {
	d.Bool(&g.ShortPrompts, "short_prompts", "ask the short question if the task has one, without a system message")
	reasoninggym.Declare(d, &g.Scores)
	g.Examples.Declare(d)
}

// Env implements [scenario.Play].
func (g *ReasoningGym) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	how := scenario.OneTurn{System: reasoningSystem, Extract: answer.Tagged, Dual: true, Examples: g.Examples}
	how.Grade = func(t quintain.Task, p quintain.Problem, answer string) (quintain.Verdict, error) {
		return g.Scores.Grade(t, p, &answer)
	}
	if g.ShortPrompts {
		how.System, how.Short = "", true
	}
	if g.Examples.Count > 0 {
		how.System = exampleSystem
	}
	return how.Env(t, p), nil
}
