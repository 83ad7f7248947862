package quintain

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// A Scenario makes the problems of one task and plays them as episodes, asked and
// judged in one way. Many goroutines may call its methods at once.
type Scenario interface {
	// Info describes the scenario, and TaskInfo the task whose problems it plays.
	Info() ScenarioInfo
	TaskInfo() Info

	// Problem makes the problem that d names; see [Task]. Its Scenario is set.
	Problem(d Draw) (Problem, error)

	// Key returns the key of what p asks; see [KeyOf].
	Key(p Problem) (Key, error)

	// Env returns a new episode of p, which the caller must Close. An error
	// means that p could not be read.
	Env(p Problem) (Env, error)
}

// A Solver is a [Scenario] that can solve its problems.
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
// problems alike. It is the name and the version, followed by a hash of the settings
// if they are not the defaults: "math_multi_turn.v1", "math_multi_turn.v1-3fa2c1".
func (i ScenarioInfo) ID() string {
	id := fmt.Sprintf("%s.v%d", i.Name, i.Version)
	if !i.Default {
		id += fmt.Sprintf("-%x", sha256.Sum256(i.Settings))[:7]
	}
	return id
}

// An Env is one episode: opened once, stepped by one goroutine until a step's End
// is not Going, then closed. It cannot be reset; each episode has its own Env.
type Env interface {
	// Open returns what the policy reads first, one message or more: the same for every
	// episode of a problem, as the first replies of a group answer it together.
	Open(ctx context.Context) ([]Message, error)

	// Step answers one reply of the policy. A reply may be wrong, empty or
	// nonsense: that is data. An error means that the environment itself failed;
	// the episode then has no reward. See also [ErrLost].
	Step(ctx context.Context, reply Reply) (Step, error)

	// Close frees what Open took. It is called once, even after an error.
	Close() error
}

// ErrLost is in the chain of an environment's error if the fault has nothing to do with what
// the policy replied: the program that plays the episode ended between two replies, say. The
// episode is [InfraFailed] then, not [EnvFailed], and may be played again.
var ErrLost = errors.New("the episode was lost")

// A Reply is the part of a policy's turn that an environment sees.
type Reply struct {
	Text      string     // what the policy wrote, without special tokens
	ToolCalls []ToolCall // the tool calls in it
	Finish    Finish     // why it ended
}

// An End says how a step left its episode.
type End string

// The ends of an episode.
const (
	Going      End = ""           // the policy's reply is next
	Terminated End = "terminated" // the task is over: the value after it is zero
	Truncated  End = "truncated"  // a limit cut it: the value after it is unknown
)

// A Step is an environment's answer to one reply.
type Step struct {
	Observe   []Message // what the policy reads next; empty unless End is Going
	Answer    string    // what was judged: the final answer in the reply; empty: none was found
	Reward    float64   // for this reply alone; finite
	Right     bool      // the reply is fully right
	Malformed bool      // the reply has no readable answer
	End       End
	Why       string // the reason for the reward, or the limit that was reached, for people
}
