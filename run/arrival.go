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

// receive judges a played job, keeps or drops its groups, and returns why there is none; empty: it is
// kept. All effects of a result stand here, in an order that matters: its groups are on disk before the
// gate, the baselines and the curriculum hear of them, and its job ends before the record is saved from
// which the next process resumes. When ctx ends, it stops waiting for the teacher.
func (r *Run) receive(ctx context.Context, result rollout.Result) (rollout.Drop, error) {
	rules := r.config.Rules
	if r.config.Teacher == nil { // a group that waits for a teacher holds no memory
		memory, give := r.memories.Take(result.Trajectories)
		defer give()
		rules.Memory = memory
	}
	judged, err := rules.JudgeSeats(result)
	if err != nil {
		return "", err
	}
	a := &arrival{Run: r}
	for _, j := range judged {
		a.groups = append(a.groups, Played{Result: j.Result, Scores: j.Scores, Group: j.Group, Drop: j.Drop})
	}
	a.pace()
	if err := a.keep(ctx); err != nil {
		r.end(result, rollout.DropCancelled)
		return "", fmt.Errorf("keeping group %s: %w", judged[0].Group.ID, err)
	}
	stale := a.leave()
	rules.Learn(r.mix, judged)
	again := r.end(result, a.drop())
	r.ledger.touch()
	result.Log(r.log, "drop", a.drop())
	if err := a.tell(again); err != nil {
		return a.drop(), err
	}
	if stale {
		if err := r.dropStale(context.WithoutCancel(ctx)); err != nil {
			return a.drop(), err
		}
	}
	r.standstill.Played(result, a.drop())
	a.advise()
	return a.drop(), r.stands()
}

// end ends the job of a result, given why there is no group, and reports whether its problem is played
// again: after a cancellation, and a few times after a failure of the policy. No job ends elsewhere.
func (r *Run) end(result rollout.Result, why rollout.Drop) (again bool) {
	switch {
	case why == rollout.DropCancelled:
		r.mix.Redo(result.Job)
		return true
	case why == rollout.DropInfra && result.Again:
		return r.mix.Again(result.Job)
	}
	r.mix.Done(result.Job, r.config.Rules.Scores(result))
	return false
}

// An arrival is a judged result on its way into the queue, with a group for each seat. A group is kept, or
// has a reason why it is not. The methods are the steps of that way.
type arrival struct {
	*Run
	groups []Played // the fate of the first is that of all, but of forfeited ones
}

// drop is the reason why there is no group; empty: there is one.
func (a *arrival) drop() rollout.Drop { return a.groups[0].Drop }

// kept lists those that have a group.
func (a *arrival) kept() (all []*Played) {
	for i := range a.groups {
		if p := &a.groups[i]; p.Group != nil {
			all = append(all, p)
		}
	}
	return all
}

// pace has the next groups wait while the policy fails, or refuses prompts.
func (a *arrival) pace() {
	a.faults.count(a.drop() == rollout.DropInfra || a.drop() == rollout.DropUngraded)
	a.refusals.count(a.drop() == rollout.DropPrompt)
}

// keep has the teacher, if any, score the groups, and keeps them together. It leaves out scores that
// make them too large to keep. Groups that ended too late are withheld, if the settings say so.
func (a *arrival) keep(ctx context.Context) error {
	all := a.kept()
	for _, p := range all {
		a.costs.add(p.Group.ID, costOf(p.Trajectories))
	}
	switch {
	case len(all) == 0:
		return nil
	case a.config.Settings.Stale == StaleWithhold && slices.ContainsFunc(all, a.tooOld):
		for _, p := range all {
			p.Group, p.Drop = nil, rollout.DropWithheld
		}
		return nil
	}
	teacher := a.config.Teacher
	for _, p := range all {
		if teacher != nil {
			p.Unscored = teacher.distill(ctx, p.Group)
		}
	}
	err := a.put(context.WithoutCancel(ctx), all)
	if _, huge := errors.AsType[*groupform.TooLargeError](err); huge && teacher != nil {
		for _, p := range all {
			p.Unscored = err
			p.Group.DistillTokens, p.Group.DistillLogProbs = nil, nil
		}
		err = a.put(context.WithoutCancel(ctx), all)
	}
	for _, p := range all {
		if err == nil && p.Group != nil && p.Unscored != nil {
			a.log.Warn("the teacher did not score a group", "group", p.Group.ID, "err", p.Unscored)
		}
	}
	return err
}

// put keeps groups, all or none. It drops those that are not fresh, because their problem was played
// before: a killed process may have kept them and not the position in the stream.
func (a *arrival) put(ctx context.Context, all []*Played) error {
	groups, start := make([]*quintain.Group, len(all)), time.Now()
	for i, p := range all {
		groups[i] = p.Group
	}
	fresh, err := a.config.Queue.PutAll(ctx, groups)
	_, before := errors.AsType[*queue.ConflictError](err)
	if before {
		fresh, err = make([]bool, len(all)), nil
	}
	for i, p := range all {
		p.Putting, p.Put = start, time.Since(start)
		if err == nil && !fresh[i] {
			p.Group, p.Drop = nil, rollout.DropDuplicate
		}
	}
	return err
}

// tooOld reports whether a group is beyond the staleness bound as soon as it is made: its
// consumer may not look at it until the next step, for which it would take its room.
func (a *arrival) tooOld(p *Played) bool {
	return a.config.Settings.Bound().Exceeds(a.consumer.trained(), p.Group)
}

// leave tells the gate how many episodes are kept, and reports whether some are too old.
func (a *arrival) leave() (stale bool) {
	episodes := 0
	for _, p := range a.kept() {
		episodes, stale = episodes+len(p.Trajectories), stale || a.tooOld(p)
	}
	a.consumer.ended(episodes)
	a.aged.count(stale || a.drop() == rollout.DropWithheld)
	return stale
}

// tell tells the sinks what became of the groups.
func (a *arrival) tell(again bool) error {
	for i := range a.groups {
		p := &a.groups[i]
		p.Version, p.Again = a.Version(), again
		if err := a.note(*p); err != nil {
			return err
		}
	}
	return nil
}

// advise tells people what the result gives reason to.
func (a *arrival) advise() {
	p := &a.groups[0]
	if p.Drop == rollout.DropInfra && !p.Again && p.Result.Again {
		a.say("giving up on %s: its server failed every time", p.Job.Problem.ID())
	}
	if p.Drop == rollout.DropPrompt {
		a.tooLong.Do(func() {
			a.say("%s is not played, like all problems with too long prompts, and dropped as %s: %s", p.Job.Problem.ID(), p.Drop, p.Trajectories[0].Error)
		})
	}
	for _, advice := range append(a.tally.lateAdvice(), a.tally.adviceOn(p.Job.Course), a.tally.nothingLeft(), a.tally.oneAnswer(), a.standstill.Unreadable()) {
		if advice != "" {
			a.say("%s", advice)
		}
	}
}

// stands returns why no step can be made. If others play, who may be mended meanwhile, it only says so.
func (r *Run) stands() error {
	err := r.standstill.Stands()
	if err != nil && r.config.Players.Play != nil {
		r.standing.Do(func() { r.say("warning: %v", err) })
		err = nil
	}
	return err
}
