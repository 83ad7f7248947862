package watch

import (
	"errors"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/exam/examdir"
)

// An evaluationsPage is the content of the page of evaluations.
type evaluationsPage struct {
	Steps   []point // evaluations during the run, oldest first
	Reports []report
	Shown   *report // nil: none
	A, B    int     // indices of the compared reports
	Changed *exam.Comparison
	Differs string // why they cannot be compared; empty: they are
}

// A point is a score at a step.
type point struct {
	Step  int
	Score float64
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
	l := s.numbers.line("eval/percent_correct", false, defaultColumns)
	for i := range l.X {
		p.Steps = append(p.Steps, point{int(l.X[i]), l.Y[i]})
	}
	for i, path := range s.config.Evaluations {
		r, err := examdir.Read(path)
		if err != nil {
			s.config.Log.Warn("an evaluation cannot be read", "error", err)
			continue
		}
		p.Reports = append(p.Reports, report{i, plain(filepath.Base(path)), r})
	}
	q := c.R.URL.Query()
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
		var err error
		var differ *exam.DifferentError
		p.Changed, err = exam.Compare(p.Reports[p.A].Report, p.Reports[p.B].Report)
		switch {
		case errors.As(err, &differ):
			p.Differs = differ.Error()
		case err != nil:
			return web.Errorf(http.StatusInternalServerError, "%v", err)
		}
	}
	return s.show(c, view{"Evaluations", "evaluations", p})
}
