package player

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A Training says how the tiny policy is trained in a run.
type Training struct {
	Folder *datadir.Folder
	Keep   starter.Keeper // keeps the checkpoint; nil: the folder does
	Sizes  transformer.Config
	Learn  tiny.Settings
	Every  int                               // versions from one whose weights the folder keeps to the next; 0: it keeps those that play
	Share  func(version int, weights []byte) // gets the first weights, and those of each step, for [tiny.ReadVersion]; nil: nobody does

	Say func(string) // hears of weights that were put back; nil: nobody does

	// WarmUp makes a new model, such as the function of this name.
	WarmUp func(context.Context, starter.WarmUp, []rollout.Stream) (*transformer.Model, error)
}

// Train has the tiny policy play in a run, and the run train it, from the checkpoint in
// the data folder or a fresh model. It returns the last step of the checkpoint. The error is
// an [InvalidError] if the model cannot read the problems.
func (s *Settings) Train(ctx context.Context, to *run.Config, how Training) (last tiny.Step, err error) {
	warm := starter.DefaultWarmUp(s.Scenario)
	warm.Sizes, warm.Path = how.Sizes, how.Folder.Join("warm_up.unfinished")
	base, err := s.trained(how.Folder.Path())
	if err != nil {
		return last, err
	}
	if base != nil {
		how.Sizes = base.Model.Config()
		if err := fits(base, to, &how, web.MachineMemory()); err != nil {
			return last, err
		}
	}
	version, err := kept.VersionOf(ctx, to.Queue)
	if err != nil {
		return last, err
	}
	trainer, err := starter.OpenTrainer(starter.Training{
		Version: version, Say: how.Say,
		Path: how.Folder.Join(datadir.Checkpoint), Keep: how.Keep, Base: base, Sizes: how.Sizes, Learn: how.Learn,
		Sampling: tiny.Options{MaxSequences: to.Settings.Parallel, Seed: to.Settings.Seed},
		Fresh: func() (*transformer.Model, error) {
			if base != nil {
				return s.freshAdapters(base)
			}
			return s.FreshModel(how.Sizes, func() (*transformer.Model, error) { return how.WarmUp(ctx, warm, to.Streams) })
		},
	})
	if err != nil {
		if lost, ok := errors.AsType[*starter.LostError](err); ok {
			place := kept.Checkpoint{Place: kept.Place{Folder: how.Folder}}
			if of, ok := how.Keep.(*kept.Checkpoint); ok {
				place = *of
			}
			err = place.Remedy(fmt.Errorf("%w, and the run is at version %d", err, lost.Version))
		}
		return last, err
	}
	if err := starter.Readable(ctx, to.Streams, trainer.Policy().Vocabulary(), trainer.Context()); err != nil {
		return last, InvalidError{err}
	}
	if err := s.checkFirst(trainer.First(), trainer.Last().Version, how.Say); err != nil {
		return last, err
	}
	to.Policy = trainer.Policy()
	shared := &sharing{Trainer: trainer, with: how.Share, keep: versions(how.Folder.Path(), how.Every, to.Streams)}
	if base != nil {
		shared.first, shared.since = how.Say, time.Now()
	}
	to.Trainer.Consumer = run.Train(shared)
	if err := shared.share(); err != nil {
		return last, err
	}
	if m := &to.Rules.MaxSequence; *m == 0 || *m > trainer.Context()+1 {
		*m = trainer.Context() + 1 // longer sequences cannot be trained on
	}
	return trainer.Last(), nil
}

// sharing is a trainer that keeps and shares its weights when it publishes them.
type sharing struct {
	*starter.Trainer
	with func(version int, weights []byte) // nil: nobody
	keep kept.Versions

	first func(string) // hears how long the first step takes; nil: nobody does
	since time.Time    // the first group of it could begin
}

// Step implements [run.Learner].
func (s *sharing) Step(ids []string, groups []*quintain.Group) (tiny.Step, error) {
	begun := time.Now()
	step, err := s.Trainer.Step(ids, groups)
	if say := s.first; say != nil && err == nil {
		s.first = nil
		say(fmt.Sprintf("the first step took %.1f s, of which %.1f s of training on %s; %.0f tokens a second were sampled", time.Since(s.since).Seconds(),
			time.Since(begun).Seconds(), stats.Count(step.Metrics.Tokens, "token"), float64(s.Policy().Sampled())/begun.Sub(s.since).Seconds()))
	}
	return step, err
}

// Publish implements [run.Learner].
func (s *sharing) Publish() error {
	if err := s.Trainer.Publish(); err != nil {
		return err
	}
	return s.share()
}

func (s *sharing) share() error {
	version := s.Last().Version
	keeps := s.keep.Wants(version)
	if s.with == nil && !keeps {
		return nil
	}
	weights, err := s.Weights()
	if err == nil && keeps {
		err = s.keep.Write(version, weights)
	}
	if err != nil {
		return fmt.Errorf("weights of version %d: %w", version, err)
	}
	if s.with != nil {
		s.with(version, weights)
	}
	return nil
}
