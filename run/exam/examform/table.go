package examform

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/exam"
)

// A table shows summaries to people.
type table struct {
	head []string
	rows []entry
	k    int  // samples of each problem
	play bool // there are moves of known value

	harbor bool // there are trials of Harbor
}

// An entry is a line of a table.
type entry struct {
	name     string
	problems string // scored ones, and their total
	*exam.Summary
}

// tables returns the tables of a report: by row, and by task, category and level where that
// groups rows.
func tables(r *exam.Report) []table {
	rows := make([]entry, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = entry{row.Label, problems(row), &row.Summary}
	}
	all := []table{newTable("task", r.Samples, rows)}
	for _, group := range []struct {
		name  string
		parts []*exam.Part
	}{{"all levels of", r.Tasks}, {"category", r.Categories}, {"level", r.Levels}} {
		if len(group.parts) > 1 && len(group.parts) < len(r.Rows) {
			all = append(all, newTable(group.name, r.Samples, entries(group.parts)))
		}
	}
	return all
}

// entries are the lines of parts.
func entries(parts []*exam.Part) []entry {
	all := make([]entry, len(parts))
	for i, p := range parts {
		all[i] = entry{p.Name, fmt.Sprint(p.Scored), &p.Summary}
	}
	return all
}

// newTable returns a table with a name for its first column.
func newTable(name string, samples int, rows []entry) table {
	head := []string{name, "problems", "mean score", "95 % interval", "pass@1"}
	if samples > 1 {
		head = append(head, "pass@k", "majority@k")
	}
	head = append(head, "malformed", "tokens", "p95", "cut", "failed")
	play := slices.ContainsFunc(rows, func(e entry) bool { return e.Play != nil })
	if play {
		head = append(head, "regret", "illegal", "turns")
	}
	harbor := slices.ContainsFunc(rows, func(e entry) bool { return e.Harbor != nil })
	if harbor {
		head = append(head, "as Harbor counts")
	}
	return table{head, rows, samples, play, harbor}
}

// lines returns the cells of all lines.
func (t *table) lines() [][]string {
	all := make([][]string, len(t.rows))
	for i, row := range t.rows {
		all[i] = t.line(row)
	}
	return all
}

// line returns the cells of a line.
func (t *table) line(e entry) []string {
	cells := []string{e.name, e.problems, number(e.Mean), interval(e.Within)}
	pass, majority := make([]string, 0, len(e.At)), make([]string, 0, len(e.At))
	for _, at := range e.At {
		pass = append(pass, fmt.Sprintf("%d: %.3f", at.K, at.Pass))
		majority = append(majority, fmt.Sprintf("%d: %.3f", at.K, at.Majority))
	}
	if len(e.At) == 0 {
		cells = append(cells, none)
	} else {
		cells = append(cells, fmt.Sprintf("%.3f", e.At[0].Pass))
	}
	if t.k > 1 {
		cells = append(cells, strings.Join(pass[min(1, len(pass)):], " "), strings.Join(majority[min(1, len(majority)):], " "))
	}
	if l := e.Lengths; l == nil {
		cells = append(cells, none, none, none, none)
	} else {
		cells = append(cells, percent(e.Malformed), fmt.Sprintf("%.0f", l.Mean), fmt.Sprintf("%.0f", l.P95), percent(l.Cut))
	}
	cells = append(cells, fmt.Sprint(e.Failed))
	switch {
	case !t.play:
	case e.Play == nil:
		cells = append(cells, none, none, none)
	default:
		cells = append(cells, fmt.Sprintf("%.3f", e.Play.Regret), percent(e.Play.Illegal), fmt.Sprintf("%.1f", e.Play.Turns))
	}
	switch {
	case !t.harbor:
	case e.Harbor == nil:
		cells = append(cells, none)
	default:
		cells = append(cells, fmt.Sprintf("%.3f of %d", e.Harbor.Mean, e.Harbor.Trials))
	}
	return cells
}

// problems tells how many problems of a row were scored, and whether there are more.
func problems(row *exam.Row) string {
	text := fmt.Sprint(row.Scored)
	if row.Scored < row.Set {
		text += fmt.Sprintf(" of %d", row.Set)
	}
	if row.Distinct < row.Set {
		text += fmt.Sprintf(", %d distinct", row.Distinct)
	}
	if row.Complete {
		text += " (all there are)"
	}
	return text
}

// mostMetrics is how many metrics a sentence tells.
const mostMetrics = 8

// total tells the result of all rows in a sentence.
func total(r *exam.Report) string {
	text := fmt.Sprintf("mean score %s (95 %%: %s) of episodes %s in %.1f s", number(r.Mean), interval(r.Within), outcomes(r.Episodes), r.Seconds)
	if r.Left > 0 {
		text += "; " + stats.Count(r.Left, "problem") + " left"
	}
	for _, player := range slices.Sorted(maps.Keys(r.Others)) {
		of := r.Others[player]
		text += fmt.Sprintf("; %s wrote %s, %s, in %.0f %% of its episodes' time", player, stats.Count(of.Replies, "reply"), stats.Count(of.Tokens, "token"), 100*of.Share())
	}
	for i, name := range slices.Sorted(maps.Keys(r.Metrics)) {
		if i == mostMetrics {
			return text + ", …"
		}
		text += fmt.Sprintf("%s%q %.4g", []string{"; metrics ", ", "}[min(i, 1)], name, r.Metrics[name])
	}
	return text
}

// outcomes tells how many episodes had each outcome.
func outcomes(episodes map[quintain.Outcome]int) string {
	var parts []string
	sum := 0
	for _, o := range quintain.Outcomes {
		if n := episodes[o]; n > 0 {
			sum += n
			parts = append(parts, fmt.Sprintf("%s: %d", o, n))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(parts, ", "))
}

// none stands for a value that there is not.
const none = "none"

// number shows a score; there may be none.
func number(v *float64) string {
	if v == nil {
		return none
	}
	return fmt.Sprintf("%.3f", *v)
}

// percent shows a share.
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// interval shows an interval; there may be none.
func interval(v *stats.Interval) string {
	if v == nil {
		return none
	}
	return fmt.Sprintf("%.3f–%.3f", v.Low, v.High)
}
