package codegrade

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// driver is the program that calls functions, and that runs tests.
//
//go:embed driver.py
var driver []byte

// Names of files of jobs.
const (
	driverFile = "quintain_driver.py"
	resultFile = "quintain_result.json"
)

// call judges a call of the function. The expected result stays here: whatever the program does to
// the driver, it can only return one value or another.
func (j *judgement) call(ctx context.Context, c Case) (Outcome, error) {
	job, err := j.driver(map[string]any{"do": "one_call", "name": j.tests.Function, "prelude": j.tests.Prelude, "args": json.RawMessage(c.Input)})
	if err != nil {
		return Outcome{}, err
	}
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
	want, err := decode([]byte(c.Output))
	if err != nil {
		return o, err // Check lets no such tests through
	}
	value, fault := resultOf(result)
	if fault != nil || !equal(want, value) {
		o.Reason = WrongAnswer
	}
	if fault != nil {
		o.Error = fault.Error()
	} else if text, err := strictjson.Legible(value); err == nil { // infinity has no form
		o.Output = shown(string(text))
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
