package quintain

import (
	"context"
	"strings"
	"time"
)

// A Seated is a [Scenario] whose settings may seat several players at a table. Its [Env] stays
// what it is: the episode of one seat, which evaluations play unless TablesOnly says otherwise.
type Seated interface {
	Scenario

	// Players says who sits where, seat 0 first: [PolicyPlayer], another policy (see [Opponent]), or a name of the
	// scenario's for a player of its own. Nil: there are no tables.
	Players() []string

	// TablesOnly reports whether evaluations play at tables, too: nobody has an episode alone.
	TablesOnly() bool

	// Table returns a new match of p. An error means that p is unreadable.
	Table(p Problem) (Table, error)

	// AdviseAt returns what a seat may reply to its conversation so far.
	AdviseAt(p Problem, seat int, talk []Message) (Advice, error)
}

// PolicyPlayer names the policy among the players of a table: its seats learn.
const PolicyPlayer = "policy"

// What the names of other policies begin with.
const (
	ServerPlayer = "server:" // and the name of a policy in the settings
	FrozenPlayer = "frozen:" // and the version of the policy's weights that it keeps
)

// A Helped is a [Scenario] whose agents call other models than the policy, such as a judge or the user
// that they talk to. Each is the policy with the name of its role in the settings, [ServerPlayer]. It learns nothing.
type Helped interface {
	Scenario

	// Helpers returns the roles; nil: there are none.
	Helpers() []string
}

// Opponent reports whether a player is another policy. Its seats reply as those of the policy do,
// in a conversation of their own, and learn nothing.
func Opponent(player string) bool {
	return strings.HasPrefix(player, ServerPlayer) || strings.HasPrefix(player, FrozenPlayer)
}

// A Table is one match of several seats, who reply in turn. One goroutine opens it, steps it until
// a step's End is not Going, and closes it.
type Table interface {
	// Seats is the number of seats. Those of the scenario's own players reply by themselves.
	Seats() int

	// Open returns the first messages for the seat that replies first. They are the same in every
	// match of a problem.
	Open(ctx context.Context) (Next, error)

	// Step answers the reply of the seat that was to reply. Errors are as in [Env].
	Step(ctx context.Context, seat int, reply Reply) (Next, error)

	// Close frees the resources of the match. It is called once, even after an error.
	Close() error
}

// A Next is what happened at a table since the last one. Its Step judges the reply, but for Reward
// and Right, which follow from Rewards: a seat that scores 1 is right. Its messages are for Seat,
// whose first ones they are if it has not replied yet.
type Next struct {
	Step
	Seat    int       // replies next
	Rewards []float64 // of each seat, since the last Next; those of a finished match sum to 1 over all of it

	// Together says, in the beginning, that the reply of another policy is drawn once for all matches of a group.
	Together bool

	// Forfeit says that the match ended without a result, because the seat that replied gave it up.
	// Only that seat has a reward.
	Forfeit bool
}

// A Match places a trajectory in a match.
type Match struct {
	ID      string   `json:"id"` // the problem's ID and the number of the match in its group
	Seat    int      `json:"seat"`
	Players []string `json:"players"`          // see [Seated]
	Others  []Talk   `json:"others,omitempty"` // of the seats of other policies that replied; nil: none did
}

// A Talk is the conversation of a seat of another policy, or the calls of a model that an agent asked besides the
// policy.
type Talk struct {
	Seat     int           `json:"seat"`             // 0 if there are no seats
	Player   string        `json:"player,omitempty"` // the name of an agent's other model, as in [Seated]; empty: that of the seat
	Messages []Message     `json:"messages"`         // as its policy read and wrote them
	Replies  int           `json:"replies,omitempty"`
	Tokens   int           `json:"tokens,omitempty"` // sampled
	Took     time.Duration `json:"took,omitempty"`   // of its replies, in nanoseconds
}
