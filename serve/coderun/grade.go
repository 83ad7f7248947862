package coderun

import (
	"context"
	"net/http"

	"github.com/quintain-rl/quintain/codegrade"
	"github.com/quintain-rl/quintain/internal/web"
)

// A gradeRequest is the body of /v1/code/grade: tests, and a reply with a program or the program
// itself.
type gradeRequest struct {
	Tests codegrade.Tests `json:"tests"`
	Reply *string         `json:"reply"`
	Code  *string         `json:"code"`
}

// grade answers /v1/code/grade. A reply without a program has the reason no_code.
func (s *Server) grade(ctx context.Context, q gradeRequest) (codegrade.Verdict, error) {
	if (q.Reply == nil) == (q.Code == nil) {
		return codegrade.Verdict{}, web.Errorf(http.StatusUnprocessableEntity, "want either reply or code")
	}
	code := q.Code
	if code == nil {
		found, _ := codegrade.Extract(*q.Reply, q.Tests.Language)
		code = &found
	}
	return s.grader.Grade(ctx, q.Tests, *code)
}
