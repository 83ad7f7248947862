// Package manpage writes the manual pages of a program from its cobra commands.
package manpage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Write writes into folder, which it makes, a page of section 1 for root and for each command below it that is not
// hidden. The pages name version, and the same commands make the same bytes.
func Write(folder, version string, root *cobra.Command) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return each(root, func(c *cobra.Command) error {
		return os.WriteFile(filepath.Join(folder, name(c)+".1"), []byte(page(c, version)), 0o644)
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

// name is the name of a command's page, such as quintain-tasks-list.
func name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page returns the page of c.
func page(c *cobra.Command, version string) string {
	var b strings.Builder
	program := c.Root().Name()
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s %s\n", quoted(strings.ToUpper(name(c))), quoted(program+" "+version), quoted(program))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", text(name(c)), text(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", text(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	if c.Long != "" {
		description(&b, c.Long)
	} else {
		fmt.Fprintf(&b, "%s.\n", text(strings.TrimSuffix(c.Short, ".")))
	}
	if below := visible(c); len(below) > 0 {
		b.WriteString(".SH COMMANDS\n")
		commands(&b, c, below)
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString(".SH OPTIONS\n")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { option(&b, f) })
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

// commands writes the commands of c, by its groups: first those of none.
func commands(b *strings.Builder, c *cobra.Command, below []*cobra.Command) {
	for _, group := range append([]*cobra.Group{{}}, c.Groups()...) {
		title := group.Title
		for _, verb := range below {
			if verb.GroupID != group.ID {
				continue
			}
			if title != "" {
				fmt.Fprintf(b, ".SS %s\n", text(strings.TrimSuffix(title, ":")))
				title = ""
			}
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", text(verb.Name()), text(verb.Short))
		}
	}
}

// description writes paragraphs. One that has an indented line keeps its lines.
func description(b *strings.Builder, long string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(long), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			verbatim(b, paragraph)
		} else {
			fmt.Fprintf(b, "%s\n", text(paragraph))
		}
	}
}

// verbatim writes lines as they are.
func verbatim(b *strings.Builder, lines string) {
	fmt.Fprintf(b, ".nf\n%s\n.fi\n", text(strings.Trim(lines, "\n")))
}

// option writes a flag with its meaning, and its default if that says something.
func option(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	kind, usage := pflag.UnquoteUsage(f)
	b.WriteString(".TP\n.B ")
	if f.Shorthand != "" {
		fmt.Fprintf(b, "%s, ", text("-"+f.Shorthand))
	}
	b.WriteString(text(strings.TrimSpace("--" + f.Name + " " + kind)))
	switch f.DefValue {
	case "", "[]", "false", "0", "0s":
		fmt.Fprintf(b, "\n%s\n", text(usage))
	default:
		fmt.Fprintf(b, "\n%s (default %s)\n", text(usage), text(f.DefValue))
	}
}

// seeAlso lists the pages of the command above c and of those below it.
func seeAlso(c *cobra.Command) (pages []string) {
	related := visible(c)
	if c.HasParent() {
		related = append([]*cobra.Command{c.Parent()}, related...)
	}
	for _, other := range related {
		pages = append(pages, fmt.Sprintf("\\fB%s\\fR(1)", text(name(other))))
	}
	return pages
}

// quoted is an argument of a macro.
func quoted(s string) string { return `"` + strings.ReplaceAll(text(s), `"`, `\(dq`) + `"` }

// text keeps roff from reading s: no backslash of it begins an escape, no line of it is a request, and its hyphens
// stay those that people type.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
