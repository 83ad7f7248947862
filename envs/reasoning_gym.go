package envs

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/env"
	"github.com/quintain-rl/quintain/settings"
)

// reasoningGym is the scenario of Atropos' ReasoningGym environment: strict
// extraction and dual-format scoring.
//
// Two things are stricter than there. An answer inside the thinking is never
// taken, and upper-case tags count as tags for reading as they do for counting.
var reasoningGym = env.Spec{
	Name: "reasoning_gym",
	Doc: "One reply, which may think between <think> and </think> and gives its answer between <answer> and </answer>, exactly once. " +
		"The reward is the task's own score.",
	Source:  "The ReasoningGym environment of Atropos (Nous Research, MIT); prompt and code are our own.",
	Version: 1,
	New:     func() env.Play { return new(ReasoningGym) },
}

// reasoningSystem asks for thinking and for exactly one tagged answer.
const reasoningSystem = `You solve reasoning problems. First think the problem through, step by step and as long as you need, between <think> and </think>; check your result there before you commit to it. Then write your final answer between <answer> and </answer>.

The grader reads only what stands between <answer> and </answer>, so put the bare answer there, in exactly the form that the question asks for, and nothing else: no restatement, no explanation, no units that were not asked for. Write that pair of tags exactly once; an answer inside the thinking does not count, and with two answers neither does. Around the tags you may write what you like.`

// ReasoningGym is the settings of the scenario reasoning_gym.
type ReasoningGym struct {
	// ShortPrompts leaves the system message out and asks in a few characters where the
	// task can, for policies whose context is short and that have learnt the form.
	ShortPrompts bool
}

// Declare implements [settings.Declarer].
func (g *ReasoningGym) Declare(d *settings.Section) {
	d.Bool(&g.ShortPrompts, "short_prompts", "ask in a few characters where the task can, without a system message")
}

// Env implements [env.Play].
func (g *ReasoningGym) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	how := env.OneTurn{System: reasoningSystem, Extract: answer.Tagged, Dual: true}
	if g.ShortPrompts {
		how.System, how.Short = "", true
	}
	return how.Env(t, p), nil
}
