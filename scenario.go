package quintain

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// A Scenario makes problems and plays them as episodes: the problems of one task,
// asked and judged in one way. Its methods may be called from many goroutines at
// once.
type Scenario interface {
	// Info describes the scenario, and TaskInfo the task whose problems it plays.
	Info() ScenarioInfo
	TaskInfo() Info

	// Problem makes the problem that d names; see [Task]. Its Scenario is set.
	Problem(d Draw) (Problem, error)

	// Key tells what p asks; see [KeyOf].
	Key(p Problem) (Key, error)

	// Env returns a new episode of p, which the caller must Close. An error
	// means that p could not be read.
	Env(p Problem) (Env, error)
}

// A Solver is a [Scenario] that knows answers.
type Solver interface {
	// Solve returns an answer that earns the full reward.
	Solve(p Problem) (string, error)
}

// ScenarioInfo describes a scenario to people and to catalogues.
type ScenarioInfo struct {
	Name     string          `json:"name"`
	Doc      string          `json:"doc"` // one sentence, then anything else worth knowing
	Source   string          `json:"source"`
	Version  int             `json:"version"` // raised by one whenever what the policy reads or earns changes
	Settings json.RawMessage `json:"settings"`

	// Default reports whether Settings are the scenario's own defaults.
	Default bool `json:"default"`
}

// ID names the scenario with its settings: scenarios with equal IDs play equal
// problems alike. It is the name and the version, and a hash of the settings where
// they are not the defaults: "math_multi_turn.v1", "math_multi_turn.v1-3fa2c1".
func (i ScenarioInfo) ID() string {
	id := fmt.Sprintf("%s.v%d", i.Name, i.Version)
	if !i.Default {
		id += fmt.Sprintf("-%x", sha256.Sum256(i.Settings))[:7]
	}
	return id
}

// An Env is one episode: opened once, stepped by one goroutine until a step's End
// is not Going, then closed. It has no reset; another episode is another Env.
type Env interface {
	// Open returns what the policy reads first, one message or more.
	Open(ctx context.Context) ([]Message, error)

	// Step answers one reply of the policy. A reply that is wrong, empty or
	// senseless is data; an error means that the environment itself failed, and
	// the episode has no reward.
	Step(ctx context.Context, reply Reply) (Step, error)

	// Close frees what Open took. It is called once, also after an error.
	Close() error
}

// A Reply is what an environment gets of a policy's turn.
type Reply struct {
	Text      string     // what the policy wrote, without special tokens
	ToolCalls []ToolCall // that it asks for
	Finish    Finish     // why it ended there
}

// An End says how a step left its episode.
type End string

// The ends of an episode.
const (
	Going      End = ""           // the policy is to reply
	Terminated End = "terminated" // the task is over: the value after it is zero
	Truncated  End = "truncated"  // a limit cut it: the value after it is unknown
)

// A Step is what an environment answers to one reply.
type Step struct {
	Observe   []Message // what the policy reads next; empty when End is not Going
	Answer    string    // what was judged: the final answer in the reply; empty: none was found
	Reward    float64   // for this reply alone; finite
	Right     bool      // the reply is fully right
	Malformed bool      // no answer could be read out of the reply
	End       End
	Why       string // which limit, or why the reward is what it is, for people
}
