// Package envs holds the scenarios, a file each.
package envs

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/env"
)

// reasoningSystem asks for thinking and for exactly one tagged answer.
const reasoningSystem = `You solve reasoning problems. First think the problem through, step by step and as long as you need, between <think> and </think>; check your result there before you commit to it. Then write your final answer between <answer> and </answer>.

The grader reads only what stands between <answer> and </answer>, so put the bare answer there, in exactly the form that the question asks for, and nothing else: no restatement, no explanation, no units that were not asked for. Write that pair of tags exactly once; an answer inside the thinking does not count, and with two answers neither does. Around the tags you may write what you like.`

// ReasoningGym returns the scenario of Atropos' ReasoningGym environment for one
// task: a system message that asks for <think> and exactly one <answer>, strict
// extraction, and dual-format scoring. A short one has no system message and asks
// in a few characters, for policies that have learnt the form.
//
// Two things are stricter than there. An answer inside the thinking is never
// taken, and upper-case tags count as tags for reading as they do for counting.
func ReasoningGym(task quintain.Task, short bool) quintain.Scenario {
	s := env.Settings{System: reasoningSystem, Extract: answer.Tagged, Dual: true}
	if short {
		s.System, s.Short = "", true
	}
	return env.Single(task, s)
}
