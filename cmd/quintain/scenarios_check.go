package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
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
		Example: `  quintain scenarios check --scenario-command "python my_env.py"
  quintain scenarios check countdown --scenario-url http://127.0.0.1:8080`,
		Args: atMostOneArg("TASK"),
	}
	problems := c.Flags().Int("count", 4, "problems of each level")
	load := w.settings(c, "scenarios check")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		switch {
		case err != nil:
			return err
		case !cfg.Scenario.External.Set():
			return usagef("which program? Set --scenario-command or --scenario-url")
		case *problems < 1:
			return usagef("--count: is %d, want 1 or more", *problems)
		}
		task := "chain_sum"
		if len(args) == 1 {
			task = args[0]
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			return w.checkScenario(ctx, cfg, task, *problems)
		})
	}
	return c
}

// checkScenario plays the program of c in two processes and prints the promises it breaks.
func (w *world) checkScenario(ctx context.Context, c *config, task string, problems int) error {
	check := scenario.Check{Seed: c.Run.Of.Seed, Problems: problems}
	for _, in := range []*quintain.Scenario{&check.First, &check.Second} {
		program := c.Scenario // a process of its own
		program.External.Processes = 1
		defer program.Stop()
		if err := program.Start(ctx, c.Log.logger(w)); err != nil {
			return err
		}
		var err error
		if *in, err = program.Checked(task); err != nil {
			return usageError{err}
		}
	}
	info := check.First.Info()
	levels := len(check.First.TaskInfo().Levels)
	faults, err := check.Faults(ctx)
	if err != nil {
		return err
	}
	for _, fault := range faults {
		fmt.Fprintln(w.stdout, fault)
	}
	if len(faults) > 0 {
		return fmt.Errorf("scenario %s: %d faults in %d problems", info.ID(), len(faults), problems*levels)
	}
	_, solves := check.First.(quintain.Solver)
	fmt.Fprintf(w.stdout, "%s keeps its promises: %d problems of %d levels, each played twice\n", info.ID(), problems*levels, levels)
	if !solves {
		fmt.Fprintln(w.stdout, "without solve, no right reply was played")
	}
	return nil
}
