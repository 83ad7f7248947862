package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A lease is one that the worker holds.
type lease struct {
	fleet.Lease
	size    int             // episodes
	version int             // of the coordinator's weights when it was granted
	life    context.Context //nolint:containedctx // ends when the lease is not the worker's any more, or cannot be handed back
	die     context.CancelCauseFunc
	sent    bool // it is being handed back: the answer tells what became of it
}

// hold plays a lease and hands it back. Ctx ends when no more groups may begin. It calls
// fail if the worker must end.
func (s *session) hold(ctx context.Context, l *lease, fail func(error)) {
	defer s.drop(l)
	finish, err := s.wait(ctx, l)
	s.played(l)
	if err == nil && l.life.Err() == nil {
		err = s.finish(l, finish)
	}
	switch {
	case err != nil:
		fail(err)
	case errors.Is(context.Cause(l.life), errGone), errors.Is(context.Cause(l.life), errUnknown):
		s.counts.fenced.Add(1)
	case isOver(context.Cause(l.life)): // the coordinator has taken it back
		s.counts.returned.Add(1)
	case l.life.Err() != nil:
		s.counts.lost.Add(1)
	}
}

// wait waits for room, plays a lease, and returns what to hand back.
func (s *session) wait(ctx context.Context, l *lease) (fleet.Finish, error) {
	if s.places.take(l.size, ctx.Done(), l.life.Done()) {
		defer s.places.free(l.size)
		if s.learns == nil || s.learns.reach(ctx, l) {
			return s.play(ctx, l)
		}
	}
	return fleet.Finish{Returned: true}, nil
}

// play plays a lease. A group with a cancelled episode is returned.
func (s *session) play(ctx context.Context, l *lease) (fleet.Finish, error) {
	job, err := s.job(l)
	if err != nil {
		return fleet.Finish{}, err
	}
	cut, end := context.WithCancel(l.life)
	defer end()
	defer context.AfterFunc(s.cut, end)()
	result, engine, begun := rollout.Result{}, s.engine, false
	keeper := s.journal(l, job.Scenario)
	if keeper != nil {
		job.Journal = keeper.Journal
	}
	engine.Cut, engine.Size, engine.Exam = cut.Done(), l.size, l.Exam > 0
	engine.Next = func(context.Context) (rollout.Job, error) {
		if begun {
			return rollout.Job{}, io.EOF
		}
		begun = true
		return job, nil
	}
	engine.Done = func(_ context.Context, r rollout.Result) error {
		result = r
		return nil
	}
	told := keeper.keep(l.life)
	err = engine.Run(ctx)
	played := result.Trajectories
	cancelled := func(t quintain.Trajectory) bool { return t.Outcome == quintain.Cancelled }
	whole := err == nil && len(played) > 0 && !slices.ContainsFunc(played, cancelled)
	told(whole)
	if err != nil || !whole {
		return fleet.Finish{Returned: true}, err
	}
	for i := range played {
		played[i].Problem = quintain.Problem{} // the coordinator knows it
	}
	return fleet.Finish{Again: result.Again, Drop: result.Drop, Episodes: played}, nil
}

// job makes the problem of a lease. The error says that it is not the coordinator's.
func (s *session) job(l *lease) (job rollout.Job, err error) {
	if l.Stream < 0 || l.Stream >= len(s.config.Streams) {
		return job, s.mismatch(l, fmt.Sprintf("of %s", stats.Count(len(s.config.Streams), "stream")))
	}
	of := s.config.Streams[l.Stream]
	draw := quintain.Draw{Seed: of.Seed, Level: of.Level, Index: l.Problem.Index}
	if l.Exam > 0 {
		draw.Seed = l.Problem.Seed // evaluations have their own
	}
	own, err := of.Scenario.Problem(draw)
	if err != nil {
		return job, fmt.Errorf("lease %d: making the problem %s: %w", l.Number, l.Problem.ID(), err)
	}
	mine, err := json.Marshal(own)
	if err != nil {
		return job, fmt.Errorf("problem %s: %w", own.ID(), err)
	}
	theirs, err := json.Marshal(l.Problem)
	if err != nil || !bytes.Equal(mine, theirs) {
		return job, s.mismatch(l, own.ID())
	}
	return rollout.Job{Scenario: of.Scenario, Problem: own, Label: of.Label, Course: of.Course, Span: traceparent.Parse(l.Span)}, nil
}

// finish hands a lease back. It tries until the coordinator answers, or the life of the
// lease ends.
func (s *session) finish(l *lease, f fleet.Finish) error {
	f.Instance = s.instance
	frame, err := fleet.AppendFrame(nil, &f)
	to := call{body: frame, kind: fleet.Frame}
	if err != nil {
		return fmt.Errorf("lease %d: the group of %s: %w", l.Number, l.Problem.ID(), err)
	}
	episodes := len(f.Episodes)
	f.Episodes = nil // the frame is all that must be kept
	senders, news := s.senders, s.stuck
	if l.Exam > 0 {
		senders, news = s.graders, s.lost // the coordinator may take no group while it examines
	}
	select {
	case senders <- struct{}{}:
		defer func() { <-senders }()
	case <-l.life.Done():
		return nil
	}
	s.change(func() { l.sent = true })
	var verdict fleet.Verdict
	to.method, to.path, to.into = http.MethodPost, l.path(fleet.PathFinish), &verdict
	err = s.config.Client.persist(l.life, to, news)
	switch {
	case status(err) == http.StatusGone:
		s.counts.fenced.Add(1)
	case status(err) != 0:
		return fmt.Errorf("lease %d: the coordinator does not take the group of %s: %w", l.Number, l.Problem.ID(), s.config.Client.explain(err))
	case errors.Is(err, errSilent):
		s.counts.lost.Add(1)
		return err
	case err != nil: // the life of the lease ended
	case f.Returned:
		s.counts.returned.Add(1)
	case l.Exam > 0:
		s.counts.exams.Add(1)
	default:
		s.counts.groups.Add(1)
		s.counts.episodes.Add(int64(episodes))
		if verdict.Drop == "" {
			s.counts.kept.Add(1)
		}
	}
	return nil
}
