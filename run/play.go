package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/rollout"
)

// engine returns the engine that plays the run's problems, with so many episodes at once.
func (r *Run) engine(slots int) *rollout.Engine {
	s := r.config.Settings
	return &rollout.Engine{
		Policy: r.config.Policy, Sampling: r.config.Sampling,
		Size: s.GroupSize, Parallel: max(1, slots/s.GroupSize),
		Grace: s.Grace, Replays: s.Replays, Limit: s.EpisodeTime, Cut: r.config.Cut, Next: r.next, Done: r.done,
	}
}

// next waits until a group may start, and hands out its problem.
func (r *Run) next(ctx context.Context) (rollout.Job, error) {
	if err := r.admit(ctx); err != nil {
		return rollout.Job{}, err
	}
	return r.draw(ctx)
}

// admit waits until a group may start.
func (r *Run) admit(ctx context.Context) error {
	for _, f := range []*backoff{r.faults, r.refusals, r.aged} {
		if err := f.wait(ctx); err != nil {
			return err
		}
	}
	return r.consumer.enter(ctx)
}

// done judges a played group, keeps or drops it, and tells the sinks. When ctx ends, it
// stops waiting for the teacher.
func (r *Run) done(ctx context.Context, result rollout.Result) error {
	_, err := r.judge(ctx, result)
	return err
}

// judge is done, and returns why there is no group; empty: it is kept.
func (r *Run) judge(ctx context.Context, result rollout.Result) (rollout.Drop, error) {
	rules := r.config.Rules
	if r.config.Teacher == nil { // a group that waits for a teacher holds no memory
		free, give := r.memories.Take(result.Trajectories)
		defer give()
		rules.Memory = free
	}
	group, scores, drop, err := rules.Judge(result)
	if err != nil {
		return "", err
	}
	r.faults.count(drop == rollout.DropInfra || drop == rollout.DropUngraded)
	r.refusals.count(drop == rollout.DropPrompt)
	p := Played{Result: result, Scores: scores, Group: group, Drop: drop}
	if drop == "" {
		r.costs.add(group.ID, costOf(result.Trajectories))
		if err := r.keep(ctx, &p); err != nil {
			r.mix.Redo(result.Job)
			return "", fmt.Errorf("keeping group %s: %w", group.ID, err)
		}
	}
	r.consumer.ended(p.Drop == "")
	stale := p.Drop == "" && r.tooOld(p.Group)
	r.aged.count(stale || p.Drop == rollout.DropWithheld)
	p.Again = r.close(result, p.Scores, p.Drop)
	r.ledger.touch()
	result.Log(r.log, "drop", p.Drop)
	p.Version = r.Version()
	if err := r.note(p); err != nil {
		return p.Drop, err
	}
	if stale {
		if err := r.dropStale(context.WithoutCancel(ctx)); err != nil {
			return p.Drop, err
		}
	}
	if p.Drop == rollout.DropInfra && !p.Again && result.Again {
		r.say("giving up on %s: its server failed every time", result.Job.Problem.ID())
	}
	if p.Drop == rollout.DropPrompt {
		r.tooLong.Do(func() {
			r.say("%s is not played, like all problems with too long prompts, and dropped as %s: %s", result.Job.Problem.ID(), p.Drop, result.Trajectories[0].Error)
		})
	}
	for _, advice := range append(r.tally.lateAdvice(), r.tally.adviceOn(result.Job.Course), r.tally.nothingLeft()) {
		if advice != "" {
			r.say("%s", advice)
		}
	}
	return p.Drop, nil
}

// tooOld reports whether a group is beyond the staleness bound as soon as it is made: its
// consumer may not look at it until the next step, for which it would take its room.
func (r *Run) tooOld(group *quintain.Group) bool {
	return r.config.Settings.Bound().Exceeds(r.consumer.trained(), group)
}

// keep has the teacher, if any, score the group of p, and keeps the group unless its
// problem has one already. It leaves out scores that make the group too large to keep. A group
// that ended too late is withheld, if the settings say so.
func (r *Run) keep(ctx context.Context, p *Played) error {
	if r.config.Settings.Stale == StaleWithhold && r.tooOld(p.Group) {
		p.Group, p.Drop = nil, rollout.DropWithheld
		return nil
	}
	if r.config.Teacher != nil {
		p.Unscored = r.config.Teacher.distill(ctx, p.Group)
	}
	ctx, p.Putting = context.WithoutCancel(ctx), time.Now()
	defer func() { p.Put = time.Since(p.Putting) }()
	fresh, err := r.put(ctx, p.Group)
	if _, huge := errors.AsType[*groupform.TooLargeError](err); huge && p.Group.DistillTokens != nil {
		p.Unscored = err
		p.Group.DistillTokens, p.Group.DistillLogProbs = nil, nil
		fresh, err = r.put(ctx, p.Group)
	}
	if err != nil {
		return err
	}
	if !fresh {
		p.Group, p.Drop = nil, rollout.DropDuplicate
	} else if p.Unscored != nil {
		r.log.Warn("the teacher did not score a group", "group", p.Group.ID, "err", p.Unscored)
	}
	return nil
}

// put keeps a group, and reports whether it is fresh: whether its problem was never played
// before. A killed process may have kept the group and not the position in the stream.
func (r *Run) put(ctx context.Context, group *quintain.Group) (fresh bool, err error) {
	fresh, err = r.config.Queue.Put(ctx, group)
	if _, before := errors.AsType[*queue.ConflictError](err); before {
		return false, nil
	}
	return fresh, err
}

// close closes the job of a result, and reports whether its problem is played again: after
// a cancellation, and a few times after a failure of the policy.
func (r *Run) close(result rollout.Result, scores []float64, drop rollout.Drop) (again bool) {
	switch {
	case drop == rollout.DropCancelled:
		r.mix.Redo(result.Job)
		return true
	case drop == rollout.DropInfra && result.Again:
		return r.mix.Again(result.Job)
	}
	if scores != nil { // the curriculum goes by rewards before penalties, as in Atropos
		scores = make([]float64, len(result.Trajectories))
		for i := range scores {
			scores[i] = r.config.Rules.Earned(&result.Trajectories[i])
		}
	}
	r.mix.Done(result.Job, scores)
	return false
}
