package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/list"
)

func newScenarios(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "scenarios",
		Short: "List, show and check the scenarios, and begin your own: how problems are asked, answered and judged",
		Example: `  quintain scenarios list
  quintain scenarios show math_multi_turn
  quintain scenarios check --environment "command:python my_env.py"`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newScenariosList(w), newScenariosShow(w), newScenariosCheck(w), newScenariosInit(w))
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
	var d catalog.Draft
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a scenario: its settings, its tasks, and an example",
		Long: `Show describes a scenario and prints its settings with their defaults, the tasks that it can play, and an example:
the opening messages, and the feedback and reward after a wrong reply, a reply without an answer, and a right one.`,
		Example: "  quintain scenarios show math_multi_turn --task count_bits",
		Args:    oneArg("NAME"), ValidArgsFunction: flags.Complete(catalog.CompleteScenario),
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := catalog.Scenario(args[0])
			if err != nil {
				return usagef("%w (quintain scenarios list names them all)", err)
			}
			d.Scenario = spec.Name
			can, cannot := catalog.Playable(spec, catalog.TasksOf(spec.Name))
			d.Task = cmp.Or(d.Task, catalog.ExampleTask(can))
			t, err := openDraft(&d)
			if err != nil {
				return err
			}
			demos, err := list.Demonstrate(c.Context(), spec, t, d.Draw())
			if err != nil {
				return err
			}
			screen.Scenario(w.stdout, spec, can, len(can)+len(cannot))
			screen.Demos(w.stdout, demos)
			return nil
		},
	}
	c.Flags().StringVar(&d.Task, "task", "", "task of the example (default: chain_sum, or the first playable one)")
	draftFlags(c, &d)
	return c
}
