package screen

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/list"
)

// Tasks prints a table of tasks, or nothing if there are no rows. A long table also
// describes each task in a sentence.
func Tasks(out io.Writer, rows []list.Entry, long bool) error {
	if len(rows) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	head := "TASK\tCATEGORY\tLEVELS\tFEW\tSCORING\tGUESS"
	if long {
		head += "\tWHAT IT IS"
	}
	fmt.Fprintln(table, head)
	for _, r := range rows {
		guess := "?"
		if r.Measured {
			first, last := r.Facts.Levels[0], r.Facts.Levels[len(r.Facts.Levels)-1]
			guess = fmt.Sprintf("%.0f-%.0f%%", 100*first.Blind(), 100*last.Blind())
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s", r.Info.Name, r.Info.Category, len(r.Info.Levels), list.FewLevels(r.Info), strings.Join(r.Facts.Scoring(r.Info), ", "), guess)
		if long {
			fmt.Fprintf(table, "\t%s", firstSentence(r.Info.Doc))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// firstSentence returns the first sentence of text.
func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".") + "."
}

// Task prints a task with a specimen.
func Task(out io.Writer, info quintain.Info, s list.Specimen) error {
	facts, measured := list.FactsOf(info)
	if s.Problem.Level == quintain.OwnParams {
		facts, measured = list.Facts{}, false
	}
	fmt.Fprintf(out, "%s, version %d\n\n%s\n\n", info.Name, info.Version, Wrap(info.Doc, "  "))
	fmt.Fprintf(out, "%s\n", Wrap("Source: "+info.Source, "  "))
	if measured {
		fmt.Fprintf(out, "%s\n", Wrap("Scoring: "+list.ExplainScoring(facts.Scoring(info)), "  "))
	}
	if err := showLevels(out, info, facts); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nPROBLEM %s\n\n%s\n", s.Problem.ID(), Wrap(s.Problem.Prompt, "  "))
	fmt.Fprintf(out, "\nA SOLUTION\n\n%s\n", Wrap(s.Solution, "  "))
	return showVerdicts(out, s.Judged)
}

// constantWidth is the room for a constant answer.
const constantWidth = 16

// showLevels prints the settings and the measurements of the levels.
func showLevels(out io.Writer, info quintain.Info, facts list.Facts) error {
	shared, levels, err := list.LevelSettings(info)
	if err != nil {
		return err
	}
	if len(shared) > 0 {
		fmt.Fprintf(out, "\nAT EVERY LEVEL\n\n%s\n", Wrap(strings.Join(shared, ", "), "  "))
	}
	for i, level := range levels {
		head := "SETTINGS"
		if len(levels) > 1 {
			head = fmt.Sprintf("LEVEL %d", i)
		}
		if i < len(facts.Levels) {
			l := facts.Levels[i]
			head += fmt.Sprintf("  (guess rate %.3f; ", l.GuessRate)
			if l.Constant != "" {
				head += fmt.Sprintf("constant %q %.3f; ", Clip(l.Constant, constantWidth), l.Constants)
			}
			head += l.Size() + " problems)"
		}
		fmt.Fprintf(out, "\n%s\n%s\n", head, Wrap(strings.Join(level, ", "), "  "))
		if why := list.WhyFew(info, i); why != "" {
			fmt.Fprintf(out, "%s\n", Wrap("Few problems by nature: "+why, "  "))
		}
	}
	return nil
}

// showVerdicts prints the scores of answers.
func showVerdicts(out io.Writer, judged []list.Judged) error {
	const answerWidth, whyWidth = 20, 48
	fmt.Fprintf(out, "\nWHAT ANSWERS NEAR IT EARN\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, j := range judged {
		why := j.Kind
		if j.Reason != "" && !strings.HasPrefix(j.Reason, `want "`) { // the solution is printed above
			why += ": " + j.Reason
		}
		fmt.Fprintf(table, "  %.3g\t%s\t%s\n", j.Score, Clip(fmt.Sprintf("%q", j.Answer), answerWidth), Clip(strings.Join(strings.Fields(why), " "), whyWidth))
	}
	return table.Flush()
}
