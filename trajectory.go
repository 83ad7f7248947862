package quintain

import (
	"slices"
	"time"
)

// A Turn is one reply of the policy and what led to it.
type Turn struct {
	Observed  []Message  `json:"observed"`            // what the policy was told since the turn before
	Reply     string     `json:"reply"`               // what it answered, without special tokens
	Reasoning string     `json:"reasoning,omitempty"` // what it thought before, where the server tells that apart
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Read      []Token    `json:"read"`     // tokens of Observed, with the opening of the reply; length R
	Wrote     []Token    `json:"wrote"`    // tokens it sampled; length W
	LogProbs  []float32  `json:"logprobs"` // of each of Wrote, as sampled; length W, or nil where unknown
	Versions  []int32    `json:"versions"` // of the weights that sampled each of Wrote; length W, never falling
	Finish    Finish     `json:"finish"`

	// Fork says that the tokens before Wrote do not continue those of the turn before:
	// Read has the whole conversation anew, as the policy's server rewrote it.
	Fork bool `json:"fork,omitempty"`

	Answer    string  `json:"answer,omitempty"` // what was judged of the reply; see [Step]
	Reward    float64 `json:"reward"`           // for this reply alone
	Right     bool    `json:"right,omitempty"`
	Malformed bool    `json:"malformed,omitempty"`
	Why       string  `json:"why,omitempty"` // why the reward is what it is, for people
}

// Message is the reply of t as a message.
func (t *Turn) Message() Message {
	return Message{Role: RoleAssistant, Content: t.Reply, Reasoning: t.Reasoning, ToolCalls: t.ToolCalls}
}

// A Trajectory is one episode as it was played.
type Trajectory struct {
	ID         string  `json:"id"` // the group's ID and the place in it
	Problem    Problem `json:"problem"`
	Turns      []Turn  `json:"turns"`
	Vocabulary string  `json:"vocabulary"` // what the tokens of all turns count in
	End        End     `json:"end"`
	Outcome    Outcome `json:"outcome"`
	Error      string  `json:"error,omitempty"` // what failed, where Outcome says that something did

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

// Sampled counts the tokens that the policy wrote.
func (t *Trajectory) Sampled() int {
	n := 0
	for _, turn := range t.Turns {
		n += len(turn.Wrote)
	}
	return n
}

// An Outcome says what became of an episode. Only Scored and ModelFailed may
// carry a reward: no failure of ours ever becomes one.
type Outcome string

// The outcomes of an episode.
const (
	Scored      Outcome = "scored"       // the environment judged it
	ModelFailed Outcome = "model_failed" // judged, but the policy's reply was cut by a limit or had no readable answer
	EnvFailed   Outcome = "env_failed"   // the environment failed
	InfraFailed Outcome = "infra_failed" // the policy's server, or something else of ours, failed
	Cancelled   Outcome = "cancelled"    // it was cut before its end
)

// Outcomes lists all outcomes in the order in which they are shown.
var Outcomes = []Outcome{Scored, ModelFailed, EnvFailed, InfraFailed, Cancelled}

// Rewarded reports whether an episode of this outcome may carry a reward.
func (o Outcome) Rewarded() bool { return o == Scored || o == ModelFailed }
