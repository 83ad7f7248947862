package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newServePipe(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "pipe",
		Short: "Draw problems, grade answers and compare mathematics: JSON lines in, JSON lines out",
		Long: `Pipe reads one request a line from standard input and prints one line for each, in
order. It is for programs that keep one process for everything, as the Python package
does (docs/python.md). A request is one of these:

  {"draw": {"task", "seed", "level", "index"}}   prints the problem; "params", custom
                                                 settings, may replace "level"
  {"problems": […], "answers": […]}              prints {"scores", "malformed", "reasons"},
                                                 lists
  {"problems": […], "replies": […]}              the same for a model's whole replies, with
                                                 answers between <answer> and </answer>
  {"open": problem}                              prints {"messages"}, which ask a model for
                                                 replies in that form; "settings": {"examples": 2}
                                                 puts two solved problems before the question
  {"gold": …, "answer": …}                       prints {"equal", "reason", "extracted"}

In "problems" a number may stand for a problem: "as": 7 beside "draw" names the drawn
problem 7, and so does [7, problem] in "problems", once the line is answered. Pipe keeps
the last 32 MiB of named problems. For one that it no longer keeps, it prints
{"forgotten": true} and grades nothing of the line.

Pipe answers every line that it has read before it waits for more, on all cores. A
request that fails gives {"error": …} in its place and exit status 1 at the end.`,
		Example: `  printf '%s\n' '{"draw": {"task": "chain_sum", "seed": 1, "level": 2, "index": 7}}' | quintain serve pipe`,
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			composite, err := catalog.NewComposite()
			if err != nil {
				return err
			}
			tasks, err := task.NewSet(append(catalog.Tasks(), composite))
			if err != nil {
				return err
			}
			replies, err := catalog.Scenario("reasoning_gym")
			if err != nil {
				return err
			}
			return untilInterrupt(c.Context(), w, func(ctx context.Context) error {
				return pipe.Server{Tasks: tasks, Replies: replies}.Serve(ctx, w.input(), w.stdout)
			})
		},
	}
}
