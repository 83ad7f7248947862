package examform

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/exam"
)

// writeCSV writes a line for each row, task, category and level, and one for all. Numbers
// have all their digits; a cell without a value is empty.
func writeCSV(out io.Writer, r *exam.Report) error {
	ks := r.Ks()
	lines := [][]string{csvHead(ks)}
	for _, row := range r.Rows {
		lines = append(lines, csvLine([]string{"row", row.Label, row.Task, row.Category, strconv.Itoa(row.Level)}, &row.Summary, ks))
	}
	for _, group := range []struct {
		kind  string
		parts []*exam.Part
	}{{"task", r.Tasks}, {"category", r.Categories}, {"level", r.Levels}, {"all", []*exam.Part{{Name: "all", Summary: r.Summary}}}} {
		for _, p := range group.parts {
			lines = append(lines, csvLine([]string{group.kind, p.Name, "", "", ""}, &p.Summary, ks))
		}
	}
	return csv.NewWriter(out).WriteAll(lines)
}

// csvHead names the columns.
func csvHead(ks []int) []string {
	head := []string{"kind", "name", "task", "category", "level", "scored", "mean_score", "low", "high"}
	for _, k := range ks {
		head = append(head, fmt.Sprintf("pass@%d", k), fmt.Sprintf("majority@%d", k))
	}
	head = append(head, "malformed", "tokens_mean", "tokens_median", "tokens_p95", "tokens_most", "cut", "failed")
	for _, o := range quintain.Outcomes {
		head = append(head, "episodes_"+string(o))
	}
	return append(head, "regret", "illegal_rate", "turns")
}

// csvLine returns the cells of a summary after those that name it.
func csvLine(cells []string, s *exam.Summary, ks []int) []string {
	cells = append(cells, strconv.Itoa(s.Scored))
	numbers := make([]float64, 0, 2*len(ks)+9)
	if s.Mean != nil {
		numbers = append(numbers, *s.Mean, s.Within.Low, s.Within.High)
		for i := range ks {
			if i < len(s.At) {
				numbers = append(numbers, s.At[i].Pass, s.At[i].Majority)
			}
		}
	}
	for i := range 3 + 2*len(ks) {
		if i < len(numbers) {
			cells = append(cells, exact(numbers[i]))
			continue
		}
		cells = append(cells, "")
	}
	if l := s.Lengths; l != nil {
		cells = append(cells, exact(s.Malformed), exact(l.Mean), exact(l.Median), exact(l.P95), exact(l.Most), exact(l.Cut))
	} else {
		cells = append(cells, "", "", "", "", "", "")
	}
	cells = append(cells, strconv.Itoa(s.Failed))
	for _, o := range quintain.Outcomes {
		cells = append(cells, strconv.Itoa(s.Episodes[o]))
	}
	if p := s.Play; p != nil {
		return append(cells, exact(p.Regret), exact(p.Illegal), exact(p.Turns))
	}
	return append(cells, "", "", "")
}

// exact writes a number with as many digits as it needs.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
