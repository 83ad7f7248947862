package codegrade

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/jsonform"
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
}

// A report is what driver.py says of tests.
type report struct {
	Calls  []string `json:"calls"`  // all that were made
	Open   bool     `json:"open"`   // the book lacked the result of some
	Failed string   `json:"failed"` // by this exception
	Raised bool     `json:"raised"` // it was the program's
	Broken string   `json:"broken"` // why the tests cannot run
	Nonce  string   `json:"nonce"`
}

// asserts judges the program by tests that call it.
func (j *judgement) asserts(ctx context.Context, n int) (Outcome, error) {
	s := session{Do: "tests", Source: j.tests.Asserts, Prelude: j.tests.Prelude, Function: j.tests.Function, Calls: []string{}, Results: []string{}, Nonce: rand.Text(), Seed: j.seed}
	if len(j.tests.Cases) > 0 {
		s.Source += "\n" + j.tests.Cases[n].Input
	}
	if j.tests.Shared {
		return j.shared(ctx, s)
	}
	calls, err := j.record(ctx, s, n)
	if err != nil {
		return Outcome{}, err
	}
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
			return o, err
		}
		calls = said.Calls
	}
	return Outcome{Reason: WrongAnswer, Error: fmt.Sprintf("the tests call the program in more than %d rounds", rounds)}, nil
}

// record lists the calls that tests make if every result agrees with them.
func (j *judgement) record(ctx context.Context, s session, n int) ([]string, error) {
	key := sha256.Sum256([]byte(fmt.Sprint(j.seed, n)))
	if calls, known := j.grader.recorded.get(key); known {
		return calls, nil
	}
	s.Record = true
	o, said, err := j.session(ctx, s)
	if err != nil {
		return nil, err
	}
	if said.Calls == nil {
		return nil, fmt.Errorf("%w: without a program they end by %s: %s", ErrTests, o.Reason, o.Error)
	}
	j.grader.recorded.put(key, said.Calls)
	return said.Calls, nil
}

// maxRecorded bounds the bytes of the calls that a grader remembers.
const maxRecorded = 64 << 20

// recordings are the calls of tests.
type recordings struct {
	mu    sync.Mutex
	calls map[[32]byte][]string
	size  int
}

// get returns the calls of tests.
func (r *recordings) get(key [32]byte) ([]string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls, known := r.calls[key]
	return calls, known
}

// put remembers the calls of tests, and forgets all others if they are too many.
func (r *recordings) put(key [32]byte, calls []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := 100
	for _, one := range calls {
		size += len(one) + 16
	}
	if r.calls == nil || r.size+size > maxRecorded {
		r.calls, r.size = map[[32]byte][]string{}, 0
	}
	r.calls[key] = calls
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
	if err := jsonform.Unmarshal(got.Fetched[resultFile], &said); err != nil {
		return o, said, fmt.Errorf("the report of tests: %w", err)
	}
	switch {
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

// shared runs tests in the process of the program, which can therefore cheat.
func (j *judgement) shared(ctx context.Context, s session) (Outcome, error) {
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
	if o.Reason == "" && (jsonform.Unmarshal(got.Fetched[resultFile], &said) != nil || said.Nonce != s.Nonce) {
		o.Reason, o.Error = RuntimeError, "the tests did not come to their end"
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
	if jsonform.Unmarshal(got.Fetched[resultFile], &results) != nil || len(results) != len(calls) {
		o.Reason, o.Error = RuntimeError, "the program ended before its functions returned"
	}
	return o, results, nil
}

// driver is a job of driver.py beside the program.
func (j *judgement) driver(task any) (sandbox.Job, error) {
	text, err := jsonform.Marshal(task)
	if err != nil {
		return sandbox.Job{}, err
	}
	job := j.job(pythonArgv(driverFile), string(text))
	job.Files[driverFile] = driver
	job.Fetch = []string{resultFile}
	return job, nil
}
