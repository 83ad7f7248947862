package coderun

import (
	"context"
	"net/http"

	"github.com/quintain-rl/quintain/codegrade"
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
		if q.Dataset == "" {
			q.Dataset = codetask.TaskName
		}
		p, err := s.find(q.Dataset, q.Problem.text)
		if err != nil {
			return codegrade.Verdict{}, err
		}
		q.Tests = &p.Tests
	}
	code := q.Code
	if code == nil {
		found, _ := codegrade.Extract(*q.Reply, q.Tests.Language)
		code = &found
	}
	return s.grader.Grade(ctx, *q.Tests, *code)
}
