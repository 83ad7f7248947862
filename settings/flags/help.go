package flags

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	helpWidth = 100 // of the help of flags, in columns
	longest   = 60  // flags of a section; one with more comes after the others
	most      = 60  // flags of a command whose help explains them all
)

// Usage prints the help of a command below its description. It is for
// [cobra.Command.SetUsageFunc]. Of a command with many flags it explains those without a section
// and those of the examples, and names the others; `--help SECTION` explains those of a section,
// and `--help all` every flag.
func Usage(c *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		Groups(c, func(title string, verbs []*cobra.Command) {
			fmt.Fprintf(&b, "\n%s\n", cmp.Or(title, "Commands:"))
			for _, verb := range verbs {
				fmt.Fprintf(&b, "  %-*s  %s\n", verb.NamePadding(), verb.Name(), verb.Short)
			}
		})
		fmt.Fprintf(&b, "\n%s COMMAND --help explains one of them.\n", c.CommandPath())
	}
	if c.HasAvailableLocalFlags() {
		b.WriteByte('\n')
		writeFlags(&b, c)
	}
	_, err := fmt.Fprint(c.OutOrStdout(), b.String())
	return err
}

// writeFlags writes the help of c's flags, grouped by the sections of the settings.
func writeFlags(b *strings.Builder, c *cobra.Command) {
	all := sections(c)
	asked := slices.DeleteFunc(slices.Clone(all), func(s *pflag.FlagSet) bool {
		return !slices.Contains(c.Flags().Args(), s.Name())
	})
	switch {
	case len(asked) > 0:
		explain(b, asked)
	case count(c.LocalFlags()) <= most || slices.Contains(c.Flags().Args(), "all"):
		explain(b, all)
	default:
		summarize(b, c, all)
	}
}

// sections returns the flags of c, a set for each section and "" for those of none. Long sections
// come last.
func sections(c *cobra.Command) (all []*pflag.FlagSet) {
	sets := map[string]*pflag.FlagSet{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		section := ""
		if note := f.Annotations[sectionNote]; note != nil {
			section = note[0]
		}
		if sets[section] == nil {
			sets[section] = newSet(section)
			all = append(all, sets[section])
		}
		sets[section].AddFlag(f)
	})
	slices.SortStableFunc(all, func(a, b *pflag.FlagSet) int {
		return cmp.Compare(count(a)/longest, count(b)/longest)
	})
	return all
}

func newSet(name string) *pflag.FlagSet {
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SortFlags = false
	return set
}

func count(of *pflag.FlagSet) (flags int) {
	of.VisitAll(func(*pflag.Flag) { flags++ })
	return flags
}

// explain writes the help of every flag of sets.
func explain(b *strings.Builder, sets []*pflag.FlagSet) {
	for i, set := range sets {
		title := "Flags:"
		if set.Name() != "" {
			title = fmt.Sprintf("Flags of %s:", set.Name())
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s\n%s", title, set.FlagUsagesWrapped(helpWidth))
	}
}

// summarize writes the help of the flags without a section and of those of the examples, and the
// names of the others.
func summarize(b *strings.Builder, c *cobra.Command, all []*pflag.FlagSet) {
	first, examples := newSet(""), strings.Fields(c.Example)
	var rest strings.Builder
	for _, set := range all {
		var names []string
		set.VisitAll(func(f *pflag.Flag) {
			switch {
			case set.Name() == "" || slices.Contains(examples, "--"+f.Name):
				first.AddFlag(f)
			case !f.Hidden:
				names = append(names, "--"+f.Name)
			}
		})
		if len(names) > 0 {
			writeNames(&rest, set.Name(), names)
		}
	}
	explain(b, []*pflag.FlagSet{first})
	fmt.Fprintf(b, `
More flags, by section; %[1]s --help SECTION explains those of one, and
%[1]s --help all explains all:
%s`, c.CommandPath(), rest.String())
}

// writeNames writes the names of a section's flags, in lines of helpWidth.
func writeNames(b *strings.Builder, section string, names []string) {
	const indent = 14
	line := fmt.Sprintf("  %-*s", indent-3, section)
	for _, name := range names {
		if len(line)+1+len(name) > helpWidth {
			fmt.Fprintln(b, line)
			line = strings.Repeat(" ", indent-1)
		}
		line += " " + name
	}
	fmt.Fprintln(b, line)
}
