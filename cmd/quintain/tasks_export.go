package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newTasksExport(w *world) *cobra.Command {
	var d catalog.Draft
	var format, mixture string
	split := exam.BothSides
	var e pipe.Export
	c := &cobra.Command{
		Use:   "export",
		Short: "Print problems, a JSON object a line",
		Long: `Export prints problems of one task, a JSON object a line. A problem holds everything that
grading needs, also the solution: do not show its instance to a model.

With --format reasoning-gym the lines are entries of the Python library of that
name: {"question", "answer", "metadata"}.

The task composite mixes all others. --mixture names a file of tasks with weights, in the
form of a composite data set of reasoning-gym; --seed and --count override its seed and
size. Each problem names its task, which also grades it.

With --distinct no problem comes twice: export skips a problem that asks the same as an
earlier one, and prints the next of the stream. Two problems ask the same if their records
differ only in wording, or by a rule of the task. Export prints the number of skipped
problems on standard error. If it finds no further problem, it prints those found and
ends with status 1.

With --split trained or held_out only that side of the split is printed: a run never trains
on a held-out problem, and an evaluation asks only those.`,
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
			if e.Only, err = split.Only(); err != nil {
				return usagef("--%w", err)
			}
			if err := openExport(c, mixture, &d, &e); err != nil {
				return err
			}
			e.First = d.Draw()
			return exportTasks(c.Context(), w, e)
		},
	}
	c.Flags().StringVar(&d.Task, "task", "", "name of the task; composite: all tasks, mixed")
	c.Flags().StringVar(&mixture, "mixture", "", "YAML file of tasks with weights, in the form of reasoning-gym's composite, in place of --task")
	c.Flags().StringVar(&format, "format", "quintain", "form of the lines: quintain or reasoning-gym")
	c.Flags().IntVar(&e.Count, "count", 1, "number of problems")
	c.Flags().BoolVar(&e.Distinct, "distinct", false, "skip problems that ask the same as an earlier one")
	c.Flags().StringVar((*string)(&split), "split", string(split), "problems of one side of the split: trained, held_out or all")
	draftFlags(c, &d)
	for _, other := range []string{"task", "level", "params"} {
		c.MarkFlagsMutuallyExclusive("mixture", other)
	}
	return c
}

// openExport sets e to the task of d, or to a mixture and, unless flags give them, to its seed
// and size.
func openExport(c *cobra.Command, mixture string, d *catalog.Draft, e *pipe.Export) (err error) {
	if mixture == "" {
		e.Task, err = openDraft(d)
		return err
	}
	m, err := catalog.OpenMixture(mixture, d.Seed)
	if err != nil {
		return fileless(err)
	}
	if !c.Flags().Changed("seed") {
		d.Seed = m.Seed
	}
	if !c.Flags().Changed("count") {
		e.Count = m.Size
	}
	e.Task, err = m.Task()
	return err
}

// exportTasks prints the problems until an interrupt.
func exportTasks(ctx context.Context, w *world, e pipe.Export) error {
	return untilInterrupt(ctx, w, func(ctx context.Context) error {
		left, err := e.Write(ctx, w.stdout)
		if err != nil {
			return err
		}
		if e.Distinct {
			fmt.Fprintf(w.stderr, "quintain: skipped %s that ask the same as earlier ones\n", stats.Count(left, "problem"))
		}
		return nil
	})
}

// errPipeCut is the error of a pipe that an interrupt ended.
var errPipeCut = errors.New("interrupted: not all lines were printed")

// untilInterrupt runs the work of a pipe until it ends or is interrupted.
func untilInterrupt(ctx context.Context, w *world, work func(context.Context) error) error {
	if w.getenv("GOGC") == "" { // a pipe keeps 2 MB: to collect half as often takes 2 MB more and an eighth less time
		defer debug.SetGCPercent(debug.SetGCPercent(200))
	}
	return w.attend(ctx, func(ctx context.Context, _ <-chan struct{}) error {
		if err := work(ctx); ctx.Err() == nil {
			return err
		}
		return errPipeCut
	})
}

func newPolicyTokenizer(w *world) *cobra.Command {
	d := pipe.Desk{Stdin: w.stdin, Stdout: w.stdout, NoArgs: noArgs, Attend: func(ctx context.Context, work func(context.Context) error) error {
		return untilInterrupt(ctx, w, work)
	}}
	return d.Tokenizer()
}
