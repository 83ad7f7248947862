// Package examform writes the report of an evaluation for people and programs: as a
// table of text, JSON, CSV, Markdown, and as one HTML page that needs no other file.
package examform

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/exam"
)

// A Form is an output format of reports.
type Form struct {
	Name  string
	File  string // name of a file in this form; empty: it is for the terminal
	Write func(out io.Writer, r *exam.Report) error
}

// Forms returns all forms, the one for the terminal first.
func Forms() []Form {
	return []Form{
		{"table", "", writeText},
		{"json", "report.json", writeJSON},
		{"csv", "report.csv", writeCSV},
		{"markdown", "report.md", writeMarkdown},
		{"html", "report.html", writeHTML},
	}
}

// Names lists the names of all forms.
func Names() string {
	var names []string
	for _, f := range Forms() {
		names = append(names, f.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// writeJSON writes the report as it is, with the results of every problem.
func writeJSON(out io.Writer, r *exam.Report) error {
	return strictjson.WriteIndented(out, r)
}

// writeText writes a table for a terminal.
func writeText(out io.Writer, r *exam.Report) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	for i, table := range tables(r) {
		if i > 0 {
			fmt.Fprintln(t)
		}
		for _, cells := range append([][]string{table.head}, table.lines()...) {
			fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", total(r))
	return err
}

// writeMarkdown writes tables in Markdown.
func writeMarkdown(out io.Writer, r *exam.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Evaluation\n\n%s\n", total(r))
	for _, table := range tables(r) {
		fmt.Fprintf(&b, "\n%s|%s\n", markdownLine(table.head), strings.Repeat("---|", len(table.head)))
		for _, cells := range table.lines() {
			b.WriteString(markdownLine(cells))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// markdownLine is a line of a table.
func markdownLine(cells []string) string {
	plain := make([]string, len(cells))
	for i, cell := range cells {
		plain[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cell)
	}
	return "| " + strings.Join(plain, " | ") + " |\n"
}
