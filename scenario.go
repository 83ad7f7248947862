package quintain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// A Scenario makes the problems of one task, asks them as episodes and judges the replies.
// Many goroutines may call its methods at once.
type Scenario interface {
	// Info describes the scenario, and TaskInfo its task.
	Info() ScenarioInfo
	TaskInfo() Info

	// Problem makes the problem that d names, with Scenario set; see [Task].
	Problem(d Draw) (Problem, error)

	// Key returns the key of p's question; see [KeyOf].
	Key(p Problem) (Key, error)

	// Env returns a new episode of p, which the caller must Close. An error means that p is
	// unreadable.
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
	Version  int             `json:"version"` // raised whenever a text or a reward changes
	Settings json.RawMessage `json:"settings"`

	// Default reports whether Settings are the defaults.
	Default bool `json:"default"`

	// Sandbox describes what runs programs in the episodes; nil: nothing does. Mark names what
	// of it rewards depend on.
	Sandbox json.RawMessage `json:"sandbox,omitempty"`
	Mark    string          `json:"mark,omitempty"`

	// Tags reports whether episodes accept an answer between <answer> and </answer>.
	Tags bool `json:"-"`

	// Replayable reports whether an episode is a function of its problem and the replies: another
	// process that steps a new one with the same replies gets the same messages and rewards.
	Replayable bool `json:"-"`
}

// Reply returns the reply that gives an answer and says no more: with Tags the answer stands
// between them, unless it has some.
func (i ScenarioInfo) Reply(answer string) string {
	if !i.Tags || strings.Contains(strings.ToLower(answer), "<answer>") {
		return answer
	}
	return "<answer>" + answer + "</answer>"
}

// ID names the scenario with its settings: scenarios with equal IDs play equal problems
// alike. It joins name and version, and a hash of the settings unless they are the
// defaults: "math_multi_turn.v1", "math_multi_turn.v1-3fa2c1". With a mark, the hash is that of
// both, and never missing.
func (i ScenarioInfo) ID() string {
	id, hashed := fmt.Sprintf("%s.v%d", i.Name, i.Version), i.Settings
	if i.Mark != "" {
		hashed = append(bytes.Clone(hashed), "\n"+i.Mark...)
	}
	if !i.Default || i.Mark != "" {
		id += fmt.Sprintf("-%x", sha256.Sum256(hashed))[:7]
	}
	return id
}

// An Env is one episode. One goroutine opens it, steps it until a step's End is not Going,
// and closes it. An Env cannot be reset; each episode has its own.
type Env interface {
	// Open returns the first messages for the policy, one or more. They are the same in
	// every episode of a problem, because one request may sample the first replies of a
	// whole group.
	Open(ctx context.Context) ([]Message, error)

	// Step answers one reply of the policy. A wrong, empty or nonsensical reply is data. An
	// error means that the environment itself failed; the episode then has no reward, and
	// keeps the step's Why, Metrics and Record for people. See also [ErrLost].
	Step(ctx context.Context, reply Reply) (Step, error)

	// Close frees the resources of the episode. It is called once, even after an error.
	Close() error
}

// A Tokenized is an [Env] that knows the exact tokens of its first messages in the
// vocabulary of the policy's model.
type Tokenized interface {
	Env

	// Tokens returns the tokens of the messages that Open returned, with the opening of the
	// reply. The caller must not change them. Nil: unknown.
	Tokens() []Token
}

// ErrLost, in the chain of an environment's error, says that the policy's reply did not
// cause the fault: the program that plays the episode died between two replies, say. The
// episode is then [InfraFailed], not [EnvFailed], and may be played again.
var ErrLost = errors.New("the episode was lost")

// ErrUngraded, in the chain of the error of a [Ruling], says that whoever judges the reply could
// not: the server of a judge's model failed, say. The episode is then [Ungraded].
var ErrUngraded = errors.New("not judged")

// A Panel is a [Scenario] of one reply, which judges the replies of a group together. Its
// environments judge a reply alone, if that is possible.
type Panel interface {
	Scenario

	// Judge judges replies to p. A ruling may have the error that [Env] would return.
	Judge(ctx context.Context, p Problem, replies []Reply) []Ruling
}

// A Ruling is the end of an episode of a [Panel].
type Ruling struct {
	Step Step
	Err  error // the step is void; nil: it is not
}

// A Reply is the environment's view of a policy's turn.
type Reply struct {
	Text      string     // without special tokens, and without the calls
	ToolCalls []ToolCall // in the reply
	CallFault string     // see [Sample]
	Finish    Finish     // why it ended
	Tokens    int        // that were sampled; 0: unknown
}

// An Adviser is a [Scenario] that knows what to reply.
type Adviser interface {
	// Advise returns what to reply after some replies of an episode of p. After its end there is
	// nothing.
	Advise(ctx context.Context, p Problem, said []Reply) (Advice, error)
}

// An Advice lists whole replies. Calls of tools stand in them in the form plain of text/toolcall.
type Advice struct {
	Best    []string // that lose nothing
	Allowed []string // by the rules: all of them, or if they are too many, some
}

// An End says whether and how a step ended the episode.
type End string

// The ends of an episode.
const (
	Going      End = ""           // the policy's reply is next
	Terminated End = "terminated" // the task is over: the value after it is zero
	Truncated  End = "truncated"  // a limit cut it: the value after it is unknown
)

// MostReward is the largest reward and, negated, the smallest. Sums and squares of rewards stay
// exact enough within it, and a mean fits on a line.
const MostReward = 1e6

// CheckReward refuses a reward that is not a number from -[MostReward] to MostReward.
func CheckReward(reward float64) error {
	if !(math.Abs(reward) <= MostReward) {
		return fmt.Errorf("the reward is %v, want a number from %v to %v", reward, -MostReward, MostReward)
	}
	return nil
}

// A Step is the environment's response to one reply.
//
// With Alone, a policy with a chat template renders Observe as a conversation of its own,
// encodes it after a line feed, with the tokens that its tokenizer adds to any text, and
// appends that to the tokens so far, as AReaL's legacy agent does. Other policies ignore it.
type Step struct {
	Observe   []Message // the next messages for the policy; empty unless End is Going
	Alone     bool      // how to render Observe; see above
	Answer    string    // the judged final answer; empty: none found
	Reward    float64   // for this reply alone; see [CheckReward]
	Right     bool      // the reply is fully right
	Malformed bool      // the reply has no readable answer
	Illegal   bool      // the answer is readable, and against the rules
	Value     *float64  // what the best play from here on earns in all, luck apart: exact, 0 to 1, never rising; nil: unknown
	End       End
	Why       string // reason for the reward, or the limit reached, for people

	Tools []Tool // that are offered from the next reply on; nil: the same as before

	Metrics map[string]float64 // further numbers of the environment, finite, never added to the reward; nil: none
	Record  json.RawMessage    // the environment's own record, a JSON object, for people and for grading anew; nil: none
}

// Cuttable is an [Env] that judges what is there when its conversation has no room for another reply. Other
// episodes that are cut so keep the rewards of their replies.
type Cuttable interface {
	Env

	// Cut judges the episode after its last Step, in place of the next one, and ends it: the reward is added to that of the last
	// reply, of which it sets all else that the step has. An error is one of Step.
	Cut(ctx context.Context) (Step, error)
}

// An Agent is an [Env] whose own program asks the policy, in place of the caller. After Open,
// its caller calls Play once, and never Step.
type Agent interface {
	Env

	// Play lets the program play, and returns the episode with its turns, output, end and
	// outcome, [Scored] or [ModelFailed]. With an error it has no reward, but the turns so
	// far. The error is that of the environment, as in Step, unless it has [ErrLost],
	// [ErrTimeout] or another error of [Policy] in its chain.
	Play(ctx context.Context, s Seat) (Trajectory, error)
}

// A Seat is a place at a policy for one episode.
type Seat struct {
	Policy   Policy
	Key      string // of the episode; those of its requests are longer, see [Request]
	Sampling Sampling
	Within   time.Duration // limits the server time of all replies together; 0: no limit
	Exam     bool          // see [Request]

	Helpers map[string]Seat // at other policies, by their roles; see [Helped]
}
