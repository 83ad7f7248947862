package coderun

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/task/answer"
)

// A submission is the body of /submit.
type submission struct {
	Dataset    string  `json:"dataset"`
	ID         name    `json:"id"`
	Completion *string `json:"completion"`
	Config     config  `json:"config"`
}

// A judged is the answer of /submit.
type judged struct {
	ID       name         `json:"id"`
	Accepted bool         `json:"accepted"`
	Code     string       `json:"extracted_code"`
	Tests    []judgedCase `json:"tests"` // those that ran
}

// A judgedCase is what one test says.
type judgedCase struct {
	Passed bool      `json:"passed"`
	Exec   runAnswer `json:"exec_info"`
	Test   *testInfo `json:"test_info"` // null: it is hidden, or has no input of its own
}

// A testInfo is a test of standard input and output, or of a call.
type testInfo struct {
	Input  map[string]string `json:"input"`
	Output map[string]string `json:"output"`
}

// submit answers /submit. Of the tests of a data set of the server only public ones are told.
func (s *Server) submit(ctx context.Context, q submission) (judged, error) {
	if q.ID.RawMessage == nil {
		return judged{}, web.Errorf(http.StatusUnprocessableEntity, "id: is missing")
	}
	if q.Completion == nil {
		return judged{}, web.Errorf(http.StatusUnprocessableEntity, "completion: is missing")
	}
	if logic := q.Config.ExtractLogic; logic != nil && *logic != "" {
		return judged{}, web.Errorf(http.StatusUnprocessableEntity, "config.custom_extract_logic: is not supported: send the program in a block of code")
	}
	p, err := s.problem(q.Dataset, q.ID.text, &q.Config)
	if err != nil {
		return judged{}, err
	}
	if err := q.Config.apply(&p); err != nil {
		return judged{}, err
	}
	code := q.code(&p)
	ctx, cancel := context.WithTimeoutCause(ctx, mostSeconds*time.Second, errLate)
	defer cancel()
	v, err := s.grader.Grade(ctx, p.Tests, code)
	if err != nil {
		return judged{}, err
	}
	a := judged{ID: q.ID, Accepted: v.Passed == v.Total, Code: code, Tests: make([]judgedCase, len(v.Outcomes))}
	for i, o := range v.Outcomes {
		a.Tests[i] = caseOf(p.Tests, o)
	}
	return a, nil
}

// What bounds a program where neither the request nor the row says.
const (
	compiledTime    = 10 * time.Second
	interpretedTime = 20 * time.Second
	usualMemory     = 1 << 30 // bytes
)

// apply sets in the tests of a problem what a request says.
func (c *config) apply(p *problems.Problem) error {
	t := &p.Tests
	if c.Language != "" {
		language, err := codegrade.LanguageName(c.Language)
		if err != nil {
			return err
		}
		t.Language = language
	}
	t.Scoring = codegrade.All
	if c.Extra.RunAllCases {
		t.Scoring = codegrade.Share
	}
	if _, err := seconds("config.compile_timeout", c.CompileTimeout); err != nil {
		return err
	}
	run, err := seconds("config.run_timeout", c.RunTimeout)
	if err != nil {
		return err
	}
	if c.RunTimeout != nil {
		t.Limits.CPU = run
	}
	if c.given() == "" {
		return nil
	}
	t.Cases = slices.Clone(t.Cases)
	for i := range t.Cases { // the client knows them
		t.Cases[i].Public = true
	}
	if t.Limits.Memory == 0 {
		t.Limits.Memory = usualMemory
	}
	if t.Limits.CPU == 0 {
		t.Limits.CPU = interpretedTime
		if t.Language == "c" || t.Language == "cpp" {
			t.Limits.CPU = compiledTime
		}
	}
	return nil
}

// code returns the program in a completion. One without a block is the program itself or, of
// HumanEval, goes on with the code of the prompt, up to its first line that is not indented.
func (q *submission) code(p *problems.Problem) string {
	if code, found := codegrade.Extract(*q.Completion, p.Tests.Language); found {
		return code
	}
	text := answer.WithoutThinking(*q.Completion)
	if p.Form != "HumanEval" || q.Config.Extra.Freeform {
		return text
	}
	for at, r := range text {
		if at > 0 && text[at-1] == '\n' && !unicode.IsSpace(r) {
			text = text[:at]
			break
		}
	}
	return p.Starter + "\n" + text
}

// caseOf tells the outcome of a test.
func caseOf(t codegrade.Tests, o codegrade.Outcome) judgedCase {
	one := judgedCase{Passed: o.Reason == "", Exec: executed(t, o)}
	if len(t.Cases) == 0 {
		return one
	}
	c := t.Cases[o.Case]
	if !c.Public {
		one.Exec.hide()
		return one
	}
	one.Test = &testInfo{Input: map[string]string{"stdin": cut(c.Input)}, Output: map[string]string{"stdout": cut(c.Output)}}
	return one
}

// mostShown bounds the texts of a test in an answer, in bytes.
const mostShown = 2000

// cut returns the beginning of a text.
func cut(text string) string { return strings.ToValidUTF8(text[:min(len(text), mostShown)], "\ufffd") }

// executed tells an outcome as if its program had been run by /run_code.
func executed(t codegrade.Tests, o codegrade.Outcome) runAnswer {
	code := 0
	ran := &outcome{Status: "Finished", Time: o.CPU, Code: &code, Stdout: o.Output, Stderr: o.Error}
	a := runAnswer{Status: "Success", RunResult: ran, Files: map[string]string{}}
	switch {
	case o.Reason == "", o.Reason == codegrade.NoCode, o.Reason == codegrade.WrongAnswer && t.Kind != codegrade.Asserts:
		return a
	case o.Reason == codegrade.TimeLimit:
		ran.Status, ran.Code = "TimeLimitExceeded", nil
	case o.Reason == codegrade.MemoryLimit, o.Reason == codegrade.OutputLimit:
		code = -9
		ran.Stderr = strings.TrimPrefix(ran.Stderr+"\n"+string(o.Reason), "\n")
	case o.Reason == codegrade.CompileError && t.Language != "python":
		code, a.CompileResult, a.RunResult = 1, ran, nil
	default:
		code = 1
	}
	a.Status = "Failed"
	return a
}

// hide leaves out what a program wrote, which may be its input.
func (a *runAnswer) hide() {
	if a.RunResult != nil {
		a.RunResult.Stdout, a.RunResult.Stderr = "", ""
	}
}
