package run_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
)

// The minutes of a run count from its first group, however late its players come.
func TestMinutesCountFromTheFirstGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(t, open(t, queue.NewMemory()))
		c.Settings.Steps, c.Settings.Minutes = 0, 2
		c.Players.Play = func(ctx context.Context, table *run.Table) error {
			time.Sleep(10 * time.Minute)
			if err := table.Enter(ctx); err != nil {
				t.Errorf("nobody may enter: %v, %s", err, table.Finished())
				return nil
			}
			defer table.Leave()
			start := time.Now()
			<-ctx.Done()
			if took := time.Since(start); took != 2*time.Minute {
				t.Errorf("it played for %v", took)
			}
			return nil
		}
		if err := begin(t, c).Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A table tells whether its run has done all, or was stopped: then another process goes on.
func TestATableTellsThatTheRunHasDoneAll(t *testing.T) {
	for _, test := range []struct {
		why     string
		steps   int
		minutes float64
		stopped bool
		want    string
	}{
		{"its steps are made", 2, 0, false, "it made its 2 steps"},
		{"its minutes are over", 0, 0.001, false, "it played for its 0.001 minutes"},
		{"somebody stops it", 0, 0, true, ""},
	} {
		c := config(t, open(t, queue.NewMemory()))
		c.Settings.Steps, c.Settings.Minutes = test.steps, test.minutes
		ctx, stop := context.WithCancel(t.Context())
		got := "?"
		c.Players.Play = func(ctx context.Context, table *run.Table) error {
			if test.stopped {
				stop()
			}
			e := rollout.Engine{Policy: c.Policy, Sampling: c.Sampling, Size: c.Settings.GroupSize, Parallel: 1, Done: func(ctx context.Context, r rollout.Result) error { _, err := table.Judge(ctx, r); return err }}
			e.Next = func(ctx context.Context) (rollout.Job, error) {
				if err := table.Enter(ctx); err != nil {
					return rollout.Job{}, err
				}
				return table.Next()
			}
			err := e.Run(ctx)
			got = table.Finished()
			return err
		}
		if err := begin(t, c).Run(ctx); err != nil {
			t.Error(err)
		}
		stop()
		if got != test.want {
			t.Errorf("%s: the table says %q, want %q", test.why, got, test.want)
		}
	}
}
