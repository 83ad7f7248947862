package envs

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/env"
	"github.com/quintain-rl/quintain/settings"
)

// mathMultiTurn is the scenario of AReaL's math-multi-turn agent.
var mathMultiTurn = env.Spec{
	Name: "math_multi_turn",
	Doc: "Several attempts at a problem whose answer is a whole number; after each, the policy is told whether it was right. " +
		"Every turn has its own reward; the discount over turns is a setting of the rules.",
	Source:  "The math-multi-turn agent of AReaL (Ant Research, Apache-2.0); texts and code are our own.",
	Version: 2,
	New: func() env.Play {
		return &MathMultiTurn{Turns: 5, StopAtSuccess: true, RewardScaling: 1}
	},
}

// MathMultiTurn holds the settings of the scenario math_multi_turn.
type MathMultiTurn struct {
	Turns         int     // largest number of attempts in an episode
	StopAtSuccess bool    // end after the first right answer; AReaL's agent plays on
	RewardBias    float64 // subtracted from the reward of an attempt, which is 1 if right and -1 if wrong
	RewardScaling float64 // factor on the difference
}

// Declare implements [settings.Declarer].
func (m *MathMultiTurn) Declare(d *settings.Section) {
	d.Int(&m.Turns, "turns", "largest number of attempts at a problem").AtLeast(1)
	d.Bool(&m.StopAtSuccess, "stop_at_success", "end an episode after the first right answer")
	d.Float(&m.RewardBias, "reward_bias", "subtracted from the reward of an attempt, which is 1 if right and -1 if wrong")
	d.Float(&m.RewardScaling, "reward_scaling", "factor on the reward after the bias is subtracted")
}

// Fits implements [env.Fitter]: the task's answers must be whole numbers.
func (m *MathMultiTurn) Fits(t quintain.Task) error {
	p, err := t.Problem(quintain.Draw{})
	if err != nil {
		return err
	}
	solution, err := t.Solve(p)
	if err != nil {
		return err
	}
	if _, whole := canonical(solution); !whole {
		return fmt.Errorf("it needs whole numbers as answers, but an answer of task %s is %q", p.Task, solution)
	}
	return nil
}

// Env implements [env.Play].
func (m *MathMultiTurn) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	return &mathEnv{settings: m, task: t, problem: p}, nil
}

// mathSystem asks for a whole number in a box.
const mathSystem = `You solve math problems whose answers are whole numbers. Reason step by step, then give your final answer once, in digits, inside \boxed{}.`

// The messages to the policy after an attempt.
const (
	feedbackRight = "That is correct. Please give your answer again."
	feedbackWrong = "That is not correct. Look for the mistake in your reasoning and try again."
	feedbackNone  = `I could not find a whole number in your reply. Work out the problem and write your answer inside \boxed{}.`
)

// A mathEnv is one episode of several attempts.
type mathEnv struct {
	settings *MathMultiTurn
	task     quintain.Task
	problem  quintain.Problem
	turn     int // attempts made
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
	v, err := e.task.Grade(e.problem, number)
	if err != nil {
		return quintain.Step{}, fmt.Errorf("grading %s: %w", e.problem.ID(), err)
	}
	right := found && v.Score == 1
	step := quintain.Step{Answer: number, Reward: e.reward(right), Right: right, Malformed: !found, Why: "wrong"}
	feedback := feedbackWrong
	switch {
	case right:
		step.Why, feedback = "right", feedbackRight
	case !found:
		step.Why, feedback = "no whole number", feedbackNone
	}
	switch {
	case reply.Finish == quintain.Length:
		step.End, step.Why = quintain.Truncated, step.Why+"; the length limit cut the reply"
	case right && e.settings.StopAtSuccess:
		step.End = quintain.Terminated
	case e.turn == e.settings.Turns:
		step.End, step.Why = quintain.Terminated, step.Why+"; no attempts are left"
	default:
		step.Observe = []quintain.Message{{Role: quintain.RoleUser, Content: feedback}}
	}
	return step, nil
}

// reward is that of an attempt: 1 if right and -1 if wrong, with bias and scaling
// applied.
func (e *mathEnv) reward(right bool) float64 {
	r := -1.0
	if right {
		r = 1
	}
	return (r - e.settings.RewardBias) * e.settings.RewardScaling
}

// Close implements [quintain.Env].
func (e *mathEnv) Close() error { return nil }

// wholeNumber finds the answer in a reply: in its last box, else between its only pair
// of answer tags, else as its last whole number outside the thinking.
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
