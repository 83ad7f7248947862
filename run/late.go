package run

import (
	"fmt"
	"math"
	"time"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Stale says what becomes of groups that are too old to be trained on.
type Stale string

// What becomes of them. In either case their scores count for the curriculum.
const (
	StaleDrop     Stale = "drop"     // they are kept and dropped, as stale; the trace calls them kept
	StaleWithhold Stale = "withhold" // they are withheld, and those that are too old when they end are neither kept nor scored by a teacher
)

// Staleness says what of a group is too old beyond the bound.
type Staleness string

// What counts. A reply that was interrupted and continued by newer weights has tokens of several
// versions.
const (
	StalenessOldest Staleness = "oldest" // its oldest token
	StalenessMean   Staleness = "mean"   // the mean version of its trained tokens
)

// Bound is the bound on the staleness of groups.
func (s *Settings) Bound() queue.Bound {
	return queue.Bound{MaxLag: s.MaxLag, Mean: s.Staleness == StalenessMean}
}

// reason is the name of their fate.
func (s Stale) reason() rollout.Drop {
	if s == StaleWithhold {
		return rollout.DropWithheld
	}
	return rollout.DropStale
}

// isLate reports whether a group was too old.
func isLate(why rollout.Drop) bool {
	return why == rollout.DropStale || why == rollout.DropWithheld
}

// What makes the groups that were too old worth a word.
const (
	someStale  = 20   // groups
	manyStale  = 0.05 // or a larger share of the groups, in a report
	manyLonger = 0.1  // a larger difference between the mean lengths of episodes
)

// A lateness compares the groups that were too old with those that were trained on.
type lateness struct {
	maxLag  int
	rule    Stale
	stale   Cost
	trained Cost
	times   stats.Sketch // seconds of the groups that were kept or withheld

	first, last time.Time // when steps were made
	steps       int       // since the first

	news                bool // there are more of them since the last look
	saidLength, saidLag bool
}

// dropped counts groups that were too old.
func (l *lateness) dropped(cost Cost) {
	l.stale = l.stale.plus(cost)
	l.news = true
}

// stepped counts a step on groups.
func (l *lateness) stepped(cost Cost, now time.Time) {
	l.trained = l.trained.plus(cost)
	if l.first.IsZero() {
		l.first = now
	} else {
		l.steps++
	}
	l.last = now
}

// stepSeconds is the mean time from step to step; 0: there is none yet.
func (l *lateness) stepSeconds() float64 {
	return l.last.Sub(l.first).Seconds() / float64(max(1, l.steps))
}

// slowest is the time in seconds that one group in a hundred exceeds; 0: there is no group.
func (l *lateness) slowest() float64 { return l.times.Quantile(0.99) }

// needed is the max_lag with which one group in a hundred would be too old, if steps take as long
// as now; 0: unknown. A group that begins just after a step ends after as many steps as its time has, and one
// more may be made before its turn comes.
func (l *lateness) needed() int {
	group, step := l.slowest(), l.stepSeconds()
	if group == 0 || step == 0 {
		return 0
	}
	return int(math.Ceil(min(1+group/step, math.MaxInt32)))
}

// fate says what became of the groups.
func (l *lateness) fate() string {
	if l.rule == StaleWithhold {
		return "withheld"
	}
	return "dropped as stale"
}

// lagAdvice says that max_lag is too low for the time of the groups; nothing if it is not.
func (l *lateness) lagAdvice() []string {
	need := l.needed()
	if need <= l.maxLag {
		return nil
	}
	group, step := fmt.Sprintf("%.3g", l.slowest()), fmt.Sprintf("%.3g", l.stepSeconds())
	return []string{fmt.Sprintf("%s %s: one group in a hundred takes %s s or more, and a step %s s; raise --max-lag from %d to %d (1 + %s / %s, rounded up), and bound the episodes at once (--parallel), or steps become as much shorter",
		stats.Count(l.stale.Groups, "group"), l.fate(), group, step, l.maxLag, need, group, step)}
}

// lengthWarning says that what is trained on differs in length from what was too old; empty: not, or nobody knows.
func (l *lateness) lengthWarning(unit string) []string {
	if more := l.stale.Longer(l.trained); l.trained.Groups < someStale || math.Abs(more) <= manyLonger {
		return nil
	}
	return []string{fmt.Sprintf("warning: staleness selects by length: the %d groups that were %s have episodes of %.0f %s in the mean, those trained on %.0f (%+.0f %%)",
		l.stale.Groups, l.fate(), l.stale.Length(), unit, l.trained.Length(), 100*l.stale.Longer(l.trained))}
}

// lateAdvice returns what to say of groups that were too old, each thing once.
func (t *tally) lateAdvice() (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := &t.late
	if !l.news || l.stale.Groups < someStale {
		return nil
	}
	l.news = false
	if !l.saidLength {
		all = l.lengthWarning(t.unit)
		l.saidLength = all != nil
	}
	if !l.saidLag {
		advice := l.lagAdvice()
		all, l.saidLag = append(all, advice...), advice != nil
	}
	return all
}
