package envs

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
)

// MultiTurn are the settings of [MathMultiTurn].
type MultiTurn struct {
	Turns         int     // attempts that an episode has at most, 1 or more
	StopAtSuccess bool    // end with the first right answer; AReaL's agent plays on
	RewardBias    float64 // taken off the reward of 1 for a right and -1 for a wrong attempt
	RewardScaling float64 // what the rest is multiplied by; 0 is taken for 1
}

// mathSystem asks for a boxed whole number.
const mathSystem = `You solve mathematical problems whose answer is a whole number. Reason step by step, then write your final answer once, inside \boxed{}, as digits alone.`

// What the policy is told after an attempt.
const (
	feedbackRight = "That is correct. State your answer again."
	feedbackWrong = "That is not correct. Look for the mistake in your reasoning and try again."
	feedbackNone  = `I found no whole number in your reply. Work the problem out and write the answer inside \boxed{}.`
)

// MathMultiTurn returns the scenario in which a policy has several attempts at a
// problem of task, whose answers are whole numbers, and is told after each whether
// it was right: AReaL's math-multi-turn agent. Every turn has its own reward;
// discounting over turns is the business of whoever makes returns of them.
func MathMultiTurn(task quintain.Task, s MultiTurn) quintain.Scenario {
	if s.RewardScaling == 0 {
		s.RewardScaling = 1
	}
	s.Turns = max(1, s.Turns)
	return &mathMultiTurn{task, s}
}

type mathMultiTurn struct {
	quintain.Task
	settings MultiTurn
}

// Env implements [quintain.Scenario].
func (m *mathMultiTurn) Env(p quintain.Problem) (quintain.Env, error) {
	return &mathEnv{mathMultiTurn: m, problem: p}, nil
}

// A mathEnv is one episode of several attempts.
type mathEnv struct {
	*mathMultiTurn
	problem quintain.Problem
	turn    int // attempts made
}

// Open implements [quintain.Env].
func (e *mathEnv) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{
		{Role: quintain.RoleSystem, Content: mathSystem},
		{Role: quintain.RoleUser, Content: e.problem.Prompt},
	}, nil
}

// Step implements [quintain.Env].
func (e *mathEnv) Step(_ context.Context, reply quintain.Reply) (quintain.Step, error) {
	e.turn++
	number, found := wholeNumber(reply.Text)
	v, err := e.Grade(e.problem, number)
	if err != nil {
		return quintain.Step{}, fmt.Errorf("grading %s: %w", e.problem.ID(), err)
	}
	right := found && v.Score == 1
	step := quintain.Step{Reward: e.reward(right), Malformed: !found, Why: "wrong"}
	feedback := feedbackWrong
	switch {
	case right:
		step.Why, feedback = "right", feedbackRight
	case !found:
		step.Why, feedback = "no whole number", feedbackNone
	}
	switch {
	case reply.Finish == quintain.Length:
		step.End, step.Why = quintain.Truncated, step.Why+"; the reply was cut by the length limit"
	case right && e.settings.StopAtSuccess:
		step.End = quintain.Terminated
	case e.turn == e.settings.Turns:
		step.End, step.Why = quintain.Terminated, step.Why+"; no attempts are left"
	default:
		step.Observe = []quintain.Message{{Role: quintain.RoleUser, Content: feedback}}
	}
	return step, nil
}

// reward is 1 for a right attempt and -1 for a wrong one, with bias and scaling.
func (e *mathEnv) reward(right bool) float64 {
	r := -1.0
	if right {
		r = 1
	}
	return (r - e.settings.RewardBias) * e.settings.RewardScaling
}

// Close implements [quintain.Env].
func (e *mathEnv) Close() error { return nil }

// wholeNumber finds the answer of a reply: in its last box, else between its one
// pair of answer tags, else its last whole number outside the thinking.
func wholeNumber(reply string) (number string, found bool) {
	rest := answer.WithoutThinking(reply)
	if boxed, has := answer.Boxed(rest); has {
		return answer.LastInteger(boxed)
	}
	if tagged, why := answer.Tagged(reply); why == "" {
		return answer.LastInteger(tagged)
	}
	return answer.LastInteger(rest)
}
