package judge

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A Check says how a judge is tried in a run, as by quintain judge check: before it judges the
// first group, and by the known verdicts alone again and again.
type Check struct {
	Every int     // groups from one trial to the next; 0: the judge is never tried
	Floor float64 // least accuracy, and least agreement with itself
	Known string  // file of replies with known verdicts; empty: see [Canaries]
	Force bool    // a judge that fails is used all the same
}

// DefaultCheck returns how a judge is tried if its file does not say.
func DefaultCheck() Check { return Check{Every: 500, Floor: 0.9} }

// Declare implements [settings.Declarer].
func (c *Check) Declare(d *settings.Section) {
	d.Int(&c.Every, "every", "groups from one check of the judge to the next; 0: no checks").AtLeast(0)
	d.Float(&c.Floor, "floor", "least accuracy and agreement with itself").Between(0, 1)
	d.Text(&c.Known, "known", "JSON lines of replies with known verdicts; empty: 50 simple ones, with a rubric of their own")
	d.Bool(&c.Force, "force", "use a judge that fails the check, with a warning")
}

// A trial tries a judge while it judges. Nil never does.
type trial struct {
	how   Check
	known []Canary
	cfg   Config
	slot  chan struct{} // full while somebody looks whether the judge is to be tried

	// Those who have the slot use these.
	groups int       // since the last trial
	tried  bool      // the first trial is over
	fault  error     // why nothing is judged; nil: something is
	until  time.Time // when the fault is looked at again; zero: never

	mu     sync.Mutex // guards the rest
	report Trials
}

// Trials says how far a judge could be trusted.
type Trials struct {
	Held      int      `json:"held"`      // trials
	Accuracy  float64  `json:"accuracy"`  // of the last, on known verdicts
	Agreement float64  `json:"agreement"` // of the last, with itself
	Lowest    float64  `json:"lowest"`    // accuracy or agreement of any
	Tried     int      `json:"tried"`     // injections
	Worked    []string `json:"worked"`    // those that earned more than the same answer alone
	Warnings  []string `json:"warnings,omitempty"`
}

// newTrial returns the trial of a judge; nil: the settings want none.
func newTrial(c Check, known []Canary, cfg Config) *trial {
	if c.Every == 0 || cfg.Rewards != nil { // a reward model gives no verdicts that could be known
		return nil
	}
	return &trial{how: c, known: known, cfg: cfg, slot: make(chan struct{}, 1), report: Trials{Lowest: 1}}
}

// later is how long a trial that had no verdicts is not repeated.
const later = time.Minute

// pass returns when the judge may judge a group. The error has [quintain.ErrUngraded] in its chain,
// and once the judge has failed a trial also [quintain.ErrStop], unless it is the cause of ctx.
func (t *trial) pass(ctx context.Context) error {
	if t == nil {
		return nil
	}
	select {
	case t.slot <- struct{}{}:
		defer func() { <-t.slot }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	t.groups++
	switch {
	case t.fault != nil && (t.until.IsZero() || time.Now().Before(t.until)):
		return t.fault
	case t.tried && t.groups <= t.how.Every:
		return nil
	}
	return t.hold(ctx)
}

// hold tries the judge.
func (t *trial) hold(ctx context.Context) error {
	r, err := t.check(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		t.fault = fmt.Errorf("the judge cannot be tried: %w: %w, %w", err, quintain.ErrUngraded, quintain.ErrStop)
		return t.fault
	case r.Forgets(): // groups would be without a verdict as long as this judge is asked
	case r.Ungraded > 0 && t.tried: // groups will be without a verdict, too
		t.groups = 0
		t.warn(fmt.Sprintf("%s had no verdict when the judge was tried again", stats.Count(r.Ungraded, "known reply")))
		return nil
	case r.Ungraded > 0:
		t.until = time.Now().Add(later)
		t.fault = fmt.Errorf("the judge cannot be tried: %s of the check without a verdict: %w, %w", stats.Count(r.Ungraded, "reply"), quintain.ErrUngraded, quintain.ErrLost)
		return t.fault
	}
	t.note(r)
	t.fault, t.until = nil, time.Time{}
	if why := r.Trusted(t.how.Floor); why != "" && t.how.Force {
		t.warn("the judge fails its check: " + why)
	} else if why != "" {
		t.fault = fmt.Errorf("the judge should not be trained on: %s; check.force in its settings uses it all the same: %w, %w", why, quintain.ErrUngraded, quintain.ErrStop)
		return t.fault
	}
	t.groups, t.tried = 1, true
	return nil
}

// check holds a whole check, or one by the known verdicts if it is not the first.
func (t *trial) check(ctx context.Context) (*AttackReport, error) {
	if t.tried {
		return AttackAgain(ctx, t.cfg, t.known)
	}
	return Attack(ctx, t.cfg, t.known)
}

// note adds a trial to the report.
func (t *trial) note(r *AttackReport) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.report.Held++
	t.report.Accuracy, t.report.Agreement = r.Accuracy, r.Agreement
	t.report.Lowest = min(t.report.Lowest, r.Accuracy, r.Agreement)
	t.report.Tried += r.Tried
	for _, b := range r.Worked {
		t.report.Worked = append(t.report.Worked, b.Injection)
	}
}

// warn adds a warning to the report, once.
func (t *trial) warn(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.report.Warnings, text) {
		t.report.Warnings = append(t.report.Warnings, text)
	}
}

// results returns the report; nil: there was no trial.
func (t *trial) results() *Trials {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.report
	r.Worked, r.Warnings = slices.Clone(r.Worked), slices.Clone(r.Warnings)
	return &r
}
