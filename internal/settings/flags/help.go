package flags

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Bounds of the help of flags.
const (
	helpWidth = 116 // columns
	mostFlags = 35  // that a command explains in full; of more, each gets one line
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
		Groups(c, func(title string, verbs []*cobra.Command) {
			fmt.Fprintf(&b, "\n%s\n", cmp.Or(title, "Verbs:"))
			for _, verb := range verbs {
				fmt.Fprintf(&b, "  %-*s  %s\n", verb.NamePadding(), verb.Name(), verb.Short)
			}
		})
		fmt.Fprintf(&b, "\n%s VERB --help explains one of them.\n", c.CommandPath())
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", flagUsages(c.LocalFlags()))
	}
	_, err := fmt.Fprint(c.OutOrStdout(), b.String())
	return err
}

// flagUsages explains flags.
func flagUsages(of *pflag.FlagSet) string {
	count := 0
	of.VisitAll(func(*pflag.Flag) { count++ })
	if count <= mostFlags {
		return of.FlagUsagesWrapped(helpWidth)
	}
	var b strings.Builder
	for line := range strings.Lines(of.FlagUsages()) {
		b.WriteString(cut(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}

// cut ends a line that is too long after a clause, or after a word.
func cut(line string) string {
	runes := []rune(line)
	if len(runes) <= helpWidth {
		return line
	}
	line = string(runes[:helpWidth])
	for _, end := range []string{"; ", ": ", ", ", " "} {
		if at := strings.LastIndex(line, end); at > helpWidth/2 {
			return line[:at]
		}
	}
	return line
}

// CheckHelp has the help of all commands below root refuse arguments that the command refuses: fault is
// then the error.
func CheckHelp(root *cobra.Command, fault *error) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if rest := c.Flags().Args(); len(rest) > 0 && c.Args != nil && c.Name() != "help" {
			if *fault = c.Args(c, rest); *fault != nil {
				return
			}
		}
		help(c, args)
	})
}
