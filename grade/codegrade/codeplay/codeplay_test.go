package codeplay

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/tasks/codetask"
)

// A pretender is a judge that reads a verdict in the program: "right", "slow", "busy" and such.
func pretender(_ context.Context, tests codegrade.Tests, code string) (codegrade.Verdict, error) {
	v := codegrade.Verdict{Total: len(tests.Cases)}
	fail := func(at int, reason codegrade.Reason) (codegrade.Verdict, error) {
		v.Passed, v.Reason = at, reason
		v.Outcomes = []codegrade.Outcome{{Case: at, Reason: reason, Output: "mine"}}
		return v, nil
	}
	switch strings.TrimSpace(code) {
	case "right":
		v.Score, v.Passed = 1, v.Total
		return v, nil
	case "right on examples":
		if v.Total > 3 {
			return fail(3, codegrade.WrongAnswer)
		}
		v.Score, v.Passed = 1, v.Total
		return v, nil
	case "busy":
		return v, codegrade.ErrMachine
	case "broken tests":
		return v, codegrade.ErrTests
	case "slow":
		return fail(1, codegrade.TimeLimit)
	}
	return fail(0, codegrade.WrongAnswer)
}

// episode opens an episode of a problem that a judge of the test judges.
func episode(t *testing.T, c *Code) (*env, string) {
	t.Helper()
	c.Use(pretender)
	p, err := codetask.Task().Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Env(codetask.Task(), p)
	if err != nil {
		t.Fatal(err)
	}
	talk, err := e.Open(t.Context())
	if err != nil || len(talk) != 1 {
		t.Fatalf("%v, %v", talk, err)
	}
	return e.(*env), talk[0].Content
}

func fenced(code string) quintain.Reply {
	return quintain.Reply{Text: "I think.\n```python\n" + code + "\n```\n", Finish: quintain.Stop}
}

func TestOneAttempt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reply quintain.Reply
		want  quintain.Step
		why   string
	}{
		{fenced("right"), quintain.Step{Reward: 1, Right: true, End: quintain.Terminated}, "it passes all tests"},
		{fenced("wrong"), quintain.Step{End: quintain.Terminated}, "it fails the first"},
		{fenced("right on examples"), quintain.Step{End: quintain.Terminated}, "hidden tests count"},
		{quintain.Reply{Text: "I do not know.", Finish: quintain.Stop}, quintain.Step{Malformed: true, End: quintain.Terminated}, "there is no program"},
		{quintain.Reply{Text: "```python\nright", Finish: quintain.Length}, quintain.Step{Malformed: true, End: quintain.Truncated}, "half a program is none"},
		{quintain.Reply{Text: "```python\nright\n```\nand", Finish: quintain.Length}, quintain.Step{Reward: 1, Right: true, End: quintain.Truncated}, "the program was whole before the cut"},
		{quintain.Reply{Finish: quintain.Length}, quintain.Step{Malformed: true, End: quintain.Truncated}, "nothing was said"},
	} {
		e, _ := episode(t, CodeSpec.New().(*Code))
		got, err := e.Step(t.Context(), test.reply)
		if err != nil || got.Reward != test.want.Reward || got.Right != test.want.Right || got.Malformed != test.want.Malformed || got.End != test.want.End || got.Why == "" || len(got.Observe) > 0 {
			t.Errorf("%s: %q gives %+v, %v, want %+v", test.why, test.reply.Text, got, err, test.want)
		}
	}
}

func TestFaultsOfTheMachineAreNoVerdicts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code string
		lost bool
		why  string
	}{
		{"busy", true, "the machine is overloaded: the policy did nothing wrong"},
		{"broken tests", false, "the problem itself is at fault"},
	} {
		c := CodeSpec.New().(*Code)
		c.NumTurns = 2
		e, _ := episode(t, c)
		if step, err := e.Step(t.Context(), fenced(test.code)); err == nil || errors.Is(err, quintain.ErrLost) != test.lost {
			t.Errorf("%s: %+v, %v", test.why, step, err)
		}
	}
}

func TestSeveralAttempts(t *testing.T) {
	t.Parallel()
	c := CodeSpec.New().(*Code)
	c.NumTurns = 4
	e, _ := episode(t, c)
	for i, test := range []struct {
		reply quintain.Reply
		told  string
	}{
		{quintain.Reply{Text: "Is it Tuesday?", Finish: quintain.Stop}, "could not find a program"},
		{fenced("wrong"), "its answer is wrong"},
		{fenced("slow"), "takes too long"},
	} {
		step, err := e.Step(t.Context(), test.reply)
		if err != nil || step.End != quintain.Going || step.Reward != 0 || len(step.Observe) != 1 || !strings.Contains(step.Observe[0].Content, test.told) {
			t.Errorf("attempt %d: %+v, %v, want to be told %q", i, step, err, test.told)
		}
		for _, hidden := range e.tests.Cases[3:] {
			if len(step.Observe) > 0 && len(hidden.Input) > 8 && strings.Contains(step.Observe[0].Content, hidden.Input) {
				t.Errorf("attempt %d tells a hidden test: %s", i, step.Observe[0].Content)
			}
		}
	}
	if step, err := e.Step(t.Context(), fenced("wrong")); err != nil || step.End != quintain.Terminated || step.Reward != 0 {
		t.Errorf("the last attempt: %+v, %v", step, err)
	}
	early, _ := episode(t, c)
	if step, err := early.Step(t.Context(), fenced("right on examples")); err != nil || step.End != quintain.Terminated || step.Right {
		t.Errorf("a program that passes the examples is judged by all tests at once: %+v, %v", step, err)
	}
}

func TestAnotherJudgeHasNoSetup(t *testing.T) {
	t.Parallel()
	c := CodeSpec.New().(*Code)
	c.Use(pretender)
	if by, mark, err := c.Runs(codetask.Task()); by != nil || mark != "" || err != nil {
		t.Errorf("programs run by %s, marked %q, error %v", by, mark, err)
	}
}

func TestSettingsReachTheTests(t *testing.T) {
	t.Parallel()
	plain, _ := episode(t, CodeSpec.New().(*Code))
	c := CodeSpec.New().(*Code)
	c.Scoring, c.TimeFactor = string(codegrade.Share), 2
	e, _ := episode(t, c)
	if e.tests.Scoring != codegrade.Share || e.tests.Limits.CPU != 2*plain.tests.Limits.CPU || e.tests.Limits.Wall != 2*plain.tests.Limits.Wall || e.tests.Limits.Wall < time.Second {
		t.Errorf("tests %+v, plain %+v", e.tests.Limits, plain.tests.Limits)
	}
}

func TestTheMachineIsMeasured(t *testing.T) {
	t.Parallel()
	c := CodeSpec.New().(*Code)
	c.TimeFactor = 0
	t.Cleanup(func() { _ = c.Close() })
	if c.Start() != nil { // below the floor of the sandbox
		return
	}
	if c.speed <= 0 || c.Factor() != 1/c.speed {
		t.Errorf("a machine of the speed %v has the factor %v", c.speed, c.Factor())
	}
	slow := CodeSpec.New().(*Code)
	slow.TimeFactor, slow.speed = 0, 0.25
	e, _ := episode(t, slow)
	plain, _ := episode(t, CodeSpec.New().(*Code))
	if e.tests.Limits.CPU != 4*plain.tests.Limits.CPU || e.tests.Limits.Wall != 4*plain.tests.Limits.Wall {
		t.Errorf("on a slow machine the limits are %+v, else %+v", e.tests.Limits, plain.tests.Limits)
	}
}

func TestALongTextIsCutInItsMiddle(t *testing.T) {
	t.Parallel()
	told := failed(codegrade.Stdin, codegrade.Case{Input: strings.Repeat("é", 5000), Output: "1\n2\n"}, codegrade.Outcome{Reason: codegrade.WrongAnswer, Output: "\xff\n"})
	if len(told) > 3*mostShown || !strings.Contains(told, "…") || !strings.Contains(told, "\n    1\n    2\n") || !strings.Contains(told, "\ufffd") {
		t.Errorf("told %q", told)
	}
}

// TestSolutionsPassInTheSandbox has the sandbox of this machine judge solutions, right and wrong.
// Below the floor the scenario refuses to begin.
func TestSolutionsPassInTheSandbox(t *testing.T) {
	t.Parallel()
	s, err := scenariotest.Closed(t, CodeSpec).Over(codetask.Task(), nil)
	if box, boxErr := native.New(native.Config{}); boxErr == nil {
		strength, _ := box.Probe(t.Context())
		_ = box.Close()
		if weak := len(strength.Lacks) > 0; weak != (err != nil) {
			t.Fatalf("the machine lacks %v, and the scenario says %v", strength.Lacks, err)
		}
	}
	if err != nil {
		return
	}
	info, plain := s.Info(), CodeSpec.Info()
	if by := sandbox.Described(nil, info.Sandbox); len(by) != 1 || by[0].Backend != native.Name || len(by[0].Interpreters) != 1 || info.Mark != by[0].Mark() {
		t.Errorf("programs run by %s, marked %q", info.Sandbox, info.Mark)
	}
	if plain.Sandbox != nil || info.ID() == plain.ID() {
		t.Errorf("the ID is %s, and %s without a machine", info.ID(), plain.ID())
	}
	for level := range 3 {
		p, err := s.Problem(quintain.Draw{Seed: 7, Level: level})
		if err != nil {
			t.Fatal(err)
		}
		solution, err := s.(quintain.Solver).Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		for text, right := range map[string]bool{s.Info().Reply(solution): true, "```python\nprint(0)\n```": false} {
			e, err := s.Env(p)
			if err != nil {
				t.Fatal(err)
			}
			step, err := e.Step(t.Context(), quintain.Reply{Text: text, Finish: quintain.Stop})
			if err != nil || step.Right != right || step.Right != (step.Reward == 1) {
				t.Errorf("level %d: %q gives %+v, %v, want right %v", level, text, step, err, right)
			}
		}
	}
}
