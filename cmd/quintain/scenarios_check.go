package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newScenariosCheck(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "check [TASK]",
		Short: "Check that a program of your own plays fairly and repeatably",
		Long: `Check starts your program twice and plays the same problems in both processes, in
opposite orders: with the solution, if there is one, and with senseless replies. It
names each promise that the program breaks: problems, solutions or rewards that differ
between the processes, a solution that earns nothing, senseless replies that earn
more, replies that end in an error, episodes without an end.

A program that plays tasks is checked with TASK (default chain_sum).`,
		Example: `  quintain scenarios check --environment "command:python my_env.py"
  quintain scenarios check countdown --environment http://127.0.0.1:8080`,
		Args: wants("one TASK at most", 0, 1),
	}
	problems := c.Flags().Int("count", 4, "problems of each level")
	load := w.settings(c, "scenarios check")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		switch {
		case err != nil:
			return err
		case !cfg.Source.Scenario.Environment.Set():
			return usagef("which program? Name it by --environment")
		case *problems < 1:
			return usagef("--count: is %d, want 1 or more", *problems)
		}
		of := catalog.Draft{Task: "chain_sum"}
		if len(args) == 1 {
			of.Task = args[0]
		}
		task, err := of.Open()
		if err != nil {
			return usageError{err}
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			return w.checkScenario(ctx, cfg, task, *problems)
		})
	}
	return c
}

// checkScenario prints the promises that the program of c breaks.
func (w *world) checkScenario(ctx context.Context, c *config, task quintain.Task, problems int) error {
	found, err := c.Source.Scenario.CheckProgram(ctx, catalog.ProgramCheck{Task: task, Seed: c.Run.Of.Seed, Problems: problems, Log: c.Log.Logger(w.stderr)})
	if err != nil {
		return err
	}
	return found.Write(w.stdout)
}
