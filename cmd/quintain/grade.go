package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newGrade(w *world) *cobra.Command {
	var format, by string
	c := &cobra.Command{
		Use:   "grade",
		Short: "Grade answers: JSON lines in, JSON lines out",
		Long: `Grade reads a JSON object a line from standard input and prints one for each, in order:
{"score", "malformed", "reason"}. A line is {"problem": …, "answer": …}, with a problem as
tasks export prints it; with --format reasoning-gym it is
{"entry": {"question", "answer", "metadata"}, "answer": …}. The answer null is no answer.
With --scores reasoning-gym, answers get the scores of that library.

All cores grade. Grade answers every line that it has read before it waits for more, so a
program can talk to it line by line. An unreadable line gives {"error": …} in its place
and exit status 1 at the end; the other lines are still graded.`,
		Example: `  quintain tasks export --task chain_sum --count 1 |
    jq -c '{problem: ., answer: "42"}' | quintain grade`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			tasks, err := task.NewSet(catalog.Tasks())
			if err != nil {
				return err
			}
			form, err := pipe.FormatOf(format)
			if err != nil {
				return usagef("--%w", err)
			}
			if by != string(reasoninggym.Ours) && by != string(reasoninggym.ReasoningGym) {
				return usagef("--scores: is %q, want %s or %s", by, reasoninggym.Ours, reasoninggym.ReasoningGym)
			}
			return untilInterrupt(c.Context(), w, func(ctx context.Context) error {
				return pipe.Grader{Tasks: tasks, Format: form, Scores: reasoninggym.By(by)}.Grade(ctx, w.input(), w.stdout)
			})
		},
	}
	c.Flags().StringVar(&format, "format", "quintain", "form of the lines: quintain or reasoning-gym")
	c.Flags().StringVar(&by, "scores", string(reasoninggym.Ours), "whose scores answers get: quintain or reasoning-gym")
	c.AddCommand(newGradeMath(w))
	return c
}
