// Package flags gives a cobra command the flags of settings, and groups them by section in
// its help.
package flags

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quintain-rl/quintain/settings"
)

// A flagText is the flag of a setting. It keeps the given text until all sources are known.
// A list's flag may be given several times.
type flagText struct {
	setting *settings.Setting
	given   map[string]string // by path
}

// Set implements [pflag.Value].
func (f flagText) Set(text string) error {
	if before, given := f.given[f.setting.Path()]; given && f.setting.Type() == "list" {
		text = before + "," + text
	}
	f.given[f.setting.Path()] = text
	return nil
}

// String implements [pflag.Value].
func (f flagText) String() string {
	if text, given := f.given[f.setting.Path()]; given {
		return text
	}
	return f.setting.Default()
}

// Type implements [pflag.Value].
func (f flagText) Type() string { return f.setting.Type() }

// Add gives c the flags of settings, and returns the map of given texts by path, which
// parsing fills.
func Add(c *cobra.Command, all []*settings.Setting) (given map[string]string) {
	given = map[string]string{}
	c.Flags().SortFlags = false
	for _, s := range all {
		if s.FlagName() == "" {
			continue
		}
		flag := c.Flags().VarPF(flagText{s, given}, s.FlagName(), "", s.Help())
		if s.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
		section, _, below := strings.Cut(s.Path(), ".")
		if !below {
			section = ""
		}
		flag.Annotations = map[string][]string{sectionNote: {section}}
	}
	return given
}

// sectionNote is the annotation that names the section of a flag.
const sectionNote = "section"

const (
	helpWidth = 100 // of the help of flags, in columns
	longest   = 60  // flags of a section; one with more comes after the others
)

// Usage prints the help of a command below its description. It is for
// [cobra.Command.SetUsageFunc].
func Usage(c *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprint(&b, "\nCommands:\n")
		for _, verb := range c.Commands() {
			if verb.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s  %s\n", verb.NamePadding(), verb.Name(), verb.Short)
			}
		}
		fmt.Fprintf(&b, "\n%s COMMAND --help explains one of them.\n", c.CommandPath())
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(&b, "\n%s", flagHelp(c))
	}
	_, err := fmt.Fprint(c.OutOrStdout(), b.String())
	return err
}

// flagHelp returns the help of c's flags, grouped by the sections of the settings.
func flagHelp(c *cobra.Command) string {
	var order []string
	sets := map[string]*pflag.FlagSet{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		section := ""
		if note := f.Annotations[sectionNote]; note != nil {
			section = note[0]
		}
		if sets[section] == nil {
			sets[section] = pflag.NewFlagSet(section, pflag.ContinueOnError)
			sets[section].SortFlags = false
			order = append(order, section)
		}
		sets[section].AddFlag(f)
	})
	slices.SortStableFunc(order, func(a, b string) int {
		return cmp.Compare(count(sets[a])/longest, count(sets[b])/longest)
	})
	var b strings.Builder
	for _, section := range order {
		if section == "" {
			fmt.Fprintf(&b, "Flags:\n%s", sets[section].FlagUsagesWrapped(helpWidth))
			continue
		}
		fmt.Fprintf(&b, "\nFlags of %s:\n%s", section, sets[section].FlagUsagesWrapped(helpWidth))
	}
	return b.String()
}

func count(of *pflag.FlagSet) (flags int) {
	of.VisitAll(func(*pflag.Flag) { flags++ })
	return flags
}
