package run

import (
	"context"
	"errors"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/exam"
)

// An ExamLine is a line of the log of evaluations.
type ExamLine struct {
	Version int                `json:"version"` // of the policy, at the end of the evaluation
	Seconds float64            `json:"seconds"` // of all processes of the run until then
	Mean    float64            `json:"mean_score"`
	Tasks   map[string]float64 `json:"tasks"` // mean score of each, by its label

	Interval *stats.Interval `json:"interval,omitempty"` // of Mean, with 95 % confidence, over the problems

	// Examples are one problem of each label, the same in every evaluation of the run.
	Examples []Example `json:"examples,omitempty"`
}

// Line is the line of the evaluation; nil: nothing was scored.
func (e *Examined) Line() *ExamLine {
	if e.Report.Mean == nil {
		return nil
	}
	line := &ExamLine{Version: e.Version, Seconds: e.Seconds, Mean: *e.Report.Mean, Tasks: map[string]float64{}, Interval: e.Report.Within, Examples: e.Examples}
	for _, row := range e.Report.Rows {
		if row.Mean != nil {
			line.Tasks[row.Label] = *row.Mean
		}
	}
	return line
}

// Recall has the report begin with evaluations of earlier processes of the run, in their order. Those
// of other tasks and levels than now, and what was before them, do not count. Call it before Run.
func (r *Run) Recall(lines []ExamLine) {
	_, examined := exam.Count(r.sets)
	r.tally.recall(lines, examined)
}

// Exams are held on demand during the run.
type Exams struct {
	Sets     []exam.Set
	Sampling quintain.Sampling
	Due      <-chan struct{}         // has an element when an evaluation is due
	Hold     func() (release func()) // called before each; release is called after it
}

// examine examines the policy on held-out problems, unless ctx ends or the run is cut.
// A failing server of the policy does not fail the run.
func (r *Run) examine(ctx context.Context, when Moment) error {
	if len(r.sets) == 0 {
		return nil
	}
	s, sampling := r.config.Settings, r.config.Sampling
	if r.config.Trainer.Exams != nil {
		sampling = r.config.Trainer.Exams.Sampling
		defer r.config.Trainer.Exams.Hold()()
	}
	examples := choose(r.sets)
	e := exam.Exam{
		Sets: r.sets, Policy: r.config.Policy, Sampling: sampling,
		Parallel: s.Parallel, Replays: s.Replays, Limit: s.EpisodeTime, MaxFailed: exam.Defaults().MaxFailed,
		Log: r.log.With("evaluation", when), Delegate: r.config.Players.Examine, Opponents: r.config.Opponents, Played: examples.take,
	}
	if when != During {
		e.Told = func(p exam.Progress) { r.examining.Store(&p) }
		defer r.examining.Store(nil)
	}
	if when == Before {
		n, with := exam.Count(r.sets)
		r.say("examining the policy first, on %s of %s", stats.Count(n, "held-out problem"), stats.Count(with, "level"))
	}
	var report *exam.Report
	var examined error
	err := Together(ctx, func(ctx context.Context) error {
		report, examined = e.Run(ctx)
		return nil
	}, func(ctx context.Context) error {
		select {
		case <-r.config.Cut:
		case <-ctx.Done():
		}
		return nil
	})
	var failed *exam.FailedError
	switch {
	case err != nil:
		return err
	case errors.Is(examined, quintain.ErrStop):
		return examined
	case errors.As(examined, &failed):
		r.say("the evaluation failed: %v", examined)
		return nil
	case examined != nil: // it was cut short
		return nil
	}
	return r.note(Examined{when, r.Version(), time.Since(r.start).Seconds(), report, examples.examples()})
}

// waits reports whether playing waits for the first evaluation. Players outside do not: many of them
// may stand by while another process takes the run over. But they do if the run trains its policy,
// which would not be the first one any more.
func (r *Run) waits() bool { return r.config.Players.Play == nil || r.ledger.record.Trained }

// examineWhenDue examines the policy during the run, until ctx ends.
func (r *Run) examineWhenDue(ctx context.Context) error {
	if r.config.Trainer.Exams == nil && !r.waits() {
		if err := r.examine(ctx, Before); err != nil {
			return err
		}
	}
	var due <-chan struct{}
	var tick <-chan time.Time
	if r.config.Trainer.Exams != nil {
		due = r.config.Trainer.Exams.Due
	} else if every := r.config.Settings.ExamEvery; every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		case <-due:
		}
		if err := r.examine(ctx, During); err != nil {
			return err
		}
	}
}
