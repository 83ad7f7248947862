package run

import (
	"context"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Players play the problems of a run in place of its engine: programs elsewhere, or workers. The zero
// value is none: the engine plays.
type Players struct {
	// Play plays until ctx ends. Nil: the engine does.
	Play func(ctx context.Context, t *Table) error

	// Part is kept in the run's record. Nil: nothing is.
	Part Part

	// Examine has them hold the evaluations; see [exam.Exam]. Nil: the policy does here.
	Examine rollout.Delegate
}

// A Table is where players from outside sit down: they take problems of a run, or bring
// their own, and give back what was played. Many goroutines may call its methods at once.
type Table struct{ run *Run }

// Enter waits until a group may start. If ctx ends first, it returns its cause. Each group
// that entered is given to Judge or Leave.
func (t *Table) Enter(ctx context.Context) error {
	return t.run.playtime.entered(t.run.consumer.enter(ctx))
}

// Admit is Enter, after a pause if the last groups failed, as the run's own engine makes one.
func (t *Table) Admit(ctx context.Context) error { return t.run.admit(ctx) }

// Return gives up a group that entered, with its job: the problem is played again.
func (t *Table) Return(job rollout.Job) {
	t.run.end(rollout.Result{Job: job}, rollout.DropCancelled)
	t.Leave()
}

// Resume counts a group as one that entered, because an earlier process let it in.
func (t *Table) Resume() {
	_ = t.run.playtime.entered(nil)
	t.run.ledger.gate.Resume(t.run.entering())
}

// Room is how many more groups may start now.
func (t *Table) Room() int { return t.run.ledger.gate.Room() / t.run.entering() }

// Version is that of the run; see [Run.Version].
func (t *Table) Version() int { return t.run.Version() }

// Finished says why the run has done all that it was to do; empty: it has not, also if
// somebody stopped it.
func (t *Table) Finished() string {
	if why := t.run.finished.Load(); why != nil {
		return *why
	}
	return ""
}

// Keep returns once the run's record has all that happened before it.
func (t *Table) Keep(ctx context.Context) error { return t.run.ledger.keep(ctx) }

// Play plays as the run's own engine, with so many episodes at once, until ctx ends.
func (t *Table) Play(ctx context.Context, slots int) error { return t.run.engine(slots).Run(ctx) }

// Leave gives up a group that entered.
func (t *Table) Leave() { t.run.consumer.ended(0) }

// Next returns the next problem of the run's streams.
func (t *Table) Next() (rollout.Job, error) {
	job, err := t.run.mix.Next()
	return job.Traced(t.run.config.Traces, t.run.ID()), err
}

// Job returns the job of a problem: of the run's streams, if an earlier process handed it out,
// else of a caller's own.
func (t *Table) Job(p quintain.Problem) rollout.Job {
	job, ok := t.run.mix.Reopen(p)
	if !ok {
		job = rollout.Job{Problem: p, Label: p.Task, Course: p.Task}
	}
	return job.Traced(t.run.config.Traces, t.run.ID())
}

// Judge judges a played group, keeps or drops it as the run's own, and returns why there is none;
// empty: it is kept. When ctx ends, it stops waiting for a teacher. After an error, the problem is
// one to play again, and may be reopened by Job.
func (t *Table) Judge(ctx context.Context, result rollout.Result) (rollout.Drop, error) {
	return t.run.receive(ctx, result)
}
