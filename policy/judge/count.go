package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Stats counts what a judge did.
type Stats struct {
	Judged    int64 // replies with a verdict, those without a call too
	Ungraded  int64 // replies, or pairs, without one
	Malformed int64 // replies with nothing to judge
	Calls     int64 // to the policy
	Cached    int64 // ballots from the cache
	Failed    int64 // calls that failed after all retries
	Unread    int64 // answers without a verdict
	Answers   int64 // that were not cut
	Copied    int64 // of these, with the code of their prompt
	Disagreed int64 // replies, or pairs, whose votes were split
	Pairs     int64 // shown in both orders
	Swapped   int64 // of these, whose verdict turned with the order
	TokensIn  int64 // of prompts; without a tokenizer, a quarter of the bytes
	TokensOut int64 // of the judge's replies
	Unkept    int64 // ballots that the cache could not keep

	// Length is the correlation of a reply's score with its length, -1 to 1; 0 below two replies.
	Length float64
}

// SwappedShare returns the share of pairs whose verdict turned with the order.
func (s *Stats) SwappedShare() float64 { return float64(s.Swapped) / float64(max(1, s.Pairs)) }

// Swapped pairs above this share, of this many, deserve a warning.
const (
	swappedShare = 0.2
	swappedPairs = 20
)

// Warning says what is wrong with the judge; empty: nothing known.
func (s *Stats) Warning() string {
	if s.Pairs >= swappedPairs && s.SwappedShare() > swappedShare {
		return fmt.Sprintf("the verdicts on %d of %d pairs turn with the order of the replies: take a better judge, or mode %s", s.Swapped, s.Pairs, Absolute)
	}
	return ""
}

// Spent counts what the limits of a budget are for: calls and tokens. Several judges may share it.
// The zero value: nothing yet.
type Spent struct{ calls, in, out atomic.Int64 }

// counters are the counts of a judge.
type counters struct {
	*Spent
	judged, ungraded, malformed, cached, failed, unread, answers, copied, disagreed, pairs, swapped, unkept atomic.Int64

	mu      sync.Mutex // guards the rest
	lengths moments
	slope   slope
}

// Stats returns the counts so far.
func (j *Judge) Stats() Stats {
	j.mu.Lock()
	length := j.lengths.correlation()
	j.mu.Unlock()
	return Stats{
		Judged: j.judged.Load() + j.malformed.Load(), Ungraded: j.ungraded.Load(), Malformed: j.malformed.Load(), Calls: j.calls.Load(),
		Cached: j.cached.Load(), Failed: j.failed.Load(), Unread: j.unread.Load(), Answers: j.answers.Load(), Copied: j.copied.Load(), Disagreed: j.disagreed.Load(),
		Pairs: j.pairs.Load(), Swapped: j.swapped.Load(), TokensIn: j.in.Load(), TokensOut: j.out.Load(), Unkept: j.unkept.Load(),
		Length: length,
	}
}

// spend counts a call, or says that the budget is used up.
func (j *Judge) spend() error {
	if n := j.in.Load() + j.out.Load(); j.cfg.Tokens > 0 && n >= j.cfg.Tokens {
		return fmt.Errorf("%s used, of %d: raise the judge's budget of tokens", stats.Count(n, "token"), j.cfg.Tokens)
	}
	if n := j.calls.Add(1); j.cfg.Calls > 0 && n > j.cfg.Calls {
		j.calls.Add(-1)
		return fmt.Errorf("%s made: raise the judge's budget of calls", stats.Count(j.cfg.Calls, "call"))
	}
	return nil
}

// count counts the tokens of a call.
func (j *Judge) count(s *quintain.Sample) {
	in, out := len(s.Read), len(s.Wrote)
	if s.Vocabulary == quintain.UTF8 {
		in, out = (in+3)/4, (out+3)/4
	}
	j.in.Add(int64(in))
	j.out.Add(int64(out))
}

// note adds a verdict to the counts.
func (j *Judge) note(score float64, length int) {
	j.judged.Add(1)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lengths.add(float64(length), score)
}

// moments are the running means and products of pairs of numbers.
type moments struct{ n, x, y, xx, yy, xy float64 }

// add adds a pair.
func (m *moments) add(x, y float64) {
	m.n++
	dx, dy := x-m.x, y-m.y
	m.x += dx / m.n
	m.y += dy / m.n
	m.xx += float64(dx * (x - m.x))
	m.yy += float64(dy * (y - m.y))
	m.xy += float64(dx * (y - m.y))
}

// correlation returns Pearson's; 0 if it is not defined.
func (m *moments) correlation() float64 {
	if m.xx <= 0 || m.yy <= 0 {
		return 0
	}
	return m.xy / math.Sqrt(m.xx*m.yy)
}

// A Hold puts off all calls of judges that share it after a server asked for it by Retry-After, so
// that not each call finds that out by itself. The zero value and nil hold nothing.
type Hold struct {
	mu    sync.Mutex
	until time.Time
}

// mostHold limits a hold.
const mostHold = 5 * time.Minute

// Told is a [remote.Config.Told]: it notes what the server asked for.
func (h *Hold) Told(fault *remote.Error, _ int) { h.For(fault.After()) }

// Failed notes what the server asked for in an error that ended a call.
func (h *Hold) Failed(err error) {
	if fault, ok := errors.AsType[*remote.Error](err); ok {
		h.For(fault.After())
	}
}

// For puts off calls for d, at most 5 minutes.
func (h *Hold) For(d time.Duration) {
	if h == nil || d <= 0 {
		return
	}
	until := time.Now().Add(min(d, mostHold))
	h.mu.Lock()
	defer h.mu.Unlock()
	if until.After(h.until) {
		h.until = until
	}
}

// wait waits until nothing is held. The error is the cause of ctx.
func (h *Hold) wait(ctx context.Context) error {
	for h != nil {
		h.mu.Lock()
		left := time.Until(h.until)
		h.mu.Unlock()
		if left <= 0 {
			break
		}
		if !pause.For(ctx, left) {
			return context.Cause(ctx)
		}
	}
	return nil
}
