package quintain

import "context"

// A Message is one entry of a conversation.
type Message struct {
	Role    string `json:"role"` // RoleSystem, RoleUser, RoleAssistant or RoleTool
	Content string `json:"content"`
}

// The roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// A Scenario makes problems that are played as episodes. Its methods may be
// called from many goroutines at once.
type Scenario interface {
	Info() Info

	// Problem makes the problem that d names; see [Task].
	Problem(d Draw) (Problem, error)

	// Env returns a new episode of p, which the caller must Close. An error
	// means that p could not be read.
	Env(p Problem) (Env, error)
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
	Text   string // what the policy wrote, without special tokens
	Finish Finish // why it ended there
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
	Reward    float64   // for this reply alone; finite
	Malformed bool      // no answer could be read out of the reply
	End       End
	Why       string // which limit, or why the reward is what it is, for people
}
