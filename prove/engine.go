package prove

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/stats"
)

// confidence is that of the intervals by which checks fail.
const confidence = 0.999

// A StartError says that the environment could not be started.
type StartError struct{ Err error }

// Error returns the reason.
func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

// Run starts the environment and runs the checks. The error is a [*StartError], or the cause of the end of ctx.
func Run(ctx context.Context, j Job) (*Report, error) {
	b := &bench{job: j, began: time.Now(), low: math.Inf(1), high: math.Inf(-1), solved: map[string]solution{}}
	var err error
	if b.subject, err = j.Open(ctx); err != nil {
		return nil, &StartError{err}
	}
	defer b.end()
	b.started = time.Since(b.began)
	if err := b.measure(ctx); err != nil {
		return nil, err
	}
	r := b.report()
	all := Checks()
	for i, c := range all {
		if len(j.Only) > 0 && !slices.Contains(j.Only, c.ID) {
			continue
		}
		if j.Told != nil {
			j.Told(c.ID, i, len(all))
		}
		r.Checks = append(r.Checks, b.hold(ctx, c))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	r.Opening, r.Oracle = example(ctx, b)
	r.Seconds = time.Since(b.began).Seconds()
	r.sum()
	return r, nil
}

// report begins the report.
func (b *bench) report() *Report {
	s, info := b.subject, b.subject.Scenario.Info()
	r := &Report{Format: 1, Seed: b.job.Seed, Policy: "usual", Machine: fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, stats.Count(runtime.NumCPU(), "processor"))}
	switch {
	case b.job.Quick:
		r.Policy = "quick"
	case b.job.Deep:
		r.Policy = "deep"
	}
	r.Environment = Environment{b.job.Address, info.ID(), s.Scenario.TaskInfo().Name, s.Source, s.Digest}
	if r.Environment.Source == "" {
		r.Environment.Source = info.Source
	}
	return r
}

// hold runs a check, as far as the time goes.
func (b *bench) hold(ctx context.Context, c Check) *Result {
	r := &Result{ID: c.ID, OpenEnv: c.OpenEnv, Question: c.Question}
	began := time.Now()
	b.round, b.played = 0, 0
	switch n, why := b.afford(c); {
	case why != "":
		r.not(why)
	default:
		b.n = n
		b.guard(ctx, c, r)
		if c.Chance && r.Status == Fail {
			b.confirm(ctx, c, r)
		}
	}
	if r.Status == Fail || r.Status == Warn {
		r.Remedy = c.Remedy
	}
	if r.Status == Fail && r.Witness == nil { // nothing can be shown
		r.Status = Warn
	}
	if r.Witness != nil && b.job.Command != "" {
		r.Witness.Command = fmt.Sprintf("%s --seed %d --only %s", b.job.Command, b.job.Seed, c.ID)
	}
	r.Episodes, r.Seconds = b.played, time.Since(began).Seconds()
	return r
}

// guard runs a check; a panic is a fault of it.
func (b *bench) guard(ctx context.Context, c Check, r *Result) {
	defer func() {
		if fault := recover(); fault != nil {
			r.Status, r.WhyNot = Fault, fmt.Sprint(fault)
		}
	}()
	c.run(ctx, b, r)
	if r.Status == "" {
		r.Status = Pass
	}
}

// confirm runs a check by chance on other problems: both draws must fail.
func (b *bench) confirm(ctx context.Context, c Check, r *Result) {
	again := &Result{}
	b.round = 1
	b.guard(ctx, c, again)
	b.round = 0
	if again.Status != Fail {
		r.Status = Warn
		r.Found += "; a second draw of problems did not confirm it"
	}
}

// afford returns how many episodes a check may play, or why it cannot.
func (b *bench) afford(c Check) (n int, why string) {
	n = c.Wanted
	switch {
	case b.job.Quick && !c.Quick && !slices.Contains(b.job.Only, c.ID):
		return 0, "left out of the quick form"
	case b.job.Quick:
		n = c.Least
	case b.job.Deep:
		n *= 10
	}
	if most := b.job.Most; most > 0 {
		n = min(n, most)
	}
	if b.job.Seconds == 0 || c.Wanted == 0 {
		return n, ""
	}
	left := 0.9*b.job.Seconds - time.Since(b.began).Seconds()
	share := left / 4
	for n > c.Least && float64(n)*b.cost.Seconds() > share {
		n = max(c.Least, n/2)
	}
	if left <= 0 || float64(n)*b.cost.Seconds() > left {
		return 0, "time: " + stats.Count(n, "episode") + " would not fit into the rest of --seconds"
	}
	return n, ""
}

// not says that nothing was measured.
func (r *Result) not(why string) { r.Status, r.WhyNot = NotChecked, why }

// lacks says that the environment has no such thing.
func (r *Result) lacks(what string) { r.Status, r.WhyNot = NotApplicable, what }

// say sets a status with what was found, unless a graver one is set.
func (r *Result) say(s Status, found string, w *Witness) {
	if r.Status == Fail || r.Status == Warn && s != Fail {
		return
	}
	r.Status, r.Found, r.Witness = s, found, w
}

// fail and warn are say for those.
func (r *Result) fail(found string, w *Witness) { r.say(Fail, found, w) }
func (r *Result) warn(found string, w *Witness) { r.say(Warn, found, w) }

// measure keeps a number.
func (r *Result) measure(name string, value float64) {
	if r.Measured == nil {
		r.Measured = map[string]float64{}
	}
	r.Measured[name] = math.Round(value*1e6) / 1e6
}

// limit keeps a threshold of a number.
func (r *Result) limit(name string, value float64) {
	if r.Threshold == nil {
		r.Threshold = map[string]float64{}
	}
	r.Threshold[name] = value
}
