// Package codeplay plays problems that ask for a program: the policy writes it, the sandbox of
// this machine runs it, and tests judge it. With the Python tool, the policy runs Python on its way to
// the answer of any task.
package codeplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario"
)

// A Task is a task whose answers are programs.
type Task interface {
	quintain.Task

	// Tests returns the tests of a problem. An error means that the problem is unreadable.
	Tests(p quintain.Problem) (codegrade.Tests, error)
}

// A Multilingual is a [Task] whose answers need not be in Python.
type Multilingual interface {
	// Languages lists the languages of the answers.
	Languages() []string
}

// CodeSpec is the scenario.
var CodeSpec = scenario.Spec{
	Name: "code",
	Doc: "Write a program, which hidden tests judge in the sandbox of this machine. " +
		"With several attempts, the policy is told how the examples of the statement went, and may mend its program.",
	Source:  "Our own, after the code rewards of LiveCodeBench, DeepCoder and verl.",
	Version: 2,
	New:     func() scenario.Play { return &Code{NumTurns: 1, Scoring: byProblem, TimeFactor: 1} },
}

// byProblem is the scoring that each problem names.
const byProblem = "problem"

// Code holds the settings of the scenario.
type Code struct {
	NumTurns   int     // most attempts
	Scoring    string  // "": byProblem
	Join       bool    // all code blocks of a reply make the program
	TimeFactor float64 // on the limits of time; 0: the reciprocal of the machine's speed

	Sandbox
	judge  Judge
	speed  float64           // of the machine, if TimeFactor is 0
	grader *codegrade.Grader // in the box; nil: another judge runs the programs
}

// A Judge runs a program on tests. An error says nothing about the program.
type Judge func(ctx context.Context, tests codegrade.Tests, code string) (codegrade.Verdict, error)

// Declare implements [settings.Declarer].
func (c *Code) Declare(d *settings.Section) {
	d.Int(&c.NumTurns, "num_turns", "most attempts at a program; after one that fails an example of the statement, the policy is told how").AtLeast(1)
	settings.Word(d, &c.Scoring, "scoring", "score of a program: problem, as its tests say, which mostly is all; all: 1 if it passes all tests; share: the share it passes; first_n: the share of the first ten").
		OneOf(byProblem, string(codegrade.All), string(codegrade.Share), string(codegrade.FirstN))
	d.Bool(&c.Join, "join", "all code blocks of a reply make the program, in place of the last one")
	d.Float(&c.TimeFactor, "time_factor", "factor on the limits of time of the tests, for a slow machine; 0: each machine measures how fast its Python is, and the factor is 1 where that makes 25 million steps a second").AtLeast(0)
}

// Use has a judge run the programs, in place of the sandbox.
func (c *Code) Use(j Judge) { c.once.Do(func() { c.judge = j }) }

// Start implements [Runner]. It measures the machine, if there is no TimeFactor.
func (c *Code) Start() error {
	return c.open(func() (err error) {
		c.grader = &codegrade.Grader{Sandbox: c.box}
		if c.TimeFactor == 0 {
			c.speed, err = c.grader.Speed(context.Background())
		}
		c.judge = c.grader.Grade
		return err
	})
}

// Fits implements [scenario.Fitter]: the answers must be programs.
func (c *Code) Fits(t quintain.Task) error {
	if _, ok := t.(Task); !ok {
		return fmt.Errorf("the answers of task %s are no programs", t.Info().Name)
	}
	return nil
}

// Runs implements [scenario.Runner], by a [sandbox.Setup]. There is none if another judge runs the
// programs.
func (c *Code) Runs(t quintain.Task) (by json.RawMessage, mark string, err error) {
	if err := c.Start(); err != nil || c.grader == nil {
		return nil, "", err
	}
	var languages []string
	if l, several := t.(Multilingual); several {
		languages = l.Languages()
	}
	setup, err := c.grader.Setup(context.Background(), languages...)
	if err != nil {
		return nil, "", err
	}
	by, err = json.Marshal(setup)
	return by, setup.Mark(), err
}

// Env implements [scenario.Play].
func (c *Code) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	of, ok := t.(Task)
	if !ok {
		return nil, c.Fits(t)
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	tests, err := of.Tests(p)
	if err != nil {
		return nil, err
	}
	if c.Scoring != byProblem {
		tests.Scoring = codegrade.Scoring(c.Scoring)
	}
	tests.Limits = tests.Limits.Filled()
	tests.Limits.CPU = times(tests.Limits.CPU, c.Factor())
	tests.Limits.Wall = times(tests.Limits.Wall, c.Factor())
	if err := tests.Check(); err != nil {
		return nil, fmt.Errorf("problem %s: %w", p.ID(), err)
	}
	return &env{settings: c, problem: p, tests: tests}, nil
}

// Factor is that on the limits of time here, once a task fits: the setting, or what the machine needs.
func (c *Code) Factor() float64 {
	switch {
	case c.TimeFactor > 0:
		return c.TimeFactor
	case c.speed > 0:
		return 1 / c.speed
	}
	return 1 // another judge runs the programs
}

func times[D ~int64](d D, factor float64) D { return D(float64(d) * factor) }

// An env is one episode.
type env struct {
	settings *Code
	problem  quintain.Problem
	tests    codegrade.Tests
	turn     int // attempts made
}

// Open implements [quintain.Env].
func (e *env) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: Ask(e.problem.Prompt, e.tests.Language)}}, nil
}

// Ask returns the first message for the prompt of a problem whose programs are in a language.
func Ask(prompt, language string) string {
	return fmt.Sprintf("%s\n\nWrite the program in one block of code that begins with ```%s.", strings.TrimRight(prompt, "\n"), language)
}

// Close implements [quintain.Env].
func (e *env) Close() error { return nil }

// Step implements [quintain.Env]. The last attempt is judged by all tests, and an earlier one too
// if it passes the examples.
func (e *env) Step(ctx context.Context, reply quintain.Reply) (quintain.Step, error) {
	e.turn++
	cut := reply.Finish == quintain.Length
	last := e.turn == e.settings.NumTurns || cut && reply.Text == ""
	code, found := codegrade.Extraction{Language: e.tests.Language, Join: e.settings.Join, Cut: cut}.Code(reply.Text)
	if !last {
		if found && e.hasExamples() {
			told, err := e.try(ctx, code)
			if err != nil || told != "" {
				return quintain.Step{Observe: observe(told), Answer: code, Why: "it fails an example"}, err
			}
		} else if !found {
			return quintain.Step{Observe: observe(noCode(e.tests.Language)), Malformed: true, Why: string(codegrade.NoCode)}, nil
		}
	}
	step := quintain.Step{Answer: code, Malformed: !found, End: quintain.Terminated, Why: string(codegrade.NoCode)}
	if found {
		v, err := e.judge(ctx, e.tests, code)
		if err != nil {
			return quintain.Step{}, err
		}
		step.Reward, step.Right, step.Why = v.Score, v.Passed == v.Total, say(v)
	}
	if cut {
		step.End, step.Why = quintain.Truncated, step.Why+"; the length limit cut the reply"
	}
	return step, nil
}

// judge runs a program on tests. A machine that is too busy, or a sandbox that fails, is not the
// doing of the policy.
func (e *env) judge(ctx context.Context, tests codegrade.Tests, code string) (codegrade.Verdict, error) {
	v, err := e.settings.judge(ctx, tests, code)
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, codegrade.ErrTests):
		return v, fmt.Errorf("judging %s: %w", e.problem.ID(), err)
	}
	return v, fmt.Errorf("judging %s: %w: %w", e.problem.ID(), quintain.ErrLost, err)
}

// say is why a program earned its score.
func say(v codegrade.Verdict) string {
	if v.Passed == v.Total {
		return fmt.Sprintf("passes all %d tests", v.Total)
	}
	return fmt.Sprintf("%s; passes %d of %d tests", v.Reason, v.Passed, v.Total)
}

func (e *env) hasExamples() bool {
	return slices.ContainsFunc(e.tests.Cases, func(c codegrade.Case) bool { return c.Public })
}
