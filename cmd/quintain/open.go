package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
	"github.com/quintain-rl/quintain/envs"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/starter"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/transformer"
	"github.com/quintain-rl/quintain/web"
)

// openStreams returns the streams of problems of a run.
func openStreams(s settings) ([]rollout.Stream, error) {
	r := s.Run
	if r.Problems != "" {
		f, err := os.Open(r.Problems)
		if err != nil {
			return nil, fmt.Errorf("run.problems: %w", err)
		}
		defer f.Close()
		t, err := envs.ReadProblems(f, strings.TrimSuffix(filepath.Base(r.Problems), filepath.Ext(r.Problems)))
		if err != nil {
			return nil, fmt.Errorf("run.problems: %w", err)
		}
		sc, err := scenario(r, t)
		return []rollout.Stream{{Scenario: sc, Seed: r.Seed, Weight: 1}}, err
	}
	all, err := task.NewSet(catalog.Tasks())
	if err != nil {
		return nil, err
	}
	choices := r.Tasks
	if len(choices) == 0 {
		choices = defaultTasks(s, all)
	}
	var streams []rollout.Stream
	for i, choice := range choices {
		s, err := openStream(r, all, choice)
		if err != nil {
			return nil, usagef("run.tasks[%d]: %w", i, err)
		}
		streams = append(streams, s)
	}
	return streams, nil
}

// defaultTasks are the tasks of a run where none is chosen.
func defaultTasks(s settings, all *task.Set) taskList {
	switch {
	case s.Run.Scenario == "math_multi_turn":
		return taskList{{Name: "chain_sum", Level: 2}}
	case s.Policy.Kind == kindTiny:
		return starterTasks()
	}
	var choices taskList
	for _, t := range all.All() {
		choices = append(choices, taskChoice{Name: t.Info().Name})
	}
	return choices
}

// starterTasks are the tasks that the embedded model is made for.
func starterTasks() (choices taskList) {
	for _, c := range starter.Mix() {
		choices = append(choices, taskChoice{Name: c.Task, raw: c.Params})
	}
	return choices
}

// openStream returns the stream of one task of a run.
func openStream(r runSettings, all *task.Set, choice taskChoice) (rollout.Stream, error) {
	t, err := all.Get(choice.Name)
	if err != nil {
		return rollout.Stream{}, err
	}
	params, err := choice.params()
	if err != nil {
		return rollout.Stream{}, fmt.Errorf("params: %w", err)
	}
	if params != nil {
		if t, err = t.With(params); err != nil {
			return rollout.Stream{}, err
		}
	}
	if levels := len(t.Info().Levels); choice.Level < 0 || choice.Level >= levels {
		return rollout.Stream{}, fmt.Errorf("level of %s is %d, want 0 to %d", choice.Name, choice.Level, levels-1)
	}
	weight := choice.Weight
	if weight == 0 {
		weight = 1
	}
	sc, err := scenario(r, t)
	return rollout.Stream{Scenario: sc, Seed: r.Seed, Level: choice.Level, Weight: weight}, err
}

// scenario returns how t is played.
func scenario(r runSettings, t quintain.Task) (quintain.Scenario, error) {
	for _, spec := range envs.Scenarios {
		if spec.Name != r.Scenario {
			continue
		}
		switch play := spec.New().(type) {
		case *envs.MathMultiTurn:
			play.Turns, play.StopAtSuccess = r.MultiTurn.Turns, r.MultiTurn.StopAtSuccess
			play.RewardBias, play.RewardScaling = r.MultiTurn.RewardBias, r.MultiTurn.RewardScaling
			return spec.With(t, play)
		case *envs.ReasoningGym:
			play.ShortPrompts = r.ShortPrompts
			return spec.With(t, play)
		}
	}
	return nil, fmt.Errorf("no scenario %q", r.Scenario)
}

// openDoor opens the port of a server. Off loopback it wants a key.
func openDoor(ctx context.Context, s web.Settings) (*web.Door, error) {
	if err := s.Check(); err != nil {
		return nil, usagef("server.%w", err)
	}
	door, err := web.Listen(ctx, s, hub.Producer, hub.Trainer)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	return door, nil
}

// A station is what every server opens: its port, the data folder, the queue in it
// or on a NATS server, and the hub over the queue.
type station struct {
	*queue.Queue
	door *web.Door
	data *dataFolder
	hub  *hub.Server
	runs []*queue.Queue // of the hub's further runs
	log  *slog.Logger
}

// openStation opens the station that s describes.
func openStation(ctx context.Context, w *world, s settings) (*station, error) {
	door, err := openDoor(ctx, s.web())
	if err != nil {
		return nil, err
	}
	st := &station{door: door, log: newLogger(w, s.Log)}
	if err := st.open(ctx, s); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// open opens what stands behind the door.
func (st *station) open(ctx context.Context, s settings) (err error) {
	if st.data, err = openData(s.Data); err != nil {
		return err
	}
	if st.Queue, err = st.openQueue(ctx, s, "queue", "quintain"); err != nil {
		return err
	}
	st.hub, err = hub.New(st.hubConfig(s))
	return err
}

// serve runs the hub until ctx is done.
func (st *station) serve(ctx context.Context) error { return st.hub.Run(ctx, st.door) }

// Close closes what was opened, the queue before the folder is free for others.
func (st *station) Close() error {
	var errs []error
	if err := st.door.Close(); !errors.Is(err, net.ErrClosed) { // the hub closes it too
		errs = append(errs, err)
	}
	for _, q := range st.runs {
		errs = append(errs, q.Close())
	}
	if st.Queue != nil {
		errs = append(errs, st.Queue.Close())
	}
	if st.data != nil {
		errs = append(errs, st.data.Close())
	}
	return errors.Join(errs...)
}

// newRunner puts a run together, at the place where the last process was.
func newRunner(ctx context.Context, w *world, s settings, streams []rollout.Stream, st *station) (*runner, error) {
	mix, err := rollout.NewMix(streams)
	if err != nil {
		return nil, usageError{err}
	}
	r := &runner{settings: s, station: st, streams: streams, mix: mix, tally: newTally(), began: time.Now()}
	if r.keeper, err = openKeeper(ctx, st, mix, newRunID()); err != nil {
		return nil, err
	}
	if s.Policy.Kind == kindTiny {
		if err := r.openTraining(ctx, w); err != nil {
			return nil, err
		}
	}
	version, _ := r.keeper.version()
	if s.Run.Consumer == "hub" {
		version = st.hub.Default().Step()
	}
	r.gate = rollout.NewAdmission(rollout.Gate{Batch: s.Run.BatchSize, MaxLag: s.Run.MaxLag}, version, st.Stats().Waiting.Sequences)
	r.tally.at(version, 0)
	if r.trainer != nil {
		r.policy = tinySource(r.trainer.policy)
	} else if r.policy, err = openPolicy(s, func() int32 { return int32(r.gate.Version()) }); err != nil {
		return nil, err
	}
	r.rules = rules(r.settings)
	if r.exams, _, err = openLineLog[examLine](st.data.join(examLogName)); err != nil {
		return nil, fmt.Errorf("log of examinations: %w", err)
	}
	r.dumps, err = openDumps(st.data.join("dumps"), s.Run.Dump, r.keeper.record.RunID)
	return r, err
}

// openTraining opens the trainer of the tiny policy. What is longer than the
// model's context is not trained on.
func (r *runner) openTraining(ctx context.Context, w *world) (err error) {
	r.trainer, err = openTrainer(r.settings, r.data, r.keeper, func() (*transformer.Model, error) {
		return freshModel(ctx, w, r.settings, r.streams)
	})
	if err != nil {
		return err
	}
	r.began = r.trainer.start
	context := r.trainer.learner.Model().Config().Context
	if r.Run.MaxSequence == 0 || r.Run.MaxSequence > context+1 {
		r.Run.MaxSequence = context + 1
	}
	return readable(ctx, r.streams, context)
}

// rules are the rules of a run.
func rules(s settings) rollout.Rules {
	return rollout.Rules{
		Size: s.Run.GroupSize, Estimator: s.Run.Estimator, TurnDiscount: s.Run.MultiTurn.Discount,
		KeepEqual: s.Run.KeepEqual, MinTrainable: s.Run.MinTrainable, MaxSequence: s.Run.MaxSequence,
		MaskTooLong: s.Run.MaskTooLong, LengthBudget: s.Run.LengthBudget, Sampling: s.Policy.Sampling,
	}
}
