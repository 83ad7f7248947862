package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
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
	fmt.Fprintf(out, "%s, version %d\n\n%s\n\n", info.Name, info.Version, wrapped(info.Doc, "  "))
	fmt.Fprintf(out, "%s\n", wrapped("Source: "+info.Source, "  "))
	if measured {
		fmt.Fprintf(out, "%s\n", wrapped("Scoring: "+catalog.ExplainScoring(facts.Scoring(info)), "  "))
	}
	if err := showLevels(out, info, facts); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nPROBLEM %s\n\n%s\n", s.Problem.ID(), wrapped(s.Problem.Prompt, "  "))
	fmt.Fprintf(out, "\nA SOLUTION\n\n%s\n", wrapped(s.Solution, "  "))
	return showVerdicts(out, s.Judged)
}

// showLevels prints the levels, with what was measured of them. Settings that all levels
// share stand alone.
func showLevels(out io.Writer, info quintain.Info, facts catalog.Facts) error {
	levels := make([][]string, len(info.Levels))
	for i, params := range info.Levels {
		var err error
		if levels[i], err = settingsOf(params); err != nil {
			return err
		}
	}
	var shared []string
	for _, setting := range levels[0] {
		if !slices.ContainsFunc(levels, func(level []string) bool { return !slices.Contains(level, setting) }) {
			shared = append(shared, setting)
		}
	}
	if len(levels) > 1 && len(shared) > 0 {
		fmt.Fprintf(out, "\nAT EVERY LEVEL\n\n%s\n", wrapped(strings.Join(shared, ", "), "  "))
	}
	for i, level := range levels {
		head := "SETTINGS"
		if len(levels) > 1 {
			level = slices.DeleteFunc(level, func(setting string) bool { return slices.Contains(shared, setting) })
			head = fmt.Sprintf("LEVEL %d", i)
		}
		if i < len(facts.Levels) {
			head += fmt.Sprintf("  (guess rate %.3f; %s problems)", facts.Levels[i].GuessRate, facts.Levels[i].Size())
		}
		fmt.Fprintf(out, "\n%s\n%s\n", head, wrapped(strings.Join(level, ", "), "  "))
	}
	return nil
}

// settingsOf lists the members of an object as "name value", in order.
func settingsOf(params json.RawMessage) (list []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(params))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprintf("%s %s", name, value))
	}
	return list, nil
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
		fmt.Fprintf(table, "  %.3g\t%s\t%s\n", j.Score, clipped(fmt.Sprintf("%q", j.Answer), answerWidth), clipped(strings.Join(strings.Fields(why), " "), whyWidth))
	}
	return table.Flush()
}
