package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/run/rollout"
)

// engine returns the engine that plays the run's problems, with so many episodes at once.
func (r *Run) engine(slots int) *rollout.Engine {
	s := r.config.Settings
	return &rollout.Engine{
		Policy: r.config.Policy, Sampling: r.config.Sampling, Opponents: r.config.Opponents,
		Size: s.GroupSize, Parallel: max(1, slots/s.GroupSize),
		Grace: s.Grace, Replays: s.Replays, Limit: s.EpisodeTime, Cut: r.config.Cut, Next: r.next, Done: r.done,
	}
}

// entering is the number of episodes that enter with a problem: a group for each seat of the policy.
func (r *Run) entering() int { return r.config.Settings.GroupSize * rollout.Seats(r.config.Streams) }

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
	return r.playtime.entered(r.consumer.enter(ctx))
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
	parts, err := rules.JudgeSeats(result)
	if err != nil {
		return "", err
	}
	drop := parts[0].Drop
	r.faults.count(drop == rollout.DropInfra || drop == rollout.DropUngraded)
	r.refusals.count(drop == rollout.DropPrompt)
	all := make([]Played, len(parts))
	for i, p := range parts {
		all[i] = Played{Result: p.Result, Scores: p.Scores, Group: p.Group, Drop: p.Drop}
	}
	if drop == "" {
		if err := r.keep(ctx, all); err != nil {
			r.mix.Redo(result.Job)
			return "", fmt.Errorf("keeping group %s: %w", parts[0].Group.ID, err)
		}
	}
	kept, stale := 0, false
	for i := range all {
		if p := &all[i]; p.Drop == "" {
			kept, stale = kept+len(p.Trajectories), stale || r.tooOld(p.Group)
		}
	}
	r.consumer.ended(kept)
	r.aged.count(stale || all[0].Drop == rollout.DropWithheld)
	rules.Learn(r.mix, parts)
	again := r.close(result, all[0].Drop)
	r.ledger.touch()
	result.Log(r.log, "drop", all[0].Drop)
	for _, p := range all {
		p.Version, p.Again = r.Version(), again
		if err := r.note(p); err != nil {
			return p.Drop, err
		}
	}
	if stale {
		if err := r.dropStale(context.WithoutCancel(ctx)); err != nil {
			return all[0].Drop, err
		}
	}
	r.standstill.Played(result, all[0].Drop)
	r.advise(&all[0])
	err = r.standstill.Stands()
	if err != nil && r.config.Outside != nil { // others play, who may be mended meanwhile
		r.standing.Do(func() { r.say("warning: %v", err) })
		err = nil
	}
	return all[0].Drop, err
}

// advise tells people what a played group gives reason to.
func (r *Run) advise(p *Played) {
	if p.Drop == rollout.DropInfra && !p.Again && p.Result.Again {
		r.say("giving up on %s: its server failed every time", p.Job.Problem.ID())
	}
	if p.Drop == rollout.DropPrompt {
		r.tooLong.Do(func() {
			r.say("%s is not played, like all problems with too long prompts, and dropped as %s: %s", p.Job.Problem.ID(), p.Drop, p.Trajectories[0].Error)
		})
	}
	for _, advice := range append(r.tally.lateAdvice(), r.tally.adviceOn(p.Job.Course), r.tally.nothingLeft(), r.standstill.Unreadable()) {
		if advice != "" {
			r.say("%s", advice)
		}
	}
}

// tooOld reports whether a group is beyond the staleness bound as soon as it is made: its
// consumer may not look at it until the next step, for which it would take its room.
func (r *Run) tooOld(group *quintain.Group) bool {
	return r.config.Settings.Bound().Exceeds(r.consumer.trained(), group)
}

// keep has the teacher, if any, score the groups of a job, and keeps them together, unless the
// problem has groups already. It leaves out scores that make them too large to keep. Groups that
// ended too late are withheld, if the settings say so.
func (r *Run) keep(ctx context.Context, all []Played) error {
	var of []*Played // with a group
	for i := range all {
		if p := &all[i]; p.Group != nil {
			of = append(of, p)
			r.costs.add(p.Group.ID, costOf(p.Trajectories))
		}
	}
	if r.config.Settings.Stale == StaleWithhold && slices.ContainsFunc(of, func(p *Played) bool { return r.tooOld(p.Group) }) {
		for _, p := range of {
			p.Group, p.Drop = nil, rollout.DropWithheld
		}
		return nil
	}
	scored := false
	for _, p := range of {
		if r.config.Teacher != nil {
			p.Unscored = r.config.Teacher.distill(ctx, p.Group)
			scored = scored || p.Group.DistillTokens != nil
		}
	}
	err := r.put(context.WithoutCancel(ctx), of)
	if _, huge := errors.AsType[*groupform.TooLargeError](err); huge && scored {
		for _, p := range of {
			p.Unscored = err
			p.Group.DistillTokens, p.Group.DistillLogProbs = nil, nil
		}
		err = r.put(context.WithoutCancel(ctx), of)
	}
	for _, p := range of {
		if err == nil && p.Group != nil && p.Unscored != nil {
			r.log.Warn("the teacher did not score a group", "group", p.Group.ID, "err", p.Unscored)
		}
	}
	return err
}

// put keeps groups, all or none. It drops those that are not fresh, because their problem was played
// before: a killed process may have kept them and not the position in the stream.
func (r *Run) put(ctx context.Context, of []*Played) error {
	groups, start := make([]*quintain.Group, len(of)), time.Now()
	for i, p := range of {
		groups[i] = p.Group
	}
	fresh, err := r.config.Queue.PutAll(ctx, groups)
	_, before := errors.AsType[*queue.ConflictError](err)
	if before {
		fresh, err = make([]bool, len(of)), nil
	}
	for i, p := range of {
		p.Putting, p.Put = start, time.Since(start)
		if err == nil && !fresh[i] {
			p.Group, p.Drop = nil, rollout.DropDuplicate
		}
	}
	return err
}

// close closes the job of a result, and reports whether its problem is played again: after
// a cancellation, and a few times after a failure of the policy.
func (r *Run) close(result rollout.Result, drop rollout.Drop) (again bool) {
	switch {
	case drop == rollout.DropCancelled:
		r.mix.Redo(result.Job)
		return true
	case drop == rollout.DropInfra && result.Again:
		return r.mix.Again(result.Job)
	}
	r.mix.Done(result.Job, r.config.Rules.Scores(result))
	return false
}
