package examform

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/exam"
)

//go:embed page.html
var page string

// A htmlTable is a table of the page.
type htmlTable struct {
	Head  []string
	Lines []htmlLine
}

// A htmlLine is a line of a table, with a picture of the mean and its interval.
type htmlLine struct {
	Cells  []string
	Mean   *float64
	Within *stats.Interval
}

// A htmlRow lists the problems of a row.
type htmlRow struct {
	Label    string
	Problems []htmlProblem
}

// A htmlProblem is a problem with its episodes.
type htmlProblem struct {
	ID       string
	Right    string // "3 of 4 right"
	Episodes []exam.Episode
}

// writeHTML writes a page that needs no other file: the tables, with a bar for each mean,
// and below them every problem with its answers and scores.
func writeHTML(out io.Writer, r *exam.Report) error {
	parsed, err := template.New("page").Funcs(template.FuncMap{"bar": bar}).Parse(page)
	if err != nil {
		return err
	}
	view := struct {
		Total  string
		Fault  string
		Tables []htmlTable
		Rows   []htmlRow
	}{Total: total(r), Fault: r.LastFault}
	for _, t := range tables(r) {
		shown := htmlTable{Head: t.head}
		for i, cells := range t.lines() {
			shown.Lines = append(shown.Lines, htmlLine{cells, t.rows[i].Mean, t.rows[i].Within})
		}
		view.Tables = append(view.Tables, shown)
	}
	for _, row := range r.Rows {
		view.Rows = append(view.Rows, htmlRow{row.Label, htmlProblems(row)})
	}
	return parsed.Execute(out, view)
}

// htmlProblems are the problems of a row.
func htmlProblems(row *exam.Row) []htmlProblem {
	all := make([]htmlProblem, len(row.Problems))
	for i, p := range row.Problems {
		all[i] = htmlProblem{p.ID, p.Share().String(), p.Episodes}
	}
	return all
}

// bar draws a mean from 0 to 1 with its interval. Values outside are drawn at the edge.
func bar(l htmlLine) template.HTML {
	if l.Mean == nil || l.Within == nil {
		return ""
	}
	const width = 120
	at := func(v float64) float64 { return width * min(1, max(0, v)) }
	return template.HTML(fmt.Sprintf(
		`<svg width="%d" height="12" role="img" aria-label="mean %.3f"><rect y="3" width="%d" height="6" fill="#eee"/>`+
			`<rect y="3" width="%.1f" height="6" fill="#0072b2"/><path d="M%.1f 6H%.1f" stroke="#000"/></svg>`,
		width, *l.Mean, width, at(*l.Mean), at(l.Within.Low), at(l.Within.High)))
}
