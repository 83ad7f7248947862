package run

import (
	"context"
	"errors"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/exam"
)

// examine examines the policy with held-out problems, unless ctx ends before or the run
// is cut. Failures of the policy's server are no failure of the run.
func (r *Run) examine(ctx context.Context, when Moment) error {
	if len(r.sets) == 0 {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := r.config.Settings
	e := exam.Exam{
		Sets: r.sets, Policy: r.config.Policy, Sampling: r.config.Sampling,
		Parallel: s.Parallel, Replays: s.Replays, Limit: s.EpisodeTime, MaxFailed: exam.Defaults().MaxFailed,
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
		r.say("the examination failed: %v", examined)
		return nil
	case examined != nil: // it was cut short, and says nothing
		return nil
	}
	return r.note(Examined{when, r.Version(), time.Since(r.start).Seconds(), report})
}

// examineNowAndThen examines the policy during the run, until ctx ends.
func (r *Run) examineNowAndThen(ctx context.Context) error {
	every := r.config.Settings.ExamEvery
	if len(r.sets) == 0 || every == 0 {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := r.examine(ctx, During); err != nil {
			return err
		}
	}
}
