package gateway

import (
	"encoding/json"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings configure a gateway.
type Settings struct {
	SessionRules

	RewardWithin  time.Duration // for a reward, after the end of a session
	GroupWithin   time.Duration // for the sessions of a group, from its creation
	AbandonAfter  time.Duration // for a reply whose client has gone: it may ask again
	MaxSessions   int           // at once
	MaxChoices    int           // replies of one call
	MaxSequences  int           // training sequences of a session; the longest stay
	StrictPrompts bool          // every change of a system message begins a new conversation
	Ignore        []string      // regular expressions: matches in system messages make no difference
	TrainUnused   bool          // train on replies that the agent did not use
	Grader        string        // command line of a program that grades sessions; empty: none
	Hold          int64         // bytes of tokens and texts in memory; beyond, those of idle sessions are on disk alone
	AReaL         bool          // the routes of its proxy are answered too
	Port          int           // of agents alone; 0: that of all else
	Host          string        // to listen on there; empty: that of the other port
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{
		SessionRules: SessionRules{Limits: DefaultLimits()},
		RewardWithin: 10 * time.Minute, GroupWithin: 2 * time.Hour, AbandonAfter: 15 * time.Second,
		MaxSessions: 10_000, MaxChoices: 16, MaxSequences: 16, Hold: 1 << 30,
	}
}

// Declare implements [settings.Declarer]. The sessions have a section of their own.
func (s *Settings) Declare(d *settings.Section) {
	d.Int(&s.Limits.Span, "max_span", "most versions by which the weights may rise within a session; one beyond it ends, and has no reward; 0: any number").AtLeast(0)
	d.Duration(&s.RewardWithin, "reward_within", "time for the reward of a session, after its end; a session without one is dropped")
	d.Duration(&s.GroupWithin, "group_within", "time for all sessions of a group")
	d.Duration(&s.AbandonAfter, "abandon_after", "time for which a reply is sampled on after its client has gone, as it may ask again")
	d.Int(&s.MaxSessions, "max_sessions", "most sessions at once").AtLeast(1)
	d.Int64(&s.Hold, "hold", "bytes of memory for the tokens and texts of sessions; beyond, the longest idle have theirs on disk alone").AtLeast(0)
	d.Int(&s.MaxChoices, "max_choices", "most replies of one call").AtLeast(1)
	d.Int(&s.MaxSequences, "max_sequences", "most training sequences of a session; the longest stay").AtLeast(1)
	d.Texts(&s.Ignore, "ignore", "regular expressions, beside those for dates and billing lines of coding agents: what they match in system messages makes no difference between calls")
	d.Bool(&s.StrictPrompts, "strict_prompts", "every change of a system message begins a new conversation, even of dates and billing lines of coding agents")
	d.Bool(&s.TrainUnused, "train_unused", "train on replies too that the agent did not use")
	d.Text(&s.Grader, "grader", "command line of a program that grades ended sessions: it reads the session as JSON, and writes {\"reward\": …}; empty: none")
	d.Bool(&s.AReaL, "areal", "answer the routes of AReaL's proxy too, for programs written for it (docs/gateway-others.md)")
	d.Int(&s.Port, "port", "port for agents alone, the only one that they need reach; 0: that of all else").Between(0, 65535)
	d.Text(&s.Host, "host", "address to listen on for agents alone; empty: that of all else")
}

// A Spec says what a caller wants of new sessions. Its JSON form is the body of
// POST /v1/sessions.
type Spec struct {
	Name         string          `json:"name"`     // of a task of the caller's own: sessions of one name answer the same question
	Prompt       string          `json:"prompt"`   // its question, which the agent gets; empty: none
	Count        int             `json:"count"`    // sessions to make now; 0: one, or a whole group
	Group        string          `json:"group"`    // ID of their group; empty: a new one
	Of           int             `json:"of"`       // sessions of the group; 0: as many as a group of the run has
	AtLeast      int             `json:"at_least"` // rewarded sessions that suffice for a group; 0: all
	Replace      int             `json:"replace"`  // failed sessions of the group that may be replaced
	Mode         Mode            `json:"mode"`
	Grader       Grader          `json:"grader"`
	Limits       *Limits         `json:"limits"`        // nil: those of the settings
	RewardWithin float64         `json:"reward_within"` // seconds; 0: that of the settings
	AgentRewards *bool           `json:"agent_rewards"` // nil: as the settings say
	Metadata     json.RawMessage `json:"metadata"`      // kept and given back; the agent gets it too

	Join string `json:"-"` // see [Door.Start]
	Key  string `json:"-"` // of idempotency: what was made with it is made once; empty: none
	sum  []byte // of the request
	As   string `json:"-"` // another ID by which agents reach the session; a later session may take it over; empty: none
}

// A Mode says what sessions are for.
type Mode string

// The modes.
const (
	Train Mode = "train" // their groups are trained on
	Exam  Mode = "exam"  // they are not, and the agent's sampling parameters hold
)

// A Grader says who rewards sessions.
type Grader string

// The graders.
const (
	ByCaller  Grader = "caller"  // whoever has the caller's key
	ByTask    Grader = "task"    // the problem's own task judges the last reply of the main branch
	ByProgram Grader = "program" // the program of the settings judges the conversations
)
