package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

func newPretrain(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "pretrain FILE",
		Short: "Make first weights for the tiny policy",
		Long: `Pretrain makes a new model that imitates the tasks' own solutions, and writes its
weights to FILE. It skips held-out problems. Without flags the same build of the program
makes the file that it embeds, byte for byte. With the --scenario of a game it makes
first weights for that game, in the way of the embedded ones.

Ctrl-C keeps the unfinished model beside FILE, and the same command continues it.`,
		Example: `  quintain pretrain starter.weights
  quintain pretrain --scenario slippery_grid ice.weights
  quintain pretrain --tasks spell_backward:0,chain_sum:0 --updates 1000 mine.weights
  quintain run --weights mine.weights`,
		Args: oneArg("FILE"),
	}
	f, warm := c.Flags(), starter.DefaultWarmUp("")
	f.IntVar(&warm.Updates, "updates", warm.Updates, "supervised updates")
	f.IntVar(&warm.Batch, "batch", warm.Batch, "examples per update")
	f.Uint64Var(&warm.Seed, "model-seed", warm.Seed, "seed of the first parameters")
	load := w.settings(c, "pretrain")
	c.RunE = func(c *cobra.Command, args []string) error {
		if warm.Updates < 1 || warm.Batch < 1 {
			return usagef("--updates is %d and --batch is %d, want 1 or more", warm.Updates, warm.Batch)
		}
		cfg, err := load()
		if err != nil {
			return err
		}
		usual := starter.DefaultWarmUp(cfg.Source.Scenario.Name)
		if !f.Changed("updates") {
			warm.Updates = usual.Updates
		}
		if !f.Changed("batch") {
			warm.Batch = usual.Batch
		}
		warm.Sizes, warm.Path = cfg.Model.Config(), args[0]+".unfinished"
		return w.pretrain(c.Context(), cfg, warm, args[0])
	}
	return c
}

// pretrain makes a model and writes it to a file. An interrupt ends it with an error.
func (w *world) pretrain(ctx context.Context, c *config, warm starter.WarmUp, path string) error {
	return w.attend(ctx, func(ctx context.Context, _ <-chan struct{}) error {
		defer c.Source.Scenario.Stop()
		if err := c.Source.Scenario.Start(ctx, c.Log.Logger(w.stderr)); err != nil {
			return err
		}
		lessons := func(*task.Set) catalog.Choices { return catalog.Lessons(c.Source.Scenario.Name) }
		streams, err := c.Source.Streams(lessons, c.Run.Of.Seed)
		if err != nil {
			return fileless(err)
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

// warmUp warms a model up and shows the progress.
func (w *world) warmUp(ctx context.Context, warm starter.WarmUp, streams []rollout.Stream) (*transformer.Model, error) {
	bar := screen.NewBar(w.screen(), "warming up a model")
	defer bar.End()
	warm.Told = func(update int, loss float64) { bar.Show(update, warm.Updates, fmt.Sprintf("loss %.3f", loss)) }
	return player.WarmUp(ctx, warm, streams)
}
