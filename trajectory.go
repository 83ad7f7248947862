package quintain

// A Turn is one reply of the policy and what led to it.
type Turn struct {
	Observed []Message `json:"observed"` // what the policy was told since the turn before
	Reply    string    `json:"reply"`    // what it answered, without special tokens
	Read     []Token   `json:"read"`     // tokens of Observed, with the opening of the reply; length R
	Wrote    []Token   `json:"wrote"`    // tokens it sampled; length W
	LogProbs []float32 `json:"logprobs"` // of each of Wrote, as sampled; length W, or nil where unknown
	Versions []int32   `json:"versions"` // of the weights that sampled each of Wrote; length W, never falling
	Finish   Finish    `json:"finish"`
	Reward   float64   `json:"reward"` // for this reply alone
	Why      string    `json:"why,omitempty"`
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
}

// Messages returns the whole conversation.
func (t *Trajectory) Messages() []Message {
	var talk []Message
	for _, turn := range t.Turns {
		talk = append(talk, turn.Observed...)
		talk = append(talk, Message{Role: RoleAssistant, Content: turn.Reply})
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
