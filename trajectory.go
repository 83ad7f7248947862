package quintain

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"
)

// A Turn is one reply of the policy and the messages before it.
type Turn struct {
	Observed  []Message  `json:"observed"`            // messages since the last turn
	Reply     string     `json:"reply"`               // without special tokens
	Reasoning string     `json:"reasoning,omitempty"` // thoughts before the answer, if the server separates them
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	CallFault string     `json:"call_fault,omitempty"` // see [Sample]
	Read      []Token    `json:"read"`                 // tokens of Observed, with the opening of the reply
	Wrote     []Token    `json:"wrote"`                // sampled tokens; length W
	LogProbs  []float32  `json:"logprobs"`             // natural logarithm of the probability of each token in Wrote, as sampled; length W; nil: unknown
	Versions  []int32    `json:"versions"`             // version of the weights that sampled each token in Wrote; length W, never falling; -1: unknown
	Finish    Finish     `json:"finish"`

	// Fork says that the tokens do not continue those of the last turn: Read holds the
	// whole conversation as the policy's server rewrote it.
	Fork      bool `json:"fork,omitempty"`
	Realigned bool `json:"realigned,omitempty"` // see [Sample]

	// Tools are those that the environment offers from this turn on, as in [Request]; nil: the same as
	// before. Their change begins the tokens anew (Fork), unless the prompt's beginning is the same.
	Tools json.RawMessage `json:"tools,omitempty"`

	// Call places the turn in the tree of an agent's model calls. Nil in all turns: the
	// turns are a line, each continues the one before.
	Call *Call `json:"call,omitempty"`

	Answer    string   `json:"answer,omitempty"` // the judged part of the reply; see [Step]
	Reward    float64  `json:"reward"`           // for this reply alone
	Right     bool     `json:"right,omitempty"`
	Malformed bool     `json:"malformed,omitempty"`
	Illegal   bool     `json:"illegal,omitempty"`
	Value     *float64 `json:"value,omitempty"` // see [Step]
	Why       string   `json:"why,omitempty"`   // reason for the reward, for people

	Metrics map[string]float64 `json:"metrics,omitempty"` // see [Step]
	Record  json.RawMessage    `json:"record,omitempty"`  // see [Step]

	Times Times `json:"times,omitzero"` // a trace does not keep them
}

// Times are the moments of a turn, from the start of the episode. The zero value: unknown, because
// nobody traces the episode.
type Times struct {
	Asked   time.Duration `json:"asked,omitempty"`   // the policy was asked
	Replied time.Duration `json:"replied,omitempty"` // it had replied
	Judged  time.Duration `json:"judged,omitempty"`  // the environment had judged the reply; 0: it did not
}

// Check reports the first thing of the turn's tokens that makes it useless for training; see
// [Sample.Check].
func (t *Turn) Check() error {
	return (&Sample{Read: t.Read, Wrote: t.Wrote, LogProbs: t.LogProbs, Versions: t.Versions, Finish: t.Finish}).Check()
}

// Message returns the reply as a message.
func (t *Turn) Message() Message {
	return Message{Role: RoleAssistant, Content: t.Reply, Reasoning: t.Reasoning, ToolCalls: t.ToolCalls}
}

// A Call is a turn's place in a tree. An agent may call its model several times at once, go
// back, or begin anew with a summary.
type Call struct {
	ID     string          `json:"id"`
	Parent int             `json:"parent"`           // index of the turn that it continues, an earlier one; -1: none, it begins a conversation
	Class  string          `json:"class,omitempty"`  // how its messages relate to those of earlier calls
	Branch string          `json:"branch,omitempty"` // what its branch is: the agent's name for it, compacted or subagent
	Took   time.Duration   `json:"took,omitempty"`   // of its reply, with all waits; 0: unknown
	Span   string          `json:"span,omitempty"`   // the agent's own span that made the call: its header traceparent; a trace does not keep it
	Unused string          `json:"unused,omitempty"` // why the agent did not use the reply, which is then not trained on; empty: it did
	Tools  json.RawMessage `json:"tools,omitempty"`  // the tools offered, if they are not those of the parent: a JSON array as chat templates take it
}

// A Trajectory records one episode.
type Trajectory struct {
	ID         string  `json:"id"` // the group's ID and the episode's number in the group
	Problem    Problem `json:"problem"`
	Turns      []Turn  `json:"turns"`
	Vocabulary string  `json:"vocabulary"` // of the tokens; see [Sample]
	End        End     `json:"end"`
	Outcome    Outcome `json:"outcome"`
	Error      string  `json:"error,omitempty"`   // why it has no reward, unless Outcome is Scored or ModelFailed
	Replays    int     `json:"replays,omitempty"` // times it was restarted after a failure of the policy
	Output     string  `json:"output,omitempty"`  // the end of what the program of an [Agent] wrote, for people

	Tools json.RawMessage `json:"tools,omitempty"` // offered by the environment at first, as in [Request]
	Match *Match          `json:"match,omitempty"` // whose one seat this is; nil: the episode has one seat

	Helpers []Talk `json:"helpers,omitempty"` // of the models that its agent asked besides the policy; nil: none

	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took"` // from Started to the outcome, in nanoseconds
}

// Messages returns the whole conversation: of a tree, the messages of all turns in their
// order.
func (t *Trajectory) Messages() []Message {
	var talk []Message
	for _, turn := range t.Turns {
		talk = append(talk, turn.Observed...)
		talk = append(talk, turn.Message())
	}
	return talk
}

// Parent returns the index of the turn that turn k continues; -1: none.
func (t *Trajectory) Parent(k int) int {
	if call := t.Turns[k].Call; call != nil {
		return call.Parent
	}
	return k - 1
}

// Path returns the indices of the turns from the beginning of a conversation to turn k.
func (t *Trajectory) Path(k int) (path []int) {
	path = slices.Grow(path, k+1)
	for ; k >= 0; k = t.Parent(k) {
		path = append(path, k)
	}
	slices.Reverse(path)
	return path
}

// Prompt returns the tokens that turn k read: those of the conversation since it was last
// rewritten, up to the reply.
func (t *Trajectory) Prompt(k int) []Token {
	var out []Token
	for _, at := range t.Path(k) {
		turn := &t.Turns[at]
		if turn.Fork {
			out = out[:0]
		}
		out = append(out, turn.Read...)
		if at != k {
			out = append(out, turn.Wrote...)
		}
	}
	return out
}

// Reward returns the sum of the turns' rewards.
func (t *Trajectory) Reward() float64 {
	sum := 0.0
	for _, turn := range t.Turns {
		sum += turn.Reward
	}
	return sum
}

// Solved reports whether a reply was fully right.
func (t *Trajectory) Solved() bool {
	return slices.ContainsFunc(t.Turns, func(turn Turn) bool { return turn.Right })
}

// Malformed reports whether the last reply, of a tree that of its main branch, had no readable answer.
func (t *Trajectory) Malformed() bool {
	k := t.Last()
	return k >= 0 && t.Turns[k].Malformed
}

// Metrics returns the environment's further numbers, each as a reply had it last; nil: there are none. It leaves
// out those beyond ±1e290, so that sums of the others stay finite.
func (t *Trajectory) Metrics() (all map[string]float64) {
	for i := range t.Turns {
		for name, value := range t.Turns[i].Metrics {
			if all == nil {
				all = map[string]float64{}
			}
			all[name] = value
		}
	}
	maps.DeleteFunc(all, func(_ string, value float64) bool { return math.Abs(value) > 1e290 })
	return all
}

// Sampled returns the number of tokens that the policy wrote.
func (t *Trajectory) Sampled() int {
	n := 0
	for _, turn := range t.Turns {
		n += len(turn.Wrote)
	}
	return n
}

// An Outcome classifies a finished episode. Only Scored and ModelFailed episodes may carry
// a reward: no failure of ours ever becomes one.
type Outcome string

// The outcomes of an episode.
const (
	Scored      Outcome = "scored"       // the environment judged it
	ModelFailed Outcome = "model_failed" // judged, but a limit cut the reply or it had no readable answer
	EnvFailed   Outcome = "env_failed"   // the environment failed
	InfraFailed Outcome = "infra_failed" // the policy's server failed, or another part of ours
	Cancelled   Outcome = "cancelled"    // stopped before its end
	TimedOut    Outcome = "timed_out"    // one reply, or all together, took too long; not played again, because shorter episodes would take its place

	PromptTooLong Outcome = "prompt_too_long" // the first messages leave no room for a reply in the policy's context; not played again
	Ungraded      Outcome = "ungraded"        // whoever judges it could not: it is complete, and may be judged later; not played again
	Forfeited     Outcome = "forfeited"       // another seat of its match gave the match up, which nobody is paid for
)

// Outcomes lists all outcomes in display order.
var Outcomes = []Outcome{Scored, ModelFailed, EnvFailed, InfraFailed, Cancelled, TimedOut, PromptTooLong, Ungraded, Forfeited}

// Rewarded reports whether an episode with this outcome may carry a reward.
func (o Outcome) Rewarded() bool { return o == Scored || o == ModelFailed }

// Failed reports whether the episode failed by itself: it has no reward, and nobody stopped
// it.
func (o Outcome) Failed() bool {
	return o == EnvFailed || o == InfraFailed || o == TimedOut || o == PromptTooLong || o == Ungraded
}
