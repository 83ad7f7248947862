package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
)

// engine returns the engine that plays the run's problems.
func (r *Run) engine() *rollout.Engine {
	s := r.config.Settings
	return &rollout.Engine{
		Policy: r.config.Policy, Sampling: r.config.Sampling,
		Size: s.GroupSize, Parallel: max(1, s.Parallel/s.GroupSize),
		Grace: s.Grace, Replays: s.Replays, Limit: s.EpisodeTime, Cut: r.config.Cut, Next: r.next, Done: r.done,
	}
}

// next waits until a group may start, and hands out its problem.
func (r *Run) next(ctx context.Context) (rollout.Job, error) {
	if err := r.faults.wait(ctx); err != nil {
		return rollout.Job{}, err
	}
	if err := r.ledger.gate.Enter(ctx, r.config.Settings.GroupSize); err != nil {
		return rollout.Job{}, err
	}
	return r.mix.Next()
}

// done judges what was played, keeps the group or drops it, and says so.
func (r *Run) done(ctx context.Context, result rollout.Result) error {
	group, scores, drop, err := r.config.Rules.Judge(result)
	if err != nil {
		return err
	}
	r.faults.count(drop == rollout.DropInfra)
	if drop == "" {
		fresh, err := r.put(ctx, group)
		if err != nil {
			r.mix.Redo(result.Job)
			return fmt.Errorf("keeping group %s: %w", group.ID, err)
		}
		if !fresh {
			group, drop = nil, rollout.DropDuplicate
		}
	}
	if drop != "" {
		r.ledger.gate.Leave(r.config.Settings.GroupSize)
	}
	again := r.close(result, scores, drop)
	r.ledger.touch()
	r.log.Debug("played", "group", result.Job.Problem.ID(), "drop", drop)
	if err := r.note(Played{result, scores, group, drop, again, r.Version()}); err != nil {
		return err
	}
	if drop == rollout.DropInfra && !again && result.Again {
		r.say("%s is given up: its server failed each time that it was played", result.Job.Problem.ID())
	}
	if advice := r.tally.adviceOn(result.Job.Course); advice != "" {
		r.say("%s", advice)
	}
	return nil
}

// put keeps a group, and reports whether it is fresh. One is not whose problem was played
// before, with whatever outcome: a process that is killed may have kept it and not the
// position in the stream.
func (r *Run) put(ctx context.Context, group *quintain.Group) (fresh bool, err error) {
	fresh, err = r.config.Queue.Put(ctx, group)
	if _, before := errors.AsType[*queue.ConflictError](err); before {
		return false, nil
	}
	return fresh, err
}

// close closes the job of a result, and reports whether its problem is played again: if
// it was cancelled, and if the policy failed, but not forever.
func (r *Run) close(result rollout.Result, scores []float64, drop rollout.Drop) (again bool) {
	switch {
	case drop == rollout.DropCancelled:
		r.mix.Redo(result.Job)
		return true
	case drop == rollout.DropInfra && result.Again:
		return r.mix.Again(result.Job)
	}
	r.mix.Done(result.Job, scores)
	return false
}
