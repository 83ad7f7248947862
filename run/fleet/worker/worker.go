// Package worker plays the problems of a run elsewhere. It takes leases of them from the
// run's coordinator, plays each group, and hands it back. It keeps nothing on disk: when it
// dies, its coordinator grants its leases to others.
package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Times after a signal.
const (
	lastTries = 10 * time.Second // for groups and leases to reach the coordinator after the grace period
	lastWords = 5 * time.Second  // the same once Cut is closed, and to take leave
)

// errUnknown says that the coordinator does not know the instance.
var errUnknown = errors.New("the coordinator does not know this worker any more")

// An overError says that the run is over, and why. It ends the worker in order.
type overError struct{ text string }

// Error implements error.
func (e *overError) Error() string { return e.text }

func isOver(err error) bool {
	_, ok := errors.AsType[*overError](err)
	return ok
}

// A Config says for which run a worker plays, and how.
type Config struct {
	Settings Settings
	Client   *Client
	Play     fleet.Play // from Client
	Program  string     // name and version

	Streams []rollout.Stream
	Run     run.Settings // of which GroupSize, Grace, Replays, EpisodeTime and, if Settings has no slots, Parallel are used
	Player  *player.Settings
	Trains  bool            // a trainer takes the groups: it needs the model's own tokens, and tells versions
	Stop    <-chan struct{} // closed: wait for no inference server any more
	Cut     <-chan struct{} // closed: give everything back, and end; nil: never

	Say func(format string, args ...any) // tells people
	Log *slog.Logger
}

// A Worker plays for a run.
type Worker struct {
	config Config
	name   string
	tasks  string // digest of the problems
	slots  int    // episodes at once
	plays  player.Identity
	engine rollout.Engine
	learns *student                      // the policy, if the coordinator trains it; nil: another plays
	beside []func(context.Context) error // run beside, for other policies at tables

	weights atomic.Pointer[versions]
	counts  counts
}

// versions are those of the weights, as the coordinator told.
type versions struct {
	remote.Told
	oldest int // see [fleet.Welcome]
}

// New returns a worker with its policy. An inference server that is not up yet is waited
// for later.
func New(ctx context.Context, c Config) (*Worker, error) {
	w := &Worker{config: c, name: c.Settings.name(), slots: cmp.Or(c.Settings.Slots, c.Run.Parallel)}
	w.told(remote.UnknownVersion, nil, 0)
	c.Client.serve(&c)
	var err error
	if w.tasks, err = fleet.Digest(c.Streams); err != nil {
		return nil, err
	}
	w.engine = rollout.Engine{
		Sampling: c.Player.Sampling, Size: max(1, c.Run.GroupSize), Parallel: 1,
		Grace: c.Run.Grace, Limit: c.Run.EpisodeTime, Replays: c.Run.Replays,
	}
	if w.engine.Policy, err = w.policy(ctx); err != nil {
		return nil, err
	}
	if err := w.oppose(ctx); err != nil {
		return nil, err
	}
	c.Say("playing %s for run %q, %s at once in groups of %d; Ctrl-C stops", w.name, c.Settings.Run, stats.Count(w.slots, "episode"), w.engine.Size)
	if least := 4 * w.engine.Size; w.slots < least {
		c.Say("warning: a group of %d starts only when all its slots are free, so many of %d slots are idle; --slots %d idles about 11 %%, more idle less",
			w.engine.Size, w.slots, least)
	}
	return w, nil
}

// oppose opens the other policies at tables.
func (w *Worker) oppose(ctx context.Context) error {
	c := w.config
	others, err := c.Player.Opponents(ctx, player.Start{Streams: c.Streams, Seed: c.Run.Seed, Parallel: w.slots},
		server.Use{Waits: true, Stop: c.Stop, Parallel: w.slots, Log: c.Log, Say: func(text string) { c.Say("%s", text) }})
	w.engine.Opponents, w.beside = others.By, others.Beside
	return err
}

// policy returns the policy of the settings.
func (w *Worker) policy(ctx context.Context) (quintain.Policy, error) {
	p := w.config.Player
	switch p.Kind {
	case player.Tiny:
		var err error
		w.learns, err = w.student(ctx)
		return w.learns, err
	case player.Script:
		return p.Solver(w.config.Streams, w.config.Run.Seed, func() int32 { return w.Version("") })
	}
	s, err := p.NewServer(server.Use{
		Trainer: w.config.Trains, LogProbs: true, Waits: true, Version: w.Version, Oldest: w.oldest, Stop: w.config.Stop, Parallel: w.slots, Log: w.config.Log,
		Say: func(text string) { w.config.Say("%s", text) },
	})
	if err != nil {
		return nil, err
	}
	return s, s.Reach(ctx)
}

// counts are those of the leases that ended.
type counts struct{ groups, kept, episodes, exams, fenced, returned, lost, resumed atomic.Int64 }

// String returns the counts for people.
func (c *counts) String() string {
	text := fmt.Sprintf("%s played with %s, of which the run keeps %s; %s returned, %d fenced",
		stats.Count(c.groups.Load(), "group"), stats.Count(c.episodes.Load(), "episode"), stats.Count(c.kept.Load(), "group"), stats.Count(c.returned.Load(), "lease"), c.fenced.Load())
	if lost := c.lost.Load(); lost > 0 {
		text += fmt.Sprintf(", %d not delivered: the coordinator grants them to others", lost)
	}
	if exams := c.exams.Load(); exams > 0 {
		text += fmt.Sprintf("; %s of evaluations played", stats.Count(exams, "problem"))
	}
	if resumed := c.resumed.Load(); resumed > 0 {
		text += fmt.Sprintf("; %s taken over from other workers", stats.Count(resumed, "turn"))
	}
	return text
}

// Version is the version of the weights on the server at an address, as somebody told the run for
// it, or for all; [remote.UnknownVersion] until the worker is registered.
func (w *Worker) Version(url string) int32 { return w.weights.Load().Of(url) }

// oldest is the oldest version whose tokens may still be trained on.
func (w *Worker) oldest() int32 { return int32(w.weights.Load().oldest) }

// told takes the versions from an answer.
func (w *Worker) told(version int, servers map[string]int32, oldest int) {
	w.weights.Store(&versions{remote.Told{Version: int32(version), Servers: servers}, oldest})
}

// servers returns the inference servers that answer.
func (w *Worker) servers() map[string]fleet.Server {
	policy, has := w.engine.Policy.(interface{ Versions() []pool.Weights })
	if !has {
		return nil
	}
	all := map[string]fleet.Server{}
	for _, of := range policy.Versions() {
		is := fleet.Server{Version: remote.UnknownVersion, Unused: !of.Used}
		if of.Said {
			is.Version = of.Version
		}
		all[remote.Address(of.URL)] = is
	}
	return all
}

// groups is how many groups are played at once.
func (w *Worker) groups() int { return max(1, w.slots/w.engine.Size) }

// Work plays until ctx ends, and longer: groups under way have the grace period. It returns
// when all leases are given back, or the coordinator has not answered for a while, and when the
// run is over. The end of ctx or of the run is no error.
func (w *Worker) Work(ctx context.Context) error {
	defer func() { w.config.Say("the end: %s", &w.counts) }()
	beside := w.beside
	if runner, runs := w.engine.Policy.(interface{ Run(context.Context) error }); runs {
		beside = append(beside, runner.Run)
	}
	if len(beside) == 0 {
		return w.run(ctx)
	}
	return run.Together(context.WithoutCancel(ctx), append(beside, func(failed context.Context) error {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		defer context.AfterFunc(failed, func() { stop(context.Cause(failed)) })()
		return w.run(ctx)
	})...)
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

	lost := &news{say: w.config.Say, lost: "waiting for the coordinator: %v; the worker plays what it holds, and tries again", back: "the coordinator answers again"}
	for ctx.Err() == nil {
		s := newSession(cut, w, lost)
		err := s.register(ctx)
		if err == nil {
			err = s.run(ctx, sending)
		}
		if isOver(err) {
			w.config.Say("%v", err)
			return nil
		}
		if !errors.Is(err, errUnknown) {
			return Ended(ctx, err)
		}
		w.config.Say("%v: what it held is thrown away, and it registers anew", errUnknown)
	}
	return nil
}

// Ended returns err unless it is the end of ctx, or a request given up because of it.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, quintain.ErrCancelled)) {
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
		patience = time.After(w.engine.Grace + lastTries)
	case <-w.config.Cut:
	}
	select {
	case <-over:
		return
	case <-patience:
		cut()
	case <-w.config.Cut:
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
func newSession(cut context.Context, w *Worker, lost *news) *session {
	return &session{
		Worker: w, instance: rand.Text(), cut: cut, lost: lost, held: map[uint64]*lease{}, changed: make(chan struct{}, 1),
		idle:    &news{say: w.config.Say, lost: "no group may begin: %v", back: "groups begin again"},
		stuck:   &news{say: w.config.Say, lost: "the coordinator does not take groups: %v; the worker keeps them, and tries again", back: "the coordinator takes groups again"},
		places:  newPlaces(w.groups() * w.engine.Size),
		senders: make(chan struct{}, senders), graders: make(chan struct{}, senders),
	}
}

// identify finds out which policy plays. It waits until the inference server can be used.
func (w *Worker) identify(ctx context.Context) (err error) {
	if w.plays, err = w.config.Player.Identity(); err != nil {
		return err
	}
	s, ok := w.engine.Policy.(*server.Server)
	if !ok {
		return nil
	}
	if err := s.Await(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	w.plays.Model = s.Model()
	return nil
}

// register introduces the instance. It waits until the coordinator answers.
func (s *session) register(ctx context.Context) error {
	err := s.identify(ctx)
	if err != nil {
		return err
	}
	to, err := body(fleet.Registration{Instance: s.instance, Name: s.name, Slots: s.slots, Program: s.config.Program, Tasks: s.tasks, Runs: fleet.Runs(s.config.Streams), Policy: s.plays})
	if err != nil {
		return err
	}
	to.method, to.path, to.into = http.MethodPost, fleet.PathWorkers, &s.welcome
	err = s.config.Client.persist(ctx, to, s.lost)
	if status(err) == http.StatusConflict {
		return fmt.Errorf("the coordinator is %s with the tasks %s, and this worker %s with the tasks %s; "+
			"start it with the coordinator's program, model, files and settings: %w", s.config.Play.Program, s.config.Play.Tasks, s.config.Program, s.tasks, err)
	}
	if f, ok := errors.AsType[*httpclient.Error](err); ok && f.Status == http.StatusGone {
		return &overError{f.Excerpt}
	}
	if err != nil {
		return s.config.Client.explain(err)
	}
	s.told(s.welcome.Version, s.welcome.Servers, s.welcome.Oldest)
	return nil
}
