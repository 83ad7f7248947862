package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func newPretrain(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "pretrain FILE",
		Short: "Make the weights that the tiny policy starts from",
		Long: `Pretrain makes a model anew by imitation of the tasks' own solutions, and writes its
weights to FILE. Held-out problems are left out. Without flags the file is the one
that this program embeds, byte for byte in the same build of the program.

Ctrl-C keeps the unfinished model next to FILE, and the same command continues it.`,
		Example: `  quintain pretrain starter.weights
  quintain pretrain --tasks spell_backward:0,chain_sum:0 --updates 1000 mine.weights
  quintain run --weights mine.weights`,
		Args: oneArg("FILE"),
	}
	f, warm := c.Flags(), starter.DefaultWarmUp()
	f.IntVar(&warm.Updates, "updates", warm.Updates, "supervised updates")
	f.IntVar(&warm.Batch, "batch", warm.Batch, "examples of an update")
	f.Uint64Var(&warm.Seed, "model-seed", warm.Seed, "seed of the parameters at the beginning")
	load := w.settings(c, "pretrain")
	c.RunE = func(c *cobra.Command, args []string) error {
		if warm.Updates < 1 || warm.Batch < 1 {
			return usagef("--updates is %d and --batch is %d, want 1 or more", warm.Updates, warm.Batch)
		}
		cfg, err := load()
		if err != nil {
			return err
		}
		warm.Sizes, warm.Path = cfg.Model.Config(), args[0]+".unfinished"
		return w.pretrain(c.Context(), cfg, warm, args[0])
	}
	return c
}

// pretrain makes a model and writes it to a file. A signal ends it with an error.
func (w *world) pretrain(ctx context.Context, c *config, warm starter.WarmUp, path string) error {
	return w.attend(ctx, func(ctx context.Context, _ <-chan struct{}) error {
		defer c.Scenario.Stop()
		if err := c.Scenario.Start(ctx, c.Log.logger(w)); err != nil {
			return err
		}
		streams, err := c.streams()
		if err != nil {
			return err
		}
		model, err := w.warmUp(ctx, warm, streams)
		if err != nil {
			return err
		}
		data, err := tiny.WriteWeights(transformer.Checkpoint{Model: model}, transformer.Float16)
		if err != nil {
			return err
		}
		return datadir.WriteFile(path, data)
	})
}

// freshModel returns the model that a new run begins with.
func (w *world) freshModel(ctx context.Context, c *config, streams []rollout.Stream, folder *datadir.Folder) (*transformer.Model, error) {
	if c.Policy.FromScratch {
		warm := starter.DefaultWarmUp()
		warm.Sizes, warm.Path = c.Model.Config(), folder.Join("warm_up.unfinished")
		return w.warmUp(ctx, warm, streams)
	}
	saved, name, err := c.firstWeights()
	if err != nil {
		return nil, err
	}
	if have, want := saved.Model.Config(), c.Model.Config(); have != want {
		return nil, fmt.Errorf("%s: %w: it has %+v, and the settings say %+v; use --from-scratch to make a model of these sizes", name, transformer.ErrSizes, have, want)
	}
	return saved.Model, nil
}

// warmUp makes a model from the solutions of streams' problems, without those that are
// held out, and shows how far it is. When ctx ends, what was made is kept.
func (w *world) warmUp(ctx context.Context, warm starter.WarmUp, streams []rollout.Stream) (*transformer.Model, error) {
	apart := slices.Clone(streams)
	for i, s := range apart {
		apart[i].Skip = exam.Skip(s.Scenario)
	}
	var err error
	if warm.Next, err = starter.Solutions(apart, warm.Sizes.Context); err != nil {
		return nil, usageError{err}
	}
	bar := screen.NewBar(w.screen(), "warming up a model")
	warm.Told = func(update int, loss float64) { bar.Show(update, warm.Updates, fmt.Sprintf("loss %.3f", loss)) }
	model, err := warm.Make(ctx)
	bar.End()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted during the warm-up, which is kept: run the same command again to go on")
	}
	return model, err
}
