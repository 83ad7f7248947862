package codegrade

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// caller is the program that calls functions of the program under test.
//
//go:embed calls.py
var caller []byte

// Names of files of jobs.
const (
	callerFile = "quintain_calls.py"
	resultFile = "quintain_result.json"
)

// call judges a call of the function. The expected result stays here: whatever the program does to
// the caller, it can only return one value or another.
func (j *judgement) call(ctx context.Context, c Case) (Outcome, error) {
	name := jsonform.AppendText(nil, j.tests.Function)
	job := j.job(pythonArgv(callerFile), fmt.Sprintf(`{"name":%s,"args":%s}`, name, c.Input))
	job.Files[callerFile] = caller
	job.Fetch = []string{resultFile}
	got, err := j.grader.run(ctx, job)
	if err != nil {
		return Outcome{}, err
	}
	o := j.outcome(got)
	if o.Reason != "" {
		return o, nil
	}
	result, returned := got.Fetched[resultFile]
	if !returned {
		o.Reason, o.Error = RuntimeError, "the program ended before the function returned"
		return o, nil
	}
	o.Output = shown(string(result))
	want, err := decode([]byte(c.Output))
	if err != nil {
		return o, err // Check lets no such tests through
	}
	if value, why := resultOf(result); why != nil {
		o.Reason, o.Error = WrongAnswer, why.Error()
	} else if !equal(want, value) {
		o.Reason = WrongAnswer
	}
	return o, nil
}

// resultOf reads the value that a function returned.
func resultOf(text []byte) (any, error) {
	packed, err := decode(text)
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}
