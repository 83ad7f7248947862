package watch

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/exam"
)

// An evaluationsPage is the content of the page of evaluations.
type evaluationsPage struct {
	Rows    []heldOut // evaluations during the run, oldest first
	Curve   template.HTML
	Within  bool // the intervals are known
	Map     *heatMap
	Replay  *replay
	Reports []report
	Shown   *report     // nil: none
	A, B    int         // indices of the compared reports
	Changed *comparison // nil: none
	Differs string      // why they cannot be compared; empty: they are
}

// A comparison is that of two reports.
type comparison struct {
	Rows  []changeRow
	All   changeRow
	Flips []exam.Flip
}

// A changeRow is the change of the results on some problems.
type changeRow struct {
	Label string
	exam.Change
	Bar template.HTML
}

// A report is the report of an evaluation.
type report struct {
	Index int
	Name  string
	*exam.Report
}

// evaluations answers with the page of evaluations.
func (s *Server) evaluations(c *web.Call) error {
	var p evaluationsPage
	q := c.R.URL.Query()
	p.fill(s.heldOuts(), q.Get("problem"))
	for i, path := range s.config.Evaluations {
		r, err := exam.ReadReport(path)
		if err != nil {
			s.config.Log.Warn("an evaluation cannot be read", "error", err)
			continue
		}
		p.Reports = append(p.Reports, report{i, plain(filepath.Base(path)), r})
	}
	chosen := func(name string, otherwise int) int {
		i, err := strconv.Atoi(q.Get(name))
		if err != nil || i < 0 || i >= len(p.Reports) {
			return otherwise
		}
		return i
	}
	if n := len(p.Reports); n > 0 {
		p.Shown = &p.Reports[chosen("show", n-1)]
	}
	if n := len(p.Reports); n > 1 {
		p.A, p.B = chosen("a", 0), chosen("b", n-1)
		var differ *exam.DifferentError
		changed, err := exam.Compare(p.Reports[p.A].Report, p.Reports[p.B].Report)
		switch {
		case err == nil:
			p.Changed = newComparison(changed)
		case errors.As(err, &differ):
			p.Differs = differ.Error()
		default:
			return web.Errorf(http.StatusInternalServerError, "%v", err)
		}
	}
	return s.show(c, view{"Evaluations", "evaluations", &p})
}

// heldOuts are the evaluations during the run.
func (s *Server) heldOuts() []heldOut {
	all, err := s.held.list()
	if err != nil {
		s.config.Log.Warn("the evaluations cannot be read", "error", err)
	}
	return all
}

// fill fills in the evaluations during the run, and the replay of a label.
func (p *evaluationsPage) fill(all []heldOut, label string) {
	p.Rows, p.Curve, p.Map, p.Replay = all, scoresOver(all), newHeatMap(all), newReplay(all, label)
	p.Within = slices.ContainsFunc(all, func(h heldOut) bool { return h.Within != nil })
}

// chance writes a probability.
func chance(v float64) string {
	if v < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", v)
}

// newComparison draws the differences, on a scale that all share.
func newComparison(c *exam.Comparison) *comparison {
	most := 0.1
	for _, row := range append(slices.Clone(c.Rows), exam.RowChange{Change: c.Change}) {
		most = max(most, math.Abs(row.Difference))
		if row.Within != nil {
			most = max(most, -row.Within.Low, row.Within.High)
		}
	}
	all := &comparison{All: changeRow{"all", c.Change, changeBar(&c.Change, most)}, Flips: c.Flips}
	for _, row := range c.Rows {
		all.Rows = append(all.Rows, changeRow{row.Label, row.Change, changeBar(&row.Change, most)})
	}
	return all
}

// changeBar draws a difference on a scale from -most to most.
func changeBar(c *exam.Change, most float64) template.HTML {
	class := "same"
	switch {
	case c.Within != nil && c.Within.Low > 0:
		class = "more"
	case c.Within != nil && c.Within.High < 0:
		class = "less"
	}
	return forest(class, c.Difference, c.Within, stats.Interval{Low: -most, High: most})
}

// scoreBar draws a mean score.
func scoreBar(s exam.Summary) template.HTML {
	if s.Mean == nil {
		return ""
	}
	return forest("same", *s.Mean, s.Within, stats.Interval{Low: 0, High: 1})
}
