package flags

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// WriteManual writes into folder, which it makes, a page of section 1 for root and for each command below it that is not
// hidden. The pages name version, and the same commands make the same bytes.
func WriteManual(folder, version string, root *cobra.Command) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return each(root, func(c *cobra.Command) error {
		return os.WriteFile(filepath.Join(folder, manualName(c)+".1"), []byte(manualPage(c, version)), 0o644)
	})
}

// each calls f for c and all visible commands below it.
func each(c *cobra.Command, f func(*cobra.Command) error) error {
	if err := f(c); err != nil {
		return err
	}
	for _, below := range visible(c) {
		if err := each(below, f); err != nil {
			return err
		}
	}
	return nil
}

// visible lists the commands directly below c that help shows too.
func visible(c *cobra.Command) (all []*cobra.Command) {
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			all = append(all, below)
		}
	}
	return all
}

// manualName is the name of a command's page, such as quintain-tasks-list.
func manualName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manualPage returns the page of c.
func manualPage(c *cobra.Command, version string) string {
	var b strings.Builder
	program := c.Root().Name()
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s %s\n", roffQuoted(strings.ToUpper(manualName(c))), roffQuoted(program+" "+version), roffQuoted(program))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roffText(manualName(c)), roffText(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roffText(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	if c.Long != "" {
		manualDescription(&b, c.Long)
	} else {
		fmt.Fprintf(&b, "%s.\n", roffText(strings.TrimSuffix(c.Short, ".")))
	}
	if below := visible(c); len(below) > 0 {
		b.WriteString(".SH COMMANDS\n")
		manualCommands(&b, c, below)
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString(".SH OPTIONS\n")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { manualOption(&b, f) })
	}
	if c.HasExample() {
		b.WriteString(".SH EXAMPLES\n")
		verbatim(&b, c.Example)
	}
	if related := seeAlso(c); len(related) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(related, ",\n"))
	}
	return b.String()
}

// manualCommands writes the commands of c, by its groups: first those of none.
func manualCommands(b *strings.Builder, c *cobra.Command, below []*cobra.Command) {
	for _, group := range append([]*cobra.Group{{}}, c.Groups()...) {
		title := group.Title
		for _, verb := range below {
			if verb.GroupID != group.ID {
				continue
			}
			if title != "" {
				fmt.Fprintf(b, ".SS %s\n", roffText(strings.TrimSuffix(title, ":")))
				title = ""
			}
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roffText(verb.Name()), roffText(verb.Short))
		}
	}
}

// manualDescription writes paragraphs. One that has an indented line keeps its lines.
func manualDescription(b *strings.Builder, long string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(long), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			verbatim(b, paragraph)
		} else {
			fmt.Fprintf(b, "%s\n", roffText(paragraph))
		}
	}
}

// verbatim writes lines as they are.
func verbatim(b *strings.Builder, lines string) {
	fmt.Fprintf(b, ".nf\n%s\n.fi\n", roffText(strings.Trim(lines, "\n")))
}

// manualOption writes a flag with its meaning, and its default if that says something.
func manualOption(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	kind, usage := pflag.UnquoteUsage(f)
	b.WriteString(".TP\n.B ")
	if f.Shorthand != "" {
		fmt.Fprintf(b, "%s, ", roffText("-"+f.Shorthand))
	}
	b.WriteString(roffText(strings.TrimSpace("--" + f.Name + " " + kind)))
	switch f.DefValue {
	case "", "[]", "false", "0", "0s":
		fmt.Fprintf(b, "\n%s\n", roffText(usage))
	default:
		fmt.Fprintf(b, "\n%s (default %s)\n", roffText(usage), roffText(f.DefValue))
	}
}

// seeAlso lists the pages of the command above c and of those below it.
func seeAlso(c *cobra.Command) (pages []string) {
	related := visible(c)
	if c.HasParent() {
		related = append([]*cobra.Command{c.Parent()}, related...)
	}
	for _, other := range related {
		pages = append(pages, fmt.Sprintf("\\fB%s\\fR(1)", roffText(manualName(other))))
	}
	return pages
}

// roffQuoted is an argument of a macro.
func roffQuoted(s string) string { return `"` + strings.ReplaceAll(roffText(s), `"`, `\(dq`) + `"` }

// roffText keeps roff from reading s: no backslash of it begins an escape, no line of it is a request, and its hyphens
// stay those that people type.
func roffText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
