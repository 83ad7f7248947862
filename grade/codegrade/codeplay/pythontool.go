package codeplay

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task/answer"
)

// PythonToolSpec is the scenario.
var PythonToolSpec = scenario.Spec{
	Name: "python_tool",
	Doc: "The policy may run Python, in a session that lasts as long as the episode, before it gives its answer between <answer> and </answer>. " +
		"The task scores the answer; calls earn nothing.",
	Source:  "Our own, after the code interpreters of ReTool, ToRL and NeMo Gym.",
	Version: 1,
	New: func() scenario.Play {
		return &PythonTool{Form: ToolForm, Calls: 8, Seconds: 5, Memory: 512, Output: 2000}
	},
}

// A Form is how the policy calls.
type Form string

// The forms.
const (
	ToolForm Form = "tool" // as the chat template of its model has it
	CodeForm Form = "code" // the code between <code> and </code>, as in ReTool
)

// PythonTool holds the settings of the scenario.
type PythonTool struct {
	Form      Form
	Calls     int     // most of an episode
	Seconds   float64 // of the processor, for a call
	Memory    int     // MiB
	Output    int     // most characters of a result
	Stateless bool

	Host
}

// Declare implements [settings.Declarer].
func (s *PythonTool) Declare(d *settings.Section) {
	settings.Word(d, &s.Form, "form", "how the policy calls: tool, the tool python in the form of its chat template; code, text between tags code, whose result it gets between tags interpreter, for models that know no tools").
		OneOf(string(ToolForm), string(CodeForm))
	d.Int(&s.Calls, "calls", "most calls of an episode; the policy is told when none is left").AtLeast(1)
	d.Float(&s.Seconds, "seconds", "processor time of a call; it may take three times as long, and a second").Above(0)
	d.Int(&s.Memory, "memory", "memory of a session, in MiB").AtLeast(32)
	d.Int(&s.Output, "output", "most characters of a result, which is cut in its middle").AtLeast(100)
	d.Bool(&s.Stateless, "stateless", "each call begins with nothing, in place of what the calls before it left")
}

// Runs implements [scenario.Runner], by a [sandbox.Setup]. There is none before Start, and if another
// sandbox runs the cells.
func (s *PythonTool) Runs(quintain.Task) (by json.RawMessage, mark string, err error) {
	setup, err := s.Setup(context.Background())
	if setup == nil || err != nil {
		return nil, "", err
	}
	by, err = json.Marshal(setup)
	return by, setup.Mark(), err
}

// Env implements [scenario.Play].
func (s *PythonTool) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	asks := scenario.OneTurn{System: s.system(), Extract: answer.Tagged, Dual: true}
	return newEpisode(s, asks.Env(t, p)), nil
}

// Plan implements [scenario.Planner]: Python says the answer.
func (s *PythonTool) Plan(t quintain.Task, p quintain.Problem) ([]quintain.ToolCall, error) {
	solution, err := t.Solve(p)
	if err != nil {
		return nil, err
	}
	text, err := strictjson.Legible(solution)
	if err != nil {
		return nil, err
	}
	args, err := strictjson.Legible(struct {
		Code string `json:"code"`
	}{"print(" + string(text) + ")"})
	return []quintain.ToolCall{{Name: name, Arguments: string(args)}}, err
}

// notebook returns the Python of an episode.
func (s *PythonTool) notebook() (*notebook, error) {
	if err := s.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", quintain.ErrLost, err)
	}
	cpu := time.Duration(s.Seconds * float64(time.Second))
	limits := sandbox.Limits{CPU: cpu, Memory: int64(s.Memory) << 20}
	return &notebook{on: s.on, spec: sandbox.Spec{Limits: limits}, slots: s.slots, fresh: s.Stateless}, nil
}
