package screen

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/tasks/list"
)

// Scenarios prints a table of scenarios, with the first sentence of each description.
func Scenarios(out io.Writer, specs []scenario.Spec) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SCENARIO\tVERSION\tSETTINGS\tWHAT IT IS")
	for _, spec := range specs {
		doc := WrapLine(firstSentence(spec.Doc), 43)
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\n", spec.Name, spec.Version, len(spec.Settings()), doc[0])
		for _, line := range doc[1:] {
			fmt.Fprintf(table, "\t\t\t%s\n", line)
		}
	}
	return table.Flush()
}

// Scenario prints a scenario, with its settings and those of all its tasks that it can
// play.
func Scenario(out io.Writer, spec scenario.Spec, can []quintain.Task, all int) {
	fmt.Fprintf(out, "%s, version %d\n\n%s\n\n%s\n", spec.Name, spec.Version, Wrap(spec.Doc, "  "), Wrap("Source: "+spec.Source, "  "))
	for i, s := range spec.Settings() {
		if i == 0 {
			fmt.Fprint(out, "\nSETTINGS\n")
		}
		fmt.Fprintf(out, "\n%s\n%s\n", Wrap(fmt.Sprintf("%s (default %s)", s.Path(), s.Default()), "  "), Wrap(s.Doc(), "    "))
	}
	if spec.Untagged {
		fmt.Fprint(out, "\nTASKS\n\n  It plays problems of its own.\n")
		return
	}
	if len(can) == all {
		fmt.Fprintf(out, "\nTASKS\n\n  It can play all %d of them.\n", all)
		return
	}
	names := make([]string, len(can))
	for i, t := range can {
		names[i] = t.Info().Name
	}
	slices.Sort(names)
	fmt.Fprintf(out, "\nTASKS\n\n  It can play %d of %d:\n%s\n", len(can), all, Wrap(strings.Join(names, ", "), "    "))
}

// Demos prints the episodes of an example.
func Demos(out io.Writer, demos []list.Demo) {
	opening := ""
	for _, demo := range demos {
		if text := conversation(demo.Opening); text != opening {
			opening = text
			fmt.Fprintf(out, "\nWHAT A MODEL READS\n%s", text)
			for _, t := range demo.Tools {
				fmt.Fprintf(out, "\n  the tool %s:\n%s\n", t.Name, Wrap(t.Doc, "    "))
			}
		}
		for _, turn := range demo.Turns {
			fmt.Fprintf(out, "\nA REPLY THAT IS %s\n\n%s\n", strings.ToUpper(turn.Kind), Wrap(turn.Reply, "  "))
			why := ""
			if turn.Step.Why != "" {
				why = ": " + turn.Step.Why
			}
			fmt.Fprintf(out, "\n%s\n", Wrap(fmt.Sprintf("reward %v%s", turn.Step.Reward, why), "  "))
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
		fmt.Fprintf(&b, "\n  %s:\n%s\n", m.Role, Wrap(m.Content, "    "))
	}
	return b.String()
}
