package coderun

import (
	"cmp"
	"context"
	"net/http"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/tasks/codetask"
)

// A gradeRequest is the body of /v1/code/grade: tests, or a problem of a data set that has some,
// and a reply with a program or the program itself.
type gradeRequest struct {
	Tests   *codegrade.Tests `json:"tests"`
	Dataset string           `json:"dataset"` // empty: write_program
	Problem *name            `json:"problem"` // its ID
	Reply   *string          `json:"reply"`
	Code    *string          `json:"code"`
}

// grade answers /v1/code/grade. A reply without a program has the reason no_code.
func (s *Server) grade(ctx context.Context, q gradeRequest) (codegrade.Verdict, error) {
	if (q.Reply == nil) == (q.Code == nil) {
		return codegrade.Verdict{}, web.Errorf(http.StatusUnprocessableEntity, "want either reply or code")
	}
	if (q.Tests == nil) == (q.Problem == nil) {
		return codegrade.Verdict{}, web.Errorf(http.StatusUnprocessableEntity, "want either tests or problem")
	}
	if q.Problem != nil {
		return s.gradeOurs(ctx, q)
	}
	return s.grader.Grade(ctx, *q.Tests, q.program(q.Tests.Language))
}

// gradeOurs judges a program by the tests of a data set. What it wrote in a hidden test, which may be
// its input, is left out.
func (s *Server) gradeOurs(ctx context.Context, q gradeRequest) (codegrade.Verdict, error) {
	p, err := s.find(cmp.Or(q.Dataset, codetask.TaskName), q.Problem.text)
	if err != nil {
		return codegrade.Verdict{}, err
	}
	v, err := s.grader.Grade(ctx, p.Tests, q.program(p.Tests.Language))
	for i, o := range v.Outcomes {
		if len(p.Tests.Cases) > 0 && !p.Tests.Cases[o.Case].Public {
			v.Outcomes[i].Error = ""
		}
	}
	return v, err
}

// program returns the program of a request; empty: the reply has none.
func (q *gradeRequest) program(language string) string {
	if q.Code != nil {
		return *q.Code
	}
	found, _ := codegrade.Extract(*q.Reply, language)
	return found
}
