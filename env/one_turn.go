// Package env turns tasks into scenarios.
package env

import (
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
)

// Settings say how a task is asked in one turn. The zero value asks the prompt
// alone and takes the whole reply for the answer.
type Settings struct {
	System string // system message; empty: none

	// Extract cuts the answer out of a reply, once, before the task sees it. Where
	// there is none, why says so. Nil: the reply without the space around it.
	Extract func(reply string) (answer, why string)

	// Short asks the question in a few characters where the task can, for policies
	// whose context is short.
	Short bool

	// Dual also grades the answer between <answer> tags, and takes the better
	// verdict: some graders want the tags, as Atropos' environment found.
	Dual bool
}

// Single returns the scenario of task in which an episode is one reply. Many
// goroutines may use it.
func Single(task quintain.Task, s Settings) quintain.Scenario {
	if s.Extract == nil {
		s.Extract = func(reply string) (string, string) { return strings.TrimSpace(reply), "" }
	}
	return &single{task, s}
}

type single struct {
	quintain.Task
	settings Settings
}

// Env implements [quintain.Scenario].
func (s *single) Env(p quintain.Problem) (quintain.Env, error) {
	return &singleEnv{s, p}, nil
}

// A singleEnv is an episode of one reply.
type singleEnv struct {
	*single
	problem quintain.Problem
}

// Open implements [quintain.Env].
func (e *singleEnv) Open(context.Context) ([]quintain.Message, error) {
	var talk []quintain.Message
	if e.settings.System != "" {
		talk = append(talk, quintain.Message{Role: quintain.RoleSystem, Content: e.settings.System})
	}
	question, err := e.question()
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", e.problem.ID(), err)
	}
	return append(talk, quintain.Message{Role: quintain.RoleUser, Content: question}), nil
}

// question is what the policy is asked.
func (e *singleEnv) question() (string, error) {
	short, can := e.Task.(interface {
		Short(quintain.Problem) (string, error)
	})
	if !e.settings.Short || !can {
		return e.problem.Prompt, nil
	}
	return short.Short(e.problem)
}

// Step implements [quintain.Env].
func (e *singleEnv) Step(_ context.Context, reply quintain.Reply) (quintain.Step, error) {
	v, err := e.grade(reply.Text)
	if err != nil {
		return quintain.Step{}, err
	}
	step := quintain.Step{Reward: v.Score, Malformed: v.Malformed, End: quintain.Terminated, Why: v.Reason}
	if reply.Finish == quintain.Length {
		step.End = quintain.Truncated
		step.Why = "the reply was cut by the length limit; " + step.Why
	}
	return step, nil
}

// grade judges a whole reply.
func (e *singleEnv) grade(reply string) (quintain.Verdict, error) {
	answer, why := e.settings.Extract(reply)
	v, err := e.Grade(e.problem, answer)
	switch {
	case err != nil:
		return quintain.Verdict{}, fmt.Errorf("grading %s: %w", e.problem.ID(), err)
	case why != "":
		return quintain.Malformed(why), nil
	case !e.settings.Dual || v.Score == 1:
		return v, nil
	}
	tagged, err := e.Grade(e.problem, "<answer>"+answer+"</answer>")
	if err != nil {
		return quintain.Verdict{}, fmt.Errorf("grading %s: %w", e.problem.ID(), err)
	}
	if tagged.Score > v.Score {
		return tagged, nil
	}
	return v, nil
}

// Close implements [quintain.Env].
func (e *singleEnv) Close() error { return nil }
