// Package worker plays the problems of a run elsewhere. It takes leases of them from the
// run's coordinator, plays each group, and hands it back. It keeps nothing on disk: when it
// dies, its coordinator grants its leases to others.
package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/fleet"
	"github.com/quintain-rl/quintain/policy/weights"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run"
)

// Times after a signal.
const (
	lastTries = 10 * time.Second // for groups and leases to reach the coordinator after the grace period
	lastWords = 5 * time.Second  // the same once Cut is closed, and to take leave
)

// errUnknown says that the coordinator does not know the instance.
var errUnknown = errors.New("the coordinator does not know this worker any more")

// A Worker plays for a run. Set its fields before Run and do not change them afterwards.
type Worker struct {
	Client  *Client
	Name    string // for people
	Program string // name and version
	Play    fleet.Play
	Tasks   string // digest of Streams
	Streams []rollout.Stream
	Slots   int // episodes at once

	// Engine plays: its fields Policy, Sampling, Size, Grace, Limit, Replays and Cut are
	// used. Once Cut is closed, the worker gives everything back and ends.
	Engine rollout.Engine

	Say func(format string, args ...any) // tells people

	version atomic.Int32 // one more than that of the weights
	counts  counts
}

// counts are those of the leases that ended.
type counts struct{ groups, kept, episodes, fenced, returned, lost atomic.Int64 }

// String returns the counts for people.
func (c *counts) String() string {
	text := fmt.Sprintf("%d groups played with %d episodes, of which the run keeps %d groups; %d leases returned, %d fenced",
		c.groups.Load(), c.episodes.Load(), c.kept.Load(), c.returned.Load(), c.fenced.Load())
	if lost := c.lost.Load(); lost > 0 {
		text += fmt.Sprintf(", %d not delivered: the coordinator grants them to others", lost)
	}
	return text
}

// Version is the version of the weights that the policy samples with, as somebody told the
// run; [weights.Unknown] until the worker is registered.
func (w *Worker) Version() int32 { return w.version.Load() + weights.Unknown }

// told takes the version from an answer.
func (w *Worker) told(version int) { w.version.Store(int32(version) - weights.Unknown) }

// groups is how many groups are played at once.
func (w *Worker) groups() int { return max(1, w.Slots/w.Engine.Size) }

// Advice warns of slots that groups use badly; empty: they do not.
func (w *Worker) Advice() string {
	least := 4 * w.Engine.Size
	if w.Slots >= least {
		return ""
	}
	return fmt.Sprintf("warning: a group of %d starts only when all its slots are free, so many of %d slots are idle; --slots %d idles about 11 %%, more idle less",
		w.Engine.Size, w.Slots, least)
}

// Run plays until ctx ends, and longer: groups under way have the grace period. It returns
// when all leases are given back, or the coordinator has not answered for a while. The end
// of ctx is no error.
func (w *Worker) Run(ctx context.Context) error {
	defer func() { w.Say("the end: %s", &w.counts) }()
	runner, runs := w.Engine.Policy.(interface{ Run(context.Context) error })
	if !runs {
		return w.run(ctx)
	}
	return run.Together(context.WithoutCancel(ctx), runner.Run, func(failed context.Context) error {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		defer context.AfterFunc(failed, func() { stop(context.Cause(failed)) })()
		return w.run(ctx)
	})
}

// run plays as one instance after the other.
func (w *Worker) run(ctx context.Context) error {
	outlast := context.WithoutCancel(ctx)
	cut, cutNow := context.WithCancel(outlast)
	defer cutNow()
	sending, giveUp := context.WithCancel(outlast)
	defer giveUp()
	over := make(chan struct{})
	var warden sync.WaitGroup
	defer warden.Wait()
	defer close(over)
	warden.Go(func() { w.guard(ctx, over, cutNow, giveUp) })

	lost := &news{say: w.Say, lost: "the coordinator does not answer: %v; the worker plays what it holds, and tries again", back: "the coordinator answers again"}
	for ctx.Err() == nil {
		s := newSession(w, cut, lost)
		if err := s.register(ctx); err != nil {
			return ended(ctx, err)
		}
		if err := s.run(ctx, sending); !errors.Is(err, errUnknown) {
			return ended(ctx, err)
		}
		w.Say("%v: what it held is thrown away, and it registers anew", errUnknown)
	}
	return nil
}

// ended returns err unless it is the end of ctx.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// guard bounds the time after ctx and after Cut, until over is closed.
func (w *Worker) guard(ctx context.Context, over <-chan struct{}, cut, giveUp func()) {
	var patience <-chan time.Time
	select {
	case <-over:
		return
	case <-ctx.Done():
		patience = time.After(w.Engine.Grace + lastTries)
	case <-w.Engine.Cut:
	}
	select {
	case <-over:
		return
	case <-patience:
		cut()
	case <-w.Engine.Cut:
		cut()
		select {
		case <-over:
			return
		case <-time.After(lastWords):
		}
	}
	giveUp()
}

// newSession returns a session that is not registered. Cut ends when its episodes must.
func newSession(w *Worker, cut context.Context, lost *news) *session {
	return &session{
		Worker: w, instance: rand.Text(), cut: cut, lost: lost, held: map[uint64]*lease{}, changed: make(chan struct{}, 1),
		idle:    &news{say: w.Say, lost: "no group may begin: %v", back: "groups begin again"},
		stuck:   &news{say: w.Say, lost: "the coordinator does not take groups: %v; the worker keeps them, and tries again", back: "the coordinator takes groups again"},
		slots:   make(chan struct{}, w.groups()),
		senders: make(chan struct{}, senders),
	}
}

// register introduces the instance. It waits until the coordinator answers.
func (s *session) register(ctx context.Context) error {
	to, err := body(fleet.Registration{Instance: s.instance, Name: s.Name, Slots: s.Slots, Program: s.Program, Tasks: s.Tasks})
	if err != nil {
		return err
	}
	to.method, to.path, to.into = http.MethodPost, fleet.PathWorkers, &s.welcome
	err = s.Client.persist(ctx, to, s.lost)
	if status(err) == http.StatusConflict {
		return fmt.Errorf("the coordinator is %s with the tasks %s, and this worker %s with the tasks %s: "+
			"it would make other problems; start it with the coordinator's program, files and settings: %w", s.Play.Program, s.Play.Tasks, s.Program, s.Tasks, err)
	}
	if err != nil {
		return s.Client.explain(err)
	}
	s.told(s.welcome.Version)
	return nil
}
