package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/interop/pipe"
)

func newTasksExport(w *world) *cobra.Command {
	var d draft
	var format, mixture string
	var e pipe.Export
	c := &cobra.Command{
		Use:   "export",
		Short: "Print problems, a JSON object a line",
		Long: `Export prints problems of one task, a JSON object a line. A problem holds all that
grading needs, the solution included: do not show its instance to a model.

With --format reasoning-gym the lines are entries of the Python library of that
name: {"question", "answer", "metadata"}.

The task composite mixes all others. --mixture names a file that says which, with
their weights; it is that of a composite data set of reasoning-gym, and its seed and
size hold unless --seed and --count are given. Each problem names the task that made
it, which also grades it.

With --distinct, no problem comes twice: one that asks the same as an earlier one is
left out, and the next problem of the stream takes its place. Two problems ask the
same if their records differ in the wording alone, or by a rule of the task. How many
were left out is printed on standard error. If the task seems to have no further
problem, those that were found are printed, and the exit status is 1.`,
		Example: `  quintain tasks export --task countdown --level 1 --count 1000 > countdown.jsonl
  quintain tasks export --task chain_sum --params '{"min_terms":3}' --format reasoning-gym`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if e.Format, err = pipe.FormatOf(format); err != nil {
				return usagef("--%w", err)
			}
			if e.Count < 0 {
				return usagef("--count is %d, want 0 or more", e.Count)
			}
			if mixture == "" {
				e.Task, err = d.open()
			} else {
				err = openExport(c, mixture, &d, &e)
			}
			if err != nil {
				return err
			}
			e.First = d.draw()
			return exportTasks(c.Context(), w, e)
		},
	}
	c.Flags().StringVar(&d.task, "task", "", "name of the task; composite: all of them, mixed")
	c.Flags().StringVar(&mixture, "mixture", "", "YAML file of tasks with their weights, in the form of reasoning-gym's composite, in place of --task")
	c.Flags().StringVar(&format, "format", "quintain", "form of the lines: quintain or reasoning-gym")
	c.Flags().IntVar(&e.Count, "count", 1, "how many problems")
	c.Flags().BoolVar(&e.Distinct, "distinct", false, "leave out problems that ask the same as an earlier one")
	d.flags(c)
	for _, other := range []string{"task", "level", "params"} {
		c.MarkFlagsMutuallyExclusive("mixture", other)
	}
	return c
}

// openExport sets the task of e to that of a mixture. The file also has the seed and the
// number of problems, unless flags do.
func openExport(c *cobra.Command, mixture string, d *draft, e *pipe.Export) error {
	m, err := openMixture(mixture, d.seed)
	if err != nil {
		return err
	}
	if !c.Flags().Changed("seed") {
		d.seed = m.Seed
	}
	if !c.Flags().Changed("count") {
		e.Count = m.Size
	}
	e.Task, err = m.Task()
	return err
}

// exportTasks prints the problems, until a signal comes.
func exportTasks(ctx context.Context, w *world, e pipe.Export) error {
	return untilInterrupt(ctx, w, func(ctx context.Context) error {
		left, err := e.Write(ctx, w.stdout)
		if e.Distinct && err == nil {
			fmt.Fprintf(w.stderr, "quintain: %d problems left out that ask the same as earlier ones\n", left)
		}
		return err
	})
}

// errPipeCut is the error of a pipe that a signal ended.
var errPipeCut = errors.New("interrupted: not all lines were printed")

// untilInterrupt runs work until it ends or a signal comes.
func untilInterrupt(ctx context.Context, w *world, work func(context.Context) error) error {
	return w.attend(ctx, func(ctx context.Context, _ <-chan struct{}) error {
		if err := work(ctx); ctx.Err() == nil {
			return err
		}
		return errPipeCut
	})
}
