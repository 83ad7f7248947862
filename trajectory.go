package quintain

import (
	"slices"
	"time"
)

// A Turn is one reply of the policy and what led to it.
type Turn struct {
	Observed  []Message  `json:"observed"`            // the messages since the turn before
	Reply     string     `json:"reply"`               // the policy's answer, without special tokens
	Reasoning string     `json:"reasoning,omitempty"` // what it thought before the answer, if the server separates the two
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Read      []Token    `json:"read"`     // tokens of Observed, with the opening of the reply
	Wrote     []Token    `json:"wrote"`    // tokens that were sampled; length W
	LogProbs  []float32  `json:"logprobs"` // natural logarithm of the probability of each of Wrote, as sampled; length W, or nil if unknown
	Versions  []int32    `json:"versions"` // version of the weights that sampled each of Wrote; length W, never falling; -1: unknown
	Finish    Finish     `json:"finish"`

	// Fork says that the tokens do not continue those of the turn before: Read holds
	// the whole conversation as the policy's server rewrote it.
	Fork      bool `json:"fork,omitempty"`
	Realigned bool `json:"realigned,omitempty"` // see [Sample]

	Answer    string  `json:"answer,omitempty"` // what was judged of the reply; see [Step]
	Reward    float64 `json:"reward"`           // for this reply alone
	Right     bool    `json:"right,omitempty"`
	Malformed bool    `json:"malformed,omitempty"`
	Why       string  `json:"why,omitempty"` // the reason for the reward, for people
}

// Message is the reply of t as a message.
func (t *Turn) Message() Message {
	return Message{Role: RoleAssistant, Content: t.Reply, Reasoning: t.Reasoning, ToolCalls: t.ToolCalls}
}

// A Trajectory is one episode as it was played.
type Trajectory struct {
	ID         string  `json:"id"` // the group's ID and the episode's place in the group
	Problem    Problem `json:"problem"`
	Turns      []Turn  `json:"turns"`
	Vocabulary string  `json:"vocabulary"` // of the tokens of all turns; see [Sample]
	End        End     `json:"end"`
	Outcome    Outcome `json:"outcome"`
	Error      string  `json:"error,omitempty"`   // what failed, if Outcome is not Scored or ModelFailed
	Replays    int     `json:"replays,omitempty"` // how often it was played again from the start, because the policy failed

	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took"` // from Started to the outcome, in nanoseconds
}

// Messages returns the whole conversation.
func (t *Trajectory) Messages() []Message {
	var talk []Message
	for _, turn := range t.Turns {
		talk = append(talk, turn.Observed...)
		talk = append(talk, turn.Message())
	}
	return talk
}

// Reward is the sum of the rewards of all turns.
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

// Malformed reports whether the last reply had no readable answer.
func (t *Trajectory) Malformed() bool {
	n := len(t.Turns)
	return n > 0 && t.Turns[n-1].Malformed
}

// Sampled counts the tokens that the policy wrote.
func (t *Trajectory) Sampled() int {
	n := 0
	for _, turn := range t.Turns {
		n += len(turn.Wrote)
	}
	return n
}

// An Outcome says how an episode turned out. Only Scored and ModelFailed episodes may
// carry a reward: no failure of ours ever becomes one.
type Outcome string

// The outcomes of an episode.
const (
	Scored      Outcome = "scored"       // the environment judged it
	ModelFailed Outcome = "model_failed" // judged, but the policy's reply was cut by a limit or had no readable answer
	EnvFailed   Outcome = "env_failed"   // the environment failed
	InfraFailed Outcome = "infra_failed" // the policy's server, or something else of ours, failed
	Cancelled   Outcome = "cancelled"    // it was stopped before its end
	TimedOut    Outcome = "timed_out"    // a reply, or all together, took longer than they may; it is not played again, as shorter ones would take its place
)

// Outcomes lists all outcomes in the order in which they are shown.
var Outcomes = []Outcome{Scored, ModelFailed, EnvFailed, InfraFailed, Cancelled, TimedOut}

// Rewarded reports whether an episode with this outcome may carry a reward.
func (o Outcome) Rewarded() bool { return o == Scored || o == ModelFailed }

// Failed reports whether an episode with outcome o failed: it has no reward, and nobody
// stopped it.
func (o Outcome) Failed() bool { return o == EnvFailed || o == InfraFailed || o == TimedOut }
