package scenario

import (
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
)

// OneTurn asks a task in one turn. The zero value asks only the prompt and treats the whole
// reply as the answer.
type OneTurn struct {
	System string // system message; empty: none

	// Extract cuts the answer out of a reply before the task sees it, or says why there is
	// none. Nil: the answer is the reply without surrounding space.
	Extract func(reply string) (answer, why string)

	// Short asks the short question if the task has one, for policies with a short context.
	Short bool

	// Examples stand before the question, each answered between <answer> and </answer>.
	Examples Examples

	// Grade judges the answer; nil: the task does.
	Grade func(t quintain.Task, p quintain.Problem, answer string) (quintain.Verdict, error)

	// Dual also grades the answer with <answer> tags around it, and takes the better
	// verdict: some graders want the tags, as Atropos' environment found.
	Dual bool
}

// Env returns the one-turn episode of p, a problem of t.
func (o OneTurn) Env(t quintain.Task, p quintain.Problem) quintain.Env {
	if o.Extract == nil {
		o.Extract = func(reply string) (string, string) { return strings.TrimSpace(reply), "" }
	}
	if o.Grade == nil {
		o.Grade = quintain.Task.Grade
	}
	return &oneTurn{o, t, p}
}

// A oneTurn is an episode of one reply.
type oneTurn struct {
	how     OneTurn
	task    quintain.Task
	problem quintain.Problem
}

// Open implements [quintain.Env].
func (e *oneTurn) Open(context.Context) ([]quintain.Message, error) {
	talk := make([]quintain.Message, 0, 2)
	if e.how.System != "" {
		talk = append(talk, quintain.Message{Role: quintain.RoleSystem, Content: e.how.System})
	}
	asked, err := e.how.Examples.Ask(e.task, e.problem, e.how.Short, quintain.ScenarioInfo{Tags: true}.Reply)
	return append(talk, asked...), err
}

// Step implements [quintain.Env].
func (e *oneTurn) Step(_ context.Context, reply quintain.Reply) (quintain.Step, error) {
	answer, v, err := e.grade(reply.Text)
	if err != nil {
		return quintain.Step{}, fmt.Errorf("grading %s: %w", e.problem.ID(), err)
	}
	step := quintain.Step{Answer: answer, Reward: v.Score, Right: v.Score == 1, Malformed: v.Malformed, End: quintain.Terminated, Why: v.Reason}
	if reply.Finish == quintain.Length {
		step.End = quintain.Truncated
		step.Why = strings.TrimSuffix("the length limit cut the reply; "+v.Reason, "; ")
	}
	return step, nil
}

// grade judges a whole reply, and returns the answer it found.
func (e *oneTurn) grade(reply string) (string, quintain.Verdict, error) {
	answer, why := e.how.Extract(reply)
	v, err := e.how.Grade(e.task, e.problem, answer) // even without an answer: the problem may be unreadable
	switch {
	case err != nil:
		return "", v, err
	case why != "":
		return "", quintain.Malformed(why), nil
	case !e.how.Dual || v.Score == 1:
		return answer, v, nil
	}
	tagged, err := e.how.Grade(e.task, e.problem, "<answer>"+answer+"</answer>")
	if err != nil {
		return "", v, err
	}
	if tagged.Score > v.Score {
		return answer, tagged, nil
	}
	return answer, v, nil
}

// Close implements [quintain.Env].
func (e *oneTurn) Close() error { return nil }
