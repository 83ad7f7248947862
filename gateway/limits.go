package gateway

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Limits bound a session. A session beyond one ends.
type Limits struct {
	Calls       int           `json:"calls"`        // model calls
	Tokens      int           `json:"tokens"`       // sampled tokens; 0: any number
	TotalTokens int           `json:"total_tokens"` // of one conversation, with the reply; 0: the policy's context
	Seconds     float64       `json:"seconds"`      // from its creation
	Idle        float64       `json:"idle"`         // seconds without a call
	Parallel    int           `json:"parallel"`     // calls at once
	Span        int           `json:"span"`         // versions of the weights from its first token to its last, if it is trained on; 0: any number
	Drain       time.Duration `json:"-"`            // for calls under way when it ends
}

// DefaultLimits returns the default limits.
func DefaultLimits() Limits {
	return Limits{Calls: 1000, Seconds: 3600, Idle: 600, Parallel: 32, Drain: 5 * time.Second}
}

// SessionRules are the settings of all sessions, of agents elsewhere and of programs that are started
// here.
type SessionRules struct {
	Limits       Limits
	AgentRewards bool   // agents may reward their own sessions
	Guided       bool   // replies of examinations keep to the schema that a call names, and call the tool that it names
	ToolFormat   string // of tool calls in replies; empty: that of the chat template
}

// Declare implements [settings.Declarer].
func (s *SessionRules) Declare(d *settings.Section) {
	d.Int(&s.Limits.Calls, "calls", "most model calls of a session, which then ends").AtLeast(1)
	d.Int(&s.Limits.Tokens, "tokens", "most tokens that a session samples; 0: any number").AtLeast(0)
	d.Float(&s.Limits.Seconds, "seconds", "longest time of a session, in seconds; then it has no reward; 0: any").AtLeast(0)
	d.Float(&s.Limits.Idle, "idle", "longest time of a session without a call of the model, in seconds; 0: any").AtLeast(0)
	d.Int(&s.Limits.Parallel, "parallel", "most calls of a session at once").AtLeast(1)
	d.Bool(&s.AgentRewards, "rewards", "agents may reward their own sessions: a policy that runs commands could do so too")
	d.Bool(&s.Guided, "guided", "in evaluations, calls may name a JSON schema for the reply and force a tool call: the policy's server samples accordingly")
	d.Text(&s.ToolFormat, "tool_format", "format of tool calls in replies; empty: that of the policy (policy.tool_format)")
}

// wrong names a limit of a caller that is below 0; empty: none is, or l is nil.
func (l *Limits) wrong() string {
	if l == nil {
		return ""
	}
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"calls", float64(l.Calls)}, {"tokens", float64(l.Tokens)}, {"total_tokens", float64(l.TotalTokens)}, {"seconds", l.Seconds}, {"idle", l.Idle},
		{"parallel", float64(l.Parallel)}, {"span", float64(l.Span)},
	} {
		if f.value < 0 {
			return fmt.Sprintf("limits.%s: is %g, want 0 or more", f.name, f.value)
		}
	}
	return ""
}

// within returns the limits of a caller, none above those of the settings.
func (l Limits) within(most Limits) Limits {
	number := func(asked, most int) int {
		if asked <= 0 || most > 0 && asked > most {
			return most
		}
		return asked
	}
	seconds := func(asked, most float64) float64 {
		if !(asked > 0) || most > 0 && asked > most {
			return most
		}
		return asked
	}
	return Limits{
		Calls: number(l.Calls, most.Calls), Tokens: number(l.Tokens, most.Tokens), TotalTokens: number(l.TotalTokens, most.TotalTokens),
		Seconds: seconds(l.Seconds, most.Seconds), Idle: seconds(l.Idle, most.Idle), Parallel: number(l.Parallel, most.Parallel), Span: number(l.Span, most.Span), Drain: most.Drain,
	}
}

// staleWeights begins the reason of a session of too many weights.
const staleWeights = "stale"

// Stale is why a session is of too many weights to be trained on, by the lowest and the highest
// of their versions; empty: it is not.
func (l Limits) Stale(versions []int32) string {
	if l.Span <= 0 || versions == nil || versions[0] < 0 || int(versions[1]-versions[0]) <= l.Span {
		return ""
	}
	return fmt.Sprintf("%s: its tokens are of the versions %d to %d of the weights, more than %d apart", staleWeights, versions[0], versions[1], l.Span)
}
