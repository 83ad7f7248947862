package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
	"github.com/quintain-rl/quintain/screen"
)

func newTasksShow(w *world) *cobra.Command {
	var d draft
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show what a task is, its levels, a problem, a solution, and what answers near it earn",
		Long: `Show prints what a task is, how hard its levels are, one problem with a solution, and
what texts near that solution earn, and why. How a model is asked the problem is the
scenario's matter: see quintain scenarios show.`,
		Example: "  quintain tasks show countdown --level 2 --seed 5",
		Args:    oneArg("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			d.task = args[0]
			t, err := d.open()
			if err != nil {
				return err
			}
			s, err := catalog.NewSpecimen(t, d.draw())
			if err != nil {
				return err
			}
			return showTask(w.stdout, t.Info(), s)
		},
	}
	d.flags(c)
	return c
}

// showTask prints a task with a specimen.
func showTask(out io.Writer, info quintain.Info, s catalog.Specimen) error {
	facts, measured := catalog.FactsOf(info)
	if s.Problem.Level == quintain.OwnParams {
		facts, measured = catalog.Facts{}, false
	}
	fmt.Fprintf(out, "%s, version %d\n\n%s\n\n", info.Name, info.Version, screen.Wrap(info.Doc, "  "))
	fmt.Fprintf(out, "%s\n", screen.Wrap("Source: "+info.Source, "  "))
	if measured {
		fmt.Fprintf(out, "%s\n", screen.Wrap("Scoring: "+catalog.ExplainScoring(facts.Scoring(info)), "  "))
	}
	if err := showLevels(out, info, facts); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nPROBLEM %s\n\n%s\n", s.Problem.ID(), screen.Wrap(s.Problem.Prompt, "  "))
	fmt.Fprintf(out, "\nA SOLUTION\n\n%s\n", screen.Wrap(s.Solution, "  "))
	return showVerdicts(out, s.Judged)
}

// showLevels prints the settings of the levels, with what was measured of them.
func showLevels(out io.Writer, info quintain.Info, facts catalog.Facts) error {
	shared, levels, err := catalog.LevelSettings(info)
	if err != nil {
		return err
	}
	if len(shared) > 0 {
		fmt.Fprintf(out, "\nAT EVERY LEVEL\n\n%s\n", screen.Wrap(strings.Join(shared, ", "), "  "))
	}
	for i, level := range levels {
		head := "SETTINGS"
		if len(levels) > 1 {
			head = fmt.Sprintf("LEVEL %d", i)
		}
		if i < len(facts.Levels) {
			head += fmt.Sprintf("  (guess rate %.3f; %s problems)", facts.Levels[i].GuessRate, facts.Levels[i].Size())
		}
		fmt.Fprintf(out, "\n%s\n%s\n", head, screen.Wrap(strings.Join(level, ", "), "  "))
	}
	return nil
}

// showVerdicts prints what answers earn.
func showVerdicts(out io.Writer, judged []catalog.Judged) error {
	const answerWidth, whyWidth = 20, 48
	fmt.Fprintf(out, "\nWHAT ANSWERS NEAR IT EARN\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, j := range judged {
		why := j.Kind
		if j.Reason != "" && !strings.HasPrefix(j.Reason, `want "`) { // the solution, which stands above
			why += ": " + j.Reason
		}
		fmt.Fprintf(table, "  %.3g\t%s\t%s\n", j.Score, screen.Clip(fmt.Sprintf("%q", j.Answer), answerWidth), screen.Clip(strings.Join(strings.Fields(why), " "), whyWidth))
	}
	return table.Flush()
}
