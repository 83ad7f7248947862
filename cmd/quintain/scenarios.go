package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
	"github.com/quintain-rl/quintain/env"
	"github.com/quintain-rl/quintain/screen"
)

func newScenarios(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "scenarios",
		Short: "List and show the scenarios: how problems are asked, answered and judged",
		Example: `  quintain scenarios list
  quintain scenarios show math_multi_turn`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newScenariosList(w), newScenariosShow(w))
	return c
}

func newScenariosList(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the scenarios, a line each",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			table := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "SCENARIO\tVERSION\tSETTINGS\tWHAT IT IS")
			for _, spec := range catalog.Scenarios() {
				doc := screen.WrapLine(firstSentence(spec.Doc), 44)
				fmt.Fprintf(table, "%s\t%d\t%d\t%s\n", spec.Name, spec.Version, len(catalog.SettingsOf(spec)), doc[0])
				for _, line := range doc[1:] {
					fmt.Fprintf(table, "\t\t\t%s\n", line)
				}
			}
			return table.Flush()
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
			showScenario(w.stdout, spec, can)
			showDemos(w.stdout, demos)
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

// showScenario prints what a scenario is, and the tasks that it can play.
func showScenario(out io.Writer, spec env.Spec, can []quintain.Task) {
	fmt.Fprintf(out, "%s, version %d\n\n%s\n\n%s\n", spec.Name, spec.Version, screen.Wrap(spec.Doc, "  "), screen.Wrap("Source: "+spec.Source, "  "))
	fmt.Fprint(out, "\nSETTINGS\n")
	for _, s := range catalog.SettingsOf(spec) {
		fmt.Fprintf(out, "\n  %s (default %s)\n%s\n", s.Path(), s.Default(), screen.Wrap(s.Doc(), "    "))
	}
	all := len(catalog.Tasks())
	if len(can) == all {
		fmt.Fprintf(out, "\nTASKS\n\n  It can play all %d of them.\n", all)
		return
	}
	names := make([]string, len(can))
	for i, t := range can {
		names[i] = t.Info().Name
	}
	slices.Sort(names)
	fmt.Fprintf(out, "\nTASKS\n\n  It can play %d of %d:\n%s\n", len(can), all, screen.Wrap(strings.Join(names, ", "), "    "))
}

// showDemos prints the episodes of an example.
func showDemos(out io.Writer, demos []catalog.Demo) {
	opening := ""
	for _, demo := range demos {
		if text := conversation(demo.Opening); text != opening {
			opening = text
			fmt.Fprintf(out, "\nWHAT A MODEL READS\n%s", text)
		}
		for _, turn := range demo.Turns {
			fmt.Fprintf(out, "\nA REPLY THAT IS %s\n\n%s\n", strings.ToUpper(turn.Kind), screen.Wrap(turn.Reply, "  "))
			why := ""
			if turn.Step.Why != "" {
				why = ": " + turn.Step.Why
			}
			fmt.Fprintf(out, "\n%s\n", screen.Wrap(fmt.Sprintf("reward %v%s", turn.Step.Reward, why), "  "))
			if turn.Step.End != quintain.Going {
				fmt.Fprintf(out, "  the episode ends: %s\n", turn.Step.End)
			}
			if len(turn.Step.Observe) > 0 {
				fmt.Fprint(out, conversation(turn.Step.Observe))
			}
		}
	}
}

// conversation prints messages.
func conversation(talk []quintain.Message) string {
	var b strings.Builder
	for _, m := range talk {
		fmt.Fprintf(&b, "\n  %s:\n%s\n", m.Role, screen.Wrap(m.Content, "    "))
	}
	return b.String()
}
