package exam

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Report has the results of a policy. Its Summary is over all rows.
type Report struct {
	Summary
	Samples    int     `json:"samples"`    // episodes of each problem
	Rows       []*Row  `json:"rows"`       // one for each set, in their order
	Tasks      []*Part `json:"tasks"`      // the rows of each task, by name
	Categories []*Part `json:"categories"` // the rows of each category, by name
	Levels     []*Part `json:"levels"`     // the rows of each level, lowest first
	Left       int     `json:"left"`       // problems without a result, since the evaluation ended early
	LastFault  string  `json:"last_fault,omitempty"`
	Seconds    float64 `json:"seconds"` // of the last process
}

// A Part has the results of a policy on some of the rows.
type Part struct {
	Name string `json:"name"`
	Summary
}

// A Row has the results of a policy on one set of problems.
type Row struct {
	Label    string `json:"label"` // "task:level"
	Task     string `json:"task"`
	Category string `json:"category,omitempty"`
	Level    int    `json:"level"` // see [rollout.Levels]
	Summary
	Set      int        `json:"set"`      // number of problems; see [Set]
	Distinct int        `json:"distinct"` // questions of these problems
	Complete bool       `json:"complete"` // see [Set]
	Problems []*Problem `json:"problems"` // the played ones, by ID
}

// newReport returns an empty report on sets.
func newReport(sets []Set, samples int) *Report {
	r := &Report{Samples: samples}
	for i := range sets {
		r.Rows = append(r.Rows, newRow(&sets[i]))
	}
	return r
}

// newRow returns an empty row on a set.
func newRow(s *Set) *Row {
	info := s.Scenario.TaskInfo()
	return &Row{
		Label: s.Label, Task: info.Name, Category: info.Category, Level: s.Level,
		Set: len(s.Problems), Distinct: s.Distinct, Complete: s.Complete, Problems: []*Problem{},
	}
}

// add adds the results of a problem to the row with a label, which must exist.
func (r *Report) add(label string, p *Problem) {
	i := slices.IndexFunc(r.Rows, func(row *Row) bool { return row.Label == label })
	r.Rows[i].Problems = append(r.Rows[i].Problems, p)
}

// finish computes all summaries.
func (r *Report) finish(spent time.Duration) {
	r.Seconds = spent.Seconds()
	ks := r.Ks()
	r.Left = 0
	for _, row := range r.Rows {
		slices.SortFunc(row.Problems, func(a, b *Problem) int { return strings.Compare(a.ID, b.ID) })
		for _, p := range row.Problems {
			p.finish(ks)
		}
		row.Summary = summary(ks, row)
		r.Left += row.Set - len(row.Problems)
	}
	r.Summary = summary(ks, r.Rows...)
	r.Tasks = parts(ks, r.Rows, func(row *Row) string { return row.Task })
	r.Categories = parts(ks, r.Rows, func(row *Row) string { return row.Category })
	r.Levels = parts(ks, r.Rows, (*Row).level)
}

// level names the level of the row.
func (r *Row) level() string {
	if r.Level == quintain.OwnParams {
		return "own parameters"
	}
	return fmt.Sprint(r.Level)
}

// parts returns the summaries of rows by name, sorted by name. Rows without a name are in
// no part.
func parts(ks []int, rows []*Row, name func(*Row) string) []*Part {
	all := []*Part{}
	byName := map[string][]*Row{}
	for _, row := range rows {
		if n := name(row); n != "" {
			byName[n] = append(byName[n], row)
		}
	}
	for n, rows := range byName {
		all = append(all, &Part{n, summary(ks, rows...)})
	}
	slices.SortFunc(all, func(a, b *Part) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// maxReport is the largest size of a report in bytes.
const maxReport = 1 << 30

// readReportFile reads a report from a JSON file, for [Compare]. The error names the first
// invalid problem.
func readReportFile(path string) (*Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r Report
	text, err := io.ReadAll(io.LimitReader(f, maxReport))
	if err != nil {
		return nil, err
	}
	if err := strictjson.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s is not a report of quintain eval: %w", path, err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%s is not a report of quintain eval: %w", path, err)
	}
	return &r, nil
}

// mostScore is the largest absolute score in a file. Sums of such scores stay finite.
const mostScore = 1e12

// check refuses a report that this program cannot have written.
func (r *Report) check() error {
	seen := map[string]bool{}
	for i, row := range r.Rows {
		if row == nil {
			return fmt.Errorf("rows[%d] is null", i)
		}
		for k, p := range row.Problems {
			switch {
			case p == nil:
				return fmt.Errorf("rows[%d].problems[%d] is null", i, k)
			case seen[p.ID]:
				return fmt.Errorf("rows[%d].problems[%d]: %q is there twice", i, k, p.ID)
			case slices.ContainsFunc(p.Episodes, func(e Episode) bool { return math.Abs(e.Score) > mostScore }):
				return fmt.Errorf("rows[%d].problems[%d]: a score is beyond ±%g", i, k, mostScore)
			}
			seen[p.ID] = true
		}
	}
	if len(seen) == 0 {
		return errors.New("it has no problems")
	}
	return nil
}
