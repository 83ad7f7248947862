package codetask

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// TaskName is the name of the task.
const TaskName = "write_program"

// Task returns all kinds of problems as a task. Its Grade is an error: a program is judged by
// running it, which package codeplay does.
func Task() quintain.Task { return programs{only: quintain.OwnParams} }

// programs is the task; only is its one level, or OwnParams for all.
type programs struct{ only int }

// params are the settings of the task.
type params struct {
	Level int `json:"level"`
}

func (p params) json() json.RawMessage { return fmt.Appendf(nil, `{"level":%d}`, p.Level) }

func readParams(object json.RawMessage) (p params, err error) {
	return p, strictjson.UnmarshalKnown(object, &p)
}

// Info implements [quintain.Task].
func (t programs) Info() quintain.Info {
	info := quintain.Info{
		Name: TaskName, Category: "code", Version: Version, Many: true,
		Doc:    "Write a program in Python that passes tests. The kinds of problems, from strings to shortest paths, each draw their own rules.",
		Source: "Our own; solutions and tests are made with the problems.",
	}
	if t.only != quintain.OwnParams {
		info.Levels = []json.RawMessage{params{t.only}.json()}
		return info
	}
	for level := range Levels {
		info.Levels = append(info.Levels, params{level}.json())
	}
	return info
}

// With implements [quintain.Task].
func (t programs) With(object json.RawMessage) (quintain.Task, error) {
	p, err := readParams(object)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", TaskName, err)
	}
	if p.Level < 0 || p.Level >= Levels {
		return nil, fmt.Errorf("%s: level is %d, want 0 to %d", TaskName, p.Level, Levels-1)
	}
	return programs{p.Level}, nil
}

// Problem implements [quintain.Task].
func (t programs) Problem(d quintain.Draw) (quintain.Problem, error) {
	named := d.Level
	if t.only != quintain.OwnParams {
		if d.Level != 0 {
			return quintain.Problem{}, fmt.Errorf("%s: level is %d, want 0", TaskName, d.Level)
		}
		d.Level, named = t.only, quintain.OwnParams
	}
	p, err := New(d)
	if err != nil {
		return quintain.Problem{}, fmt.Errorf("%s: %w", TaskName, err)
	}
	return quintain.Problem{
		Task: TaskName, Version: Version, Seed: d.Seed, Level: named, Index: d.Index,
		Params: params{d.Level}.json(), Prompt: p.Statement,
	}, nil
}

// drawn returns the problem as it was drawn: its tests are a function of its place.
func drawn(p quintain.Problem) (Problem, error) {
	of, err := readParams(p.Params)
	if err != nil || p.Task != TaskName || p.Version != Version {
		return Problem{}, fmt.Errorf("problem %s is none of %s, version %d", p.ID(), TaskName, Version)
	}
	whole, err := New(quintain.Draw{Seed: p.Seed, Level: of.Level, Index: p.Index})
	if err == nil && whole.Statement != p.Prompt {
		err = fmt.Errorf("problem %s has another statement than its draw", p.ID())
	}
	return whole, err
}

// Tests returns the tests of a problem.
func (t programs) Tests(p quintain.Problem) (codegrade.Tests, error) {
	whole, err := drawn(p)
	return whole.Tests, err
}

// Solve implements [quintain.Task].
func (t programs) Solve(p quintain.Problem) (string, error) {
	whole, err := drawn(p)
	if err != nil {
		return "", err
	}
	return "\n```python\n" + strings.TrimRight(whole.Python, "\n") + "\n```\n", nil // the block on lines of its own, also between tags
}

// Grade implements [quintain.Task]: it cannot.
func (t programs) Grade(p quintain.Problem, _ string) (quintain.Verdict, error) {
	return quintain.Verdict{}, fmt.Errorf("problem %s asks for a program, which is judged in a sandbox: play it by the scenario code", p.ID())
}
