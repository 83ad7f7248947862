package run

import (
	"context"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
)

// A Table is where players from outside sit down: they take problems of a run, or bring
// their own, and give back what was played. Many goroutines may call its methods at once.
type Table struct{ run *Run }

// Enter waits until a group may start. If ctx ends first, it returns its cause. Each group
// that entered is given to Done or Leave.
func (t *Table) Enter(ctx context.Context) error { return t.run.consumer.enter(ctx) }

// Leave gives up a group that entered.
func (t *Table) Leave() { t.run.consumer.ended(false) }

// Next returns the next problem of the run's streams.
func (t *Table) Next() (rollout.Job, error) { return t.run.mix.Next() }

// Job returns the job of a problem: of the run's streams, if an earlier process handed it out,
// else of a caller's own.
func (t *Table) Job(p quintain.Problem) rollout.Job {
	if job, is := t.run.mix.Reopen(p); is {
		return job
	}
	return rollout.Job{Problem: p, Label: p.Task, Course: p.Task}
}

// Done judges a played group, and keeps or drops it, as the run's own. When ctx ends, it
// stops waiting for a teacher.
func (t *Table) Done(ctx context.Context, result rollout.Result) error {
	return t.run.done(ctx, result)
}
