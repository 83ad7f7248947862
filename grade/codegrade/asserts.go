package codegrade

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
)

// Tests that call the program run in a sandbox of their own, with a stand-in for each function of
// the program. The stand-in looks calls up in a book of calls and results. First the tests run with
// an empty book, which lists their calls; then the program makes the calls, in a sandbox without the
// tests; then the tests run with the results. A result can lead to new calls: then the program makes
// all calls anew, for a few rounds. Only plain values go from one sandbox to the other.

// rounds is how often tests may ask for further calls.
const rounds = 10

// A session is the task of driver.py that runs tests.
type session struct {
	Do       string   `json:"do"`
	Source   string   `json:"source"`
	Prelude  string   `json:"prelude"`  // its functions are not the program's to give
	Function string   `json:"function"` // but for this one
	Calls    []string `json:"calls"`
	Results  []string `json:"results"`
	Record   bool     `json:"record"` // the book is empty, and assertions pass
	Nonce    string   `json:"nonce"`  // written after the last statement
	Seed     uint64   `json:"seed"`

	Runner string `json:"runner"` // of unit tests: unittest or pytest; empty: the source is run
	Module string `json:"module"` // by which unit tests import the program
}

// A report is what driver.py says of tests.
type report struct {
	Calls  []string `json:"calls"`  // all that were made
	Open   bool     `json:"open"`   // the book lacked the result of some
	Failed string   `json:"failed"` // by this exception
	Raised bool     `json:"raised"` // it was the program's
	Broken string   `json:"broken"` // why the tests cannot run
	Nonce  string   `json:"nonce"`

	Missing string `json:"missing"` // the tool that the tests need
	units
}

// units counts unit tests. Without the program there are as many as with it.
type units struct {
	Ran     int `json:"ran"` // the skipped ones too
	Skipped int `json:"skipped"`
}

// asserts judges the program by tests that call it.
func (j *judgement) asserts(ctx context.Context, n int) (Outcome, error) {
	s := session{Do: "tests", Source: j.tests.Asserts, Prelude: j.tests.Prelude, Function: j.tests.Function, Calls: []string{}, Results: []string{}, Nonce: rand.Text(), Seed: j.seed}
	if len(j.tests.Cases) > 0 {
		s.Source += "\n" + j.tests.Cases[n].Input
	}
	if j.tests.Kind.isUnit() {
		s.Runner, s.Module = string(j.tests.Kind), cmp.Or(j.tests.Module, "solution")
	}
	var made recording
	var err error
	if !j.tests.Shared || s.Runner != "" {
		if made, err = j.record(ctx, s, n); err != nil {
			return Outcome{}, err
		}
	}
	if j.tests.Shared {
		return j.shared(ctx, s, made.units)
	}
	calls := made.calls
	for range rounds {
		s.Calls = calls
		ran, results, err := j.calls(ctx, calls)
		if err != nil || ran.Reason != "" {
			return ran, err
		}
		s.Results = results
		o, said, err := j.session(ctx, s)
		if err != nil || !said.Open {
			o.CPU, o.Peak = ran.CPU, ran.Peak
			if o.Reason == "" && said.units != made.units {
				o.Reason, o.Error = WrongAnswer, made.differ(said.units)
			}
			return o, err
		}
		calls = said.Calls
	}
	return Outcome{Reason: WrongAnswer, Error: fmt.Sprintf("the tests call the program in more than %d rounds", rounds)}, nil
}

// record lists the calls that tests make if every result agrees with them.
func (j *judgement) record(ctx context.Context, s session, n int) (recording, error) {
	key := sha256.Sum256([]byte(fmt.Sprint(j.seed, n)))
	if made, known := j.grader.recorded.get(key); known {
		return made, nil
	}
	s.Record = true
	o, said, err := j.session(ctx, s)
	made := recording{said.Calls, said.units}
	switch {
	case err != nil:
		return made, err
	case said.Calls == nil || s.Runner != "" && said.Ran == 0:
		return made, fmt.Errorf("%w: without a program they end by %s: %s", ErrTests, o.Reason, o.Error)
	}
	j.grader.recorded.put(key, made)
	return made, nil
}

// A recording is what tests do without the program.
type recording struct {
	calls []string
	units
}

// differ says how tests differ from those of a recording.
func (u units) differ(other units) string {
	return fmt.Sprintf("%s ran and %d of them were skipped, but without the program %d and %d", stats.Count(other.Ran, "test"), other.Skipped, u.Ran, u.Skipped)
}

// maxRecorded bounds the bytes of the calls that a grader remembers.
const maxRecorded = 64 << 20

// recordings are those of all tests.
type recordings struct {
	mu   sync.Mutex
	made map[[32]byte]recording
	size int
}

// get returns the recording of tests.
func (r *recordings) get(key [32]byte) (recording, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	made, known := r.made[key]
	return made, known
}

// put remembers the recording of tests, and forgets all others if they are too many.
func (r *recordings) put(key [32]byte, made recording) {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := 100
	for _, one := range made.calls {
		size += len(one) + 16
	}
	if r.made == nil || r.size+size > maxRecorded {
		r.made, r.size = map[[32]byte]recording{}, 0
	}
	r.made[key] = made
	r.size += size
}

// session runs tests without the program, so that their report is true.
func (j *judgement) session(ctx context.Context, s session) (o Outcome, said report, err error) {
	job, err := j.driver(s)
	if err != nil {
		return o, said, err
	}
	delete(job.Files, j.language.file)
	got, err := j.grader.run(ctx, job)
	if err != nil {
		return o, said, err
	}
	if o = j.outcome(got); o.Reason != "" {
		return o, said, nil
	}
	if err := strictjson.Unmarshal(got.Fetched[resultFile], &said); err != nil {
		return o, said, fmt.Errorf("the report of tests: %w", err)
	}
	switch {
	case said.Missing != "":
		return o, said, fmt.Errorf("%s: %w", shown(said.Missing), sandbox.ErrNoProgram)
	case said.Broken != "":
		return o, said, fmt.Errorf("%w: %s", ErrTests, shown(said.Broken))
	case said.Nonce != s.Nonce:
		o.Reason, o.Error = WrongAnswer, shown(said.Failed)
		if said.Raised {
			o.Reason = RuntimeError
		}
	}
	return o, said, nil
}

// shared runs tests in the process of the program, which can therefore cheat. Of unit tests there
// must be as many as without it.
func (j *judgement) shared(ctx context.Context, s session, want units) (Outcome, error) {
	s.Do = "shared_tests"
	job, err := j.driver(s)
	if err != nil {
		return Outcome{}, err
	}
	got, err := j.grader.run(ctx, job)
	if err != nil {
		return Outcome{}, err
	}
	o := j.outcome(got)
	var said report
	switch {
	case o.Reason != "":
	case strictjson.Unmarshal(got.Fetched[resultFile], &said) != nil || said.Nonce != s.Nonce:
		o.Reason, o.Error = RuntimeError, "the tests did not come to their end"
	case said.units != want:
		o.Reason, o.Error = WrongAnswer, want.differ(said.units)
	}
	if o.Reason == RuntimeError && strings.HasPrefix(lastLine(got.Stderr), "AssertionError") {
		o.Reason = WrongAnswer
	}
	return o, nil
}

// calls has the program make calls. A call that raises an exception has it as its result.
func (j *judgement) calls(ctx context.Context, calls []string) (Outcome, []string, error) {
	job, err := j.driver(map[string]any{"do": "many_calls", "calls": calls})
	if err != nil {
		return Outcome{}, nil, err
	}
	got, err := j.grader.run(ctx, job)
	if err != nil {
		return Outcome{}, nil, err
	}
	o := j.outcome(got)
	if o.Reason != "" {
		return o, nil, nil
	}
	var results []string
	if strictjson.Unmarshal(got.Fetched[resultFile], &results) != nil || len(results) != len(calls) {
		o.Reason, o.Error = RuntimeError, "the program ended before its functions returned"
	}
	return o, results, nil
}

// driver is a job of driver.py beside the program.
func (j *judgement) driver(task any) (sandbox.Job, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return sandbox.Job{}, err
	}
	job := j.job(pythonArgv(driverFile), string(text))
	job.Files[driverFile] = driver
	job.Fetch = []string{resultFile}
	return job, nil
}
