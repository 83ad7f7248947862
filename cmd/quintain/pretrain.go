package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/learn"
	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/starter"
	"github.com/quintain-rl/quintain/transformer"
)

// warmUpSeed is the seed of the problems whose solutions a warm-up imitates.
const warmUpSeed = 0x7761726d_75702121

func newPretrain(w *world, l *loader) *cobra.Command {
	c := &cobra.Command{
		Use:   "pretrain FILE",
		Short: "Make the weights that the tiny policy starts from",
		Long: `Pretrain makes a model anew by imitation of the tasks' own solutions, and writes its
weights to FILE. Held-out problems are left out. Without flags the file is the one
that this program embeds, byte for byte in the same build of the program.`,
		Example: `  quintain pretrain starter.weights
  quintain pretrain --tasks spell_backward:0,chain_sum:0 --updates 1000 mine.weights
  quintain run --weights mine.weights`,
		Args: oneArg("FILE"),
	}
	f, warm := c.Flags(), starter.DefaultWarmUp()
	f.Var(&l.Run.Tasks, "tasks", "tasks with their levels; where it is empty, the starter mix")
	f.IntVar(&warm.Updates, "updates", warm.Updates, "supervised updates")
	f.IntVar(&warm.Batch, "batch", warm.Batch, "examples of an update")
	f.Uint64Var(&warm.Seed, "seed", warm.Seed, "seed of the parameters at the beginning")
	c.RunE = func(c *cobra.Command, args []string) error {
		if warm.Updates < 1 || warm.Batch < 1 {
			return usagef("--updates is %d and --batch %d, want 1 or more", warm.Updates, warm.Batch)
		}
		warm.Sizes = l.Model.config()
		return pretrain(c.Context(), w, l.settings, warm, args[0])
	}
	return c
}

// pretrain makes a model and writes it to a file. A signal ends it with an error.
func pretrain(ctx context.Context, w *world, s settings, warm starter.WarmUp, path string) error {
	s.Policy.Kind = kindTiny
	streams, err := openStreams(s)
	if err != nil {
		return err
	}
	model, err := warmUp(ctx, w, warm, streams)
	if err != nil {
		return err
	}
	data, err := tiny.WriteWeights(transformer.Checkpoint{Model: model}, transformer.Float16)
	if err != nil {
		return err
	}
	return writeFile(path, data)
}

// freshModel returns the model that a new run begins with.
func freshModel(ctx context.Context, w *world, s settings, streams []rollout.Stream) (*transformer.Model, error) {
	if s.Run.FromScratch {
		warm := starter.DefaultWarmUp()
		warm.Sizes = s.Model.config()
		return warmUp(ctx, w, warm, streams)
	}
	saved, name, err := firstWeights(s)
	if err != nil {
		return nil, err
	}
	if have, want := saved.Model.Config(), s.Model.config(); have != want {
		return nil, fmt.Errorf("%s: %w: it has %+v, and the settings say %+v; use --from-scratch to make a model of these sizes", name, transformer.ErrSizes, have, want)
	}
	return saved.Model, nil
}

// warmUp makes a model from the solutions of streams' problems, without those that
// are held out.
func warmUp(ctx context.Context, w *world, warm starter.WarmUp, streams []rollout.Stream) (*transformer.Model, error) {
	streams = slices.Clone(streams)
	for i := range streams {
		streams[i].Seed = warmUpSeed
	}
	mix, err := rollout.NewMix(streams)
	if err != nil {
		return nil, usageError{err}
	}
	next := func(ctx context.Context) (learn.Sequence, error) {
		job, err := nextOf(ctx, mix, false)
		if err != nil {
			return learn.Sequence{}, err
		}
		mix.Done(job)
		return example(ctx, job, warm.Sizes.Context)
	}
	told := func(update int, loss float64) {
		if tenth := max(1, warm.Updates/10); update%tenth == 0 {
			fmt.Fprintf(w.stderr, "quintain: warm-up, update %d of %d, loss %.3f\n", update, warm.Updates, loss)
		}
	}
	var model *transformer.Model
	stopped, err := untilSignal(ctx, w.signals(), func(ctx context.Context) (err error) {
		model, err = warm.Make(ctx, next, told)
		return err
	})
	if stopped {
		return nil, errors.New("interrupted during the warm-up")
	}
	return model, err
}

// example returns the problem of a job with its solution.
func example(ctx context.Context, job rollout.Job, context int) (learn.Sequence, error) {
	solution, err := solve(job)
	if err != nil {
		return learn.Sequence{}, err
	}
	s, err := starter.Example(ctx, job.Scenario, job.Problem, solution)
	if err == nil && len(s.Tokens) > context {
		err = usagef("problem %s and its solution are %d tokens, and the model's context is %d: choose easier tasks, or a larger model.context",
			job.Problem.ID(), len(s.Tokens), context)
	}
	return s, err
}

// readable demands that the tiny policy can read the first problem of each stream
// and has room for a reply.
func readable(ctx context.Context, streams []rollout.Stream, context int) error {
	for _, s := range streams {
		p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level})
		if err != nil {
			return err
		}
		opening, err := starter.Example(ctx, s.Scenario, p, "")
		if err != nil {
			return err
		}
		if n := len(opening.Tokens); n > context {
			return usagef("task %s asks in %d tokens and more, and the tiny policy's context is %d: leave --tasks out for those that it is made for, or choose --policy script or openai",
				p.Task, n, context)
		}
	}
	return nil
}
