// Package limits bounds the sessions of agents.
package limits

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/settings"
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

// Default returns the default limits.
func Default() Limits {
	return Limits{Calls: 1000, Seconds: 3600, Idle: 600, Parallel: 32, Drain: 5 * time.Second}
}

// Declare implements [settings.Declarer].
func (l *Limits) Declare(d *settings.Section) {
	d.Int(&l.Calls, "max_calls", "most model calls of a session").AtLeast(1)
	d.Int(&l.Tokens, "max_tokens", "most tokens that a session samples; 0: any number").AtLeast(0)
	d.Float(&l.Seconds, "seconds", "longest time of a session, in seconds").AtLeast(0)
	d.Float(&l.Idle, "idle", "longest time of a session without a call, in seconds").AtLeast(0)
	d.Int(&l.Parallel, "parallel", "most calls of a session at once").AtLeast(1)
	d.Int(&l.Span, "max_span", "most versions by which the weights may rise within a session; one beyond it ends, and has no reward; 0: any number").AtLeast(0)
}

// Wrong names a limit of a caller that is below 0; empty: none is, or l is nil.
func (l *Limits) Wrong() string {
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

// Within returns the limits of a caller, none above those of the settings.
func (l Limits) Within(most Limits) Limits {
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

// Stale begins the reason of a session of too many weights.
const Stale = "stale"

// Stale is why a session is of too many weights to be trained on, by the lowest and the highest
// of their versions; empty: it is not.
func (l Limits) Stale(versions []int32) string {
	if l.Span <= 0 || versions == nil || versions[0] < 0 || int(versions[1]-versions[0]) <= l.Span {
		return ""
	}
	return fmt.Sprintf("%s: its tokens are of the versions %d to %d of the weights, more than %d apart", Stale, versions[0], versions[1], l.Span)
}
