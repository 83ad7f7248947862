package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task/answer"
)

// mathMultiTurn is the scenario of AReaL's math-multi-turn agent and, with one turn, of its
// math-single-step agent.
var mathMultiTurn = scenario.Spec{
	Name: "math_multi_turn",
	Doc: "Several attempts at a problem with a mathematical answer; after each, the policy is told whether it was right. " +
		"Every turn has its own reward; the discount over turns is a setting of the rules. A problem that leaves few answers gets as many attempts as a quarter of them, " +
		"and one at least, so that trying one after the other does not pay.",
	Source:  "The math-multi-turn agent of AReaL (Ant Research, Apache-2.0); texts and code are our own.",
	Version: 12,
	New: func() scenario.Play {
		return &MathMultiTurn{
			Mode: Modern, NumTurns: 5, RewardScaling: 1, Feedback: Texts,
			FeedbackRight: "That is correct. Please give your answer again.",
			FeedbackWrong: "That is not correct. Look for the mistake in your reasoning and try again.",
			FeedbackNone:  `I could not find an answer in your reply. Work out the problem and write your answer inside \boxed{}.`,
		}
	},
}

// A Mode is the way in which a generation of AReaL plays an episode of several attempts.
type Mode string

// The modes.
const (
	// Legacy plays all turns, even after a right answer. An attempt earns 1 or -1.
	Legacy Mode = "legacy"

	// Modern ends with the first right answer. An attempt earns 1 or 0: with a turn
	// discount d, an episode with k failures before the right answer is worth d to the
	// power of k.
	Modern Mode = "modern"
)

// A Feedback says which messages follow an attempt.
type Feedback string

// The kinds of feedback.
const (
	// Texts are the texts of the settings, as messages of the conversation.
	Texts Feedback = "texts"

	// AsAReaL is the feedback of AReaL's legacy agent: its texts, each as a conversation of
	// its own after the tokens so far. See [quintain.Step], Alone.
	AsAReaL Feedback = "areal"
)

// The texts of AReaL.
const (
	arealRight = "Congratulations! You are correct!"
	arealWrong = "Unfortunately your answer is wrong. Let's try again."
)

// MathMultiTurn holds the settings of the scenario math_multi_turn.
type MathMultiTurn struct {
	Mode          Mode
	NumTurns      int     // most attempts per episode
	AllAttempts   bool    // NumTurns attempts also at a problem that leaves few answers, as in AReaL
	RewardBias    float64 // subtracted from each attempt's reward
	RewardScaling float64 // factor on the difference

	// ShortPrompts asks the short question if the task has one. It is for policies with a
	// short context that have learnt the form of the answers.
	ShortPrompts bool

	SystemPrompt string // system message before the question; empty: none, as in AReaL

	Examples scenario.Examples // before the question, with the answer in a box

	Feedback      Feedback
	FeedbackRight string // message after a right answer, if the episode goes on
	FeedbackWrong string // after a wrong one
	FeedbackNone  string // after a reply without an answer
}

// Declare implements [settings.Declarer].
func (m *MathMultiTurn) Declare(d *settings.Section) {
	settings.Word(d, &m.Mode, "mode", "rules of AReaL's agent: legacy plays all turns and rewards an attempt with 1 if right and -1 if wrong; "+
		"modern ends with the first right answer, with a reward of 1, or 0 for a wrong one").OneOf(string(Legacy), string(Modern))
	d.Int(&m.NumTurns, "num_turns", "most attempts at a problem").AtLeast(1)
	d.Bool(&m.AllAttempts, "all_attempts", "allow num_turns attempts at every problem, as AReaL does; otherwise one that leaves few answers, "+
		"such as Yes and No, gets as many as a quarter of them, and one at least")
	d.Float(&m.RewardBias, "reward_bias", "subtracted from each attempt's reward")
	d.Float(&m.RewardScaling, "reward_scaling", "factor on the reward after the bias is subtracted")
	d.Bool(&m.ShortPrompts, "short_prompts", "ask the short question if the task has one")
	d.Text(&m.SystemPrompt, "system_prompt", "system message before the question; empty: none")
	settings.Word(d, &m.Feedback, "feedback", "messages after an attempt: texts, those of feedback_right, feedback_wrong and feedback_none; or areal, "+
		"AReaL's two texts, each encoded after the tokens so far as a conversation of its own").OneOf(string(Texts), string(AsAReaL))
	d.Text(&m.FeedbackRight, "feedback_right", "message to the policy after a right answer, if the episode goes on").Given("a text")
	d.Text(&m.FeedbackWrong, "feedback_wrong", "message to the policy after a wrong answer").Given("a text")
	d.Text(&m.FeedbackNone, "feedback_none", "message to the policy after a reply without an answer").Given("a text")
	m.Examples.Declare(d)
}

// Fits implements [scenario.Fitter]: an answer of the task must be readable, and right
// inside a box.
func (m *MathMultiTurn) Fits(t quintain.Task) error {
	p, err := t.Problem(quintain.Draw{})
	if err != nil {
		return err
	}
	solution, err := t.Solve(p)
	if err != nil {
		return err
	}
	if err := boxable(t, p, solution); err != nil {
		return fmt.Errorf("it needs mathematical answers or words, but an answer of task %s is %.80q: %w", p.Task, solution, err)
	}
	return nil
}

// boxable returns why the solution of p is unreadable, or not right inside a box.
func boxable(t quintain.Task, p quintain.Problem, solution string) error {
	if err := mathverify.Check(solution); err != nil {
		return err
	}
	found, _ := mathverify.Extract(`\boxed{`+solution+`}`, solution)
	v, err := t.Grade(p, found)
	if err != nil {
		return err
	}
	if v.Score != 1 {
		return errors.New("it is not found in a box")
	}
	return nil
}

// Env implements [scenario.Play].
func (m *MathMultiTurn) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	solution, err := t.Solve(p)
	if err != nil {
		return nil, err
	}
	attempts, err := m.attempts(t, p)
	if err != nil {
		return nil, err
	}
	return &mathEnv{settings: m, task: t, problem: p, solution: solution, attempts: attempts}, nil
}

// attempts returns the most attempts at p. If its prompt leaves few answers, trying one after
// the other is right in a quarter of the problems at most, or as often as a single guess.
func (m *MathMultiTurn) attempts(t quintain.Task, p quintain.Problem) (int, error) {
	chooser, can := t.(quintain.Chooser)
	if !can || m.AllAttempts {
		return m.NumTurns, nil
	}
	choices, err := chooser.Choices(p)
	if err != nil || choices == 0 {
		return m.NumTurns, err
	}
	return min(m.NumTurns, max(1, choices/4)), nil
}

// A mathEnv is one episode of several attempts.
type mathEnv struct {
	settings *MathMultiTurn
	task     quintain.Task
	problem  quintain.Problem
	solution string // shows the form of an answer
	attempts int    // most attempts
	turn     int    // attempts made
}

// Open implements [quintain.Env].
func (e *mathEnv) Open(context.Context) ([]quintain.Message, error) {
	var talk []quintain.Message
	if system := e.settings.SystemPrompt; system != "" {
		talk = append(talk, quintain.Message{Role: quintain.RoleSystem, Content: system})
	}
	asked, err := e.settings.Examples.Ask(e.task, e.problem, e.settings.ShortPrompts, func(solution string) string { return `\boxed{` + solution + `}` })
	return append(talk, asked...), err
}

// A tokenized is a task that knows the tokens of some prompts, as a file of problems does; nil:
// not of this one.
type tokenized interface {
	Tokens(p quintain.Problem) []quintain.Token
}

// Tokens implements [quintain.Tokenized]: those of the problem's row, unless the settings add
// messages before the question.
func (e *mathEnv) Tokens() []quintain.Token {
	if e.settings.SystemPrompt != "" || e.settings.Examples.Count > 0 {
		return nil
	}
	if t, has := e.task.(tokenized); has {
		return t.Tokens(e.problem)
	}
	return nil
}

// Step implements [quintain.Env]. A cut reply is an attempt like any other, unless it is
// empty: then the policy has no room for another.
func (e *mathEnv) Step(_ context.Context, reply quintain.Reply) (quintain.Step, error) {
	e.turn++
	text, rule := mathverify.Extract(answer.WithoutThinking(reply.Text), e.solution)
	v, err := e.task.Grade(e.problem, text)
	if err != nil {
		return quintain.Step{}, fmt.Errorf("grading %s: %w", e.problem.ID(), err)
	}
	right := text != "" && v.Score == 1
	found := right || text != "" && !v.Malformed && !unmarked(text, rule)
	step := quintain.Step{Answer: text, Reward: e.reward(right), Right: right, Malformed: !found, Why: "wrong: " + v.Reason}
	switch {
	case right:
		step.Why = "right"
	case !found:
		step.Why = "no answer"
	}
	cut := reply.Finish == quintain.Length
	if cut {
		step.Why += "; the length limit cut the reply"
	}
	switch last := e.turn == e.attempts; {
	case cut && (last || reply.Text == ""):
		step.End = quintain.Truncated
	case right && e.settings.Mode == Modern:
		step.End = quintain.Terminated
	case last:
		step.End, step.Why = quintain.Terminated, step.Why+"; no attempts are left"
	default:
		step.Observe = []quintain.Message{{Role: quintain.RoleUser, Content: e.settings.feedback(right, found)}}
		step.Alone = e.settings.Feedback == AsAReaL
	}
	return step, nil
}

// feedback returns the message after an attempt.
func (m *MathMultiTurn) feedback(right, found bool) string {
	switch {
	case m.Feedback == AsAReaL && right:
		return arealRight
	case m.Feedback == AsAReaL:
		return arealWrong
	case right:
		return m.FeedbackRight
	case !found:
		return m.FeedbackNone
	}
	return m.FeedbackWrong
}

// unmarked reports whether an answer is only words, which nothing marks as an answer.
func unmarked(text string, rule mathverify.Rule) bool {
	return (rule == mathverify.RuleBare || rule == mathverify.RuleText) && !strings.ContainsAny(text, "0123456789")
}

// reward returns the reward of an attempt, with bias and scaling applied.
func (e *mathEnv) reward(right bool) float64 {
	worth := 0.0
	switch {
	case right:
		worth = 1
	case e.settings.Mode == Legacy:
		worth = -1
	}
	return (worth - e.settings.RewardBias) * e.settings.RewardScaling
}

// Close implements [quintain.Env].
func (e *mathEnv) Close() error { return nil }
