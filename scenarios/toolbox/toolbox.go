// Package toolbox plays scenarios whose episodes are calls of tools, in process, with a result that
// is compared whole.
//
// A scenario is a [Spec]: parameters for each level, and a Make that draws the [Start] of an
// episode. A Start begins a [World], which has the tools and judges its own state. All else is here:
// the messages, the limit of calls, the tool finish, what happens to calls that make no sense, and
// the score.
package toolbox

import (
	"context"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A Start is how an episode begins. It is a plain value, which travels as JSON with the problem
// and is never shown. It may have a method Check() error, which refuses a foreign record, and Hosted() bool,
// which says that its worlds are [Hosted].
type Start interface {
	// Goal says what is to be done, in one of three wordings, 0 to 2. Whoever knows the goal and
	// calls the tools can find out all else.
	Goal(wording int) string

	// Answer is the parameter of the tool finish, whose Doc says what the answer looks like. Without
	// a name, there is none.
	Answer() scenario.Param

	// Canonical names the problem without its wording; see [task.Canonicalizer].
	Canonical() string

	// World begins an episode. All worlds of a Start go the same way with the same calls.
	World() World

	// Plan returns calls, without IDs, that reach the goal. The last of them ends the episode.
	Plan() []quintain.ToolCall
}

// A Budgeted start counts by another number of calls than its plan has, where that would tell what is
// to be found out: whether the wish can be fulfilled at all, say.
type Budgeted interface {
	Start

	// Calls is what the plan of any start that looks the same from outside has at most.
	Calls() int
}

// A World is what the tools of an episode work on. One goroutine uses it.
type World interface {
	// Tools are all but finish. Each result has 1,500 bytes at most.
	Tools() scenario.Kit

	// State is the whole state, and Untouched what it would be now if the policy had called
	// nothing: the state in the beginning, with what others did since.
	State() State
	Untouched() State

	// Mine reports whether the goal is about an entry of the state. The others must stay untouched.
	Mine(entry string) bool

	// Judge judges what the goal is about, and the answer: a text, or any other value as JSON. It is
	// empty if finish was not called.
	Judge(answer string) Judgement
}

// A Clocked world goes on by itself.
type Clocked interface {
	World

	// At is told the number of each call, from 1 on, before the call is made or refused.
	At(call int)
}

// An Ender is a world with a tool of its own that ends the episode.
type Ender interface {
	World

	// Ended reports whether that was called.
	Ended() bool
}

// A Hosted world runs what it does outside of the process.
type Hosted interface {
	World

	// Settle finds out all that State, Mine and Judge tell at the end, the answer judged. An error is one
	// of the environment.
	Settle(ctx context.Context, answer string) error

	// Close frees what the world has outside.
	Close() error
}

// A State is all that tools can change, by entry.
type State map[string]string

// A Judgement tells what is wrong in the end.
type Judgement struct {
	State  string  // what the goal wants otherwise, for people; empty: nothing
	Answer string  // what is wrong with the answer, for people; empty: nothing, or there is none
	Share  float64 // what is earned nevertheless, below 1; the goal says so
}

// A Spec defines a scenario with its task, which share its name.
type Spec[P any, S Start] struct {
	Name    string // unique, snake_case; also the name of the file
	Doc     string // one sentence, then anything else worth knowing
	Source  string // origin of the idea
	Version int    // raised whenever a text, a state or a reward changes

	Levels []P // parameters of each level, easiest first, at least four
	Make   func(P, *rng.Rand) (S, error)

	Guess []float64 // by level: the most that calls earn on average which follow no result; nil: nothing
}

// An Errand is what a Spec makes.
type Errand struct {
	Task     quintain.Task
	Scenario scenario.Spec
	Guess    []float64 // see [Spec]

	// Begin begins an episode of a problem, from what bind makes of its start; nil: the start itself.
	Begin func(p quintain.Problem, bind func(Start) Start) (scenario.Advised, error)
}

// Errand returns the errand; it keeps s.
func (s *Spec[P, S]) Errand() *Errand {
	made := &task.Spec[P, instance[S]]{
		Name: s.Name, Category: "tools", Doc: s.Doc, Source: s.Source, Version: s.Version, Default: s.Levels[0], Levels: s.Levels, Many: true,
		Make: func(p P, r *rng.Rand) (i instance[S], err error) {
			i.Wording = r.Between(0, wordings-1)
			i.Start, err = s.Make(p, r)
			return i, err
		},
	}
	e, read := &Errand{Task: made.Task(), Guess: s.Guess}, made.Reader()
	e.Begin = func(p quintain.Problem, bind func(Start) Start) (scenario.Advised, error) {
		i, err := read(p)
		if err != nil {
			return nil, err
		}
		if bind == nil {
			return newEnv(i.Start, i.Wording), nil
		}
		return newEnv(bind(i.Start), i.Wording), nil
	}
	own := &scenario.Own{Name: s.Name, Begin: func(p quintain.Problem) (scenario.Advised, error) { return e.Begin(p, nil) }}
	e.Scenario = scenario.Spec{
		Name: s.Name, Doc: s.Doc, Source: s.Source, Version: s.Version, Untagged: true,
		New: func() scenario.Play { return own },
	}
	return e
}

// An instance is the record of a problem.
type instance[S Start] struct {
	Start   S   `json:"start"`
	Wording int `json:"wording" want:"0 to 2"`
}

// Check refuses a record that is no start of the errand, if the errand can tell.
func (i instance[S]) Check() error { return task.Check(i.Start) }

// Prompt implements [task.Instance].
func (i instance[S]) Prompt() string { return i.Start.Goal(i.Wording) }

// Played implements [task.Player].
func (i instance[S]) Played() bool {
	of, can := any(i.Start).(interface{ Hosted() bool })
	return can && of.Hosted()
}

// Canonical implements [task.Canonicalizer].
func (i instance[S]) Canonical() string { return i.Start.Canonical() }

// Solve implements [task.Instance]: the calls of the plan, a line each.
func (i instance[S]) Solve() string { return toolcall.AppendPlain("", i.Start.Plan()) }

// Score implements [task.Instance]: what calls earn that were written down in advance.
func (i instance[S]) Score(answer string) quintain.Verdict {
	read := toolcall.Plain().Parse(answer, toolcall.Context{})
	if read.Malformed || len(read.Calls) == 0 {
		return quintain.Malformed("it has no readable calls: " + read.Why)
	}
	e := newEnv(i.Start, i.Wording)
	step, err := e.Step(context.Background(), quintain.Reply{ToolCalls: read.Calls, Finish: quintain.Stop})
	switch {
	case err != nil:
		return quintain.Wrong(err.Error())
	case step.End == quintain.Going:
		return quintain.Wrong("the calls do not end the episode")
	}
	return quintain.Verdict{Score: step.Reward, Reason: strings.TrimSpace(step.Why)}
}

// Tool returns a tool whose arguments are the fields of a struct, found as in encoding/json.
func Tool[In any](name, doc string, params []scenario.Param, do func(In) (string, error)) scenario.Tool {
	return scenario.Of(name, doc, params, func(_ context.Context, in In) (string, error) { return do(in) })
}

// Call returns a call with arguments, which are a struct or a map.
func Call(name string, args any) quintain.ToolCall {
	text, err := strictjson.Legible(args)
	if err != nil {
		text = []byte("null") // no tool takes it
	}
	return quintain.ToolCall{Name: name, Arguments: string(text)}
}
