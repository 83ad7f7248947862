package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newScenarios(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "scenarios",
		Short: "List, show and check the scenarios: how problems are asked, answered and judged",
		Example: `  quintain scenarios list
  quintain scenarios show math_multi_turn
  quintain scenarios check --scenario-command "python my_env.py"`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newScenariosList(w), newScenariosShow(w), newScenariosCheck(w))
	return c
}

func newScenariosList(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the scenarios, a line each",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			return screen.Scenarios(w.stdout, catalog.Scenarios())
		},
	}
}

func newScenariosShow(w *world) *cobra.Command {
	var d draft
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show what a scenario is, its settings, the tasks it can play, and an example",
		Long: `Show prints what a scenario is, its settings with their defaults, which tasks it can
play, and an example: what a model reads first, and what it is told and earns after a
wrong reply, one without an answer, and a right one.`,
		Example: "  quintain scenarios show math_multi_turn --task count_bits",
		Args:    oneArg("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := catalog.Scenario(args[0])
			if err != nil {
				return fmt.Errorf("%w (quintain scenarios list names them all)", err)
			}
			can, _ := catalog.Playable(spec, catalog.Tasks())
			if d.task == "" {
				d.task = exampleTask(can)
			}
			t, err := d.open()
			if err != nil {
				return err
			}
			demos, err := catalog.Demonstrate(c.Context(), spec, t, d.draw())
			if err != nil {
				return err
			}
			screen.Scenario(w.stdout, spec, can)
			screen.Demos(w.stdout, demos)
			return nil
		},
	}
	c.Flags().StringVar(&d.task, "task", "", "name of the task in the example (default: chain_sum, or the first that can be played)")
	d.flags(c)
	return c
}

// exampleTask is the name of a task that is short to show.
func exampleTask(tasks []quintain.Task) string {
	const short = "chain_sum"
	for _, t := range tasks {
		if t.Info().Name == short {
			return short
		}
	}
	if len(tasks) == 0 {
		return short // the error says why it cannot be played
	}
	return tasks[0].Info().Name
}
