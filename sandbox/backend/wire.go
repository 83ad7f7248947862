package backend

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// The routes. Below PathSessions are the sessions, by ID, with POST for a cell and DELETE.
const (
	PathStrength = "/v1/sandbox"          // GET: a Strength
	PathRun      = "/v1/sandbox/run"      // POST: a Job; the reply is an Answer
	PathSessions = "/v1/sandbox/sessions" // POST: a Spec; the reply is an Answer
)

// A Strength is what holds on a machine.
type Strength struct {
	Backend string          `json:"backend"`
	Layers  []sandbox.Layer `json:"layers"`
	Lacks   []string        `json:"lacks"`
}

// OfStrength gives a strength its form.
func OfStrength(s sandbox.Strength) Strength {
	return Strength{Backend: s.Backend, Layers: s.Layers, Lacks: append([]string{}, s.Lacks...)}
}

// Strength is what the form says. It fails if the form names no back end.
func (s Strength) Strength() (sandbox.Strength, error) {
	if s.Backend == "" {
		return sandbox.Strength{}, errors.New("backend: is missing")
	}
	return sandbox.Strength{Backend: s.Backend, Layers: s.Layers, Lacks: s.Lacks}, nil
}

// A File is a file of a job or a result.
type File struct {
	Name []byte `json:"name"`
	Data []byte `json:"data"`
}

// ofFiles gives files their form.
func ofFiles(files map[string][]byte) (form []File) {
	for name, data := range files {
		form = append(form, File{[]byte(name), data})
	}
	return form
}

// filesOf reads files.
func filesOf(form []File) map[string][]byte {
	if len(form) == 0 {
		return nil
	}
	files := make(map[string][]byte, len(form))
	for _, f := range form {
		files[string(f.Name)] = f.Data
	}
	return files
}

// ofTexts gives texts of any bytes their form.
func ofTexts(texts []string) (form [][]byte) {
	for _, text := range texts {
		form = append(form, []byte(text))
	}
	return form
}

// textsOf reads texts.
func textsOf(form [][]byte) (texts []string) {
	for _, text := range form {
		texts = append(texts, string(text))
	}
	return texts
}

// A Job is a job.
type Job struct {
	Argv   [][]byte       `json:"argv"`
	Files  []File         `json:"files,omitempty"`
	Stdin  []byte         `json:"stdin,omitempty"`
	Fetch  [][]byte       `json:"fetch,omitempty"`
	Limits sandbox.Limits `json:"limits"`
	Seed   uint64         `json:"seed"`
}

// OfJob gives a job its form.
func OfJob(j sandbox.Job) Job {
	return Job{Argv: ofTexts(j.Argv), Files: ofFiles(j.Files), Stdin: j.Stdin, Fetch: ofTexts(j.Fetch), Limits: j.Limits, Seed: j.Seed}
}

// Job is the job of the form, which nobody has checked.
func (j Job) Job() sandbox.Job {
	return sandbox.Job{Argv: textsOf(j.Argv), Files: filesOf(j.Files), Stdin: j.Stdin, Fetch: textsOf(j.Fetch), Limits: j.Limits, Seed: j.Seed}
}

// A Spec is what a session begins with.
type Spec struct {
	Files  []File         `json:"files,omitempty"`
	Limits sandbox.Limits `json:"limits"`
}

// OfSpec gives a spec its form.
func OfSpec(s sandbox.Spec) Spec { return Spec{ofFiles(s.Files), s.Limits} }

// Spec is the spec of the form, which nobody has checked.
func (s Spec) Spec() sandbox.Spec { return sandbox.Spec{Files: filesOf(s.Files), Limits: s.Limits} }

// A Cell is a cell of a session.
type Cell struct {
	Code   []byte         `json:"code"`
	Limits sandbox.Limits `json:"limits"`
}

// A Fault is a fault that another try on the same machine would meet again.
type FaultCode string

// All faults.
const (
	NoProgram FaultCode = "no_program" // [sandbox.ErrNoProgram]
	Weak      FaultCode = "weak"       // [sandbox.ErrWeak]
	Over      FaultCode = "over"       // [sandbox.ErrOver]
	Invalid   FaultCode = "invalid"    // the caller's fault
)

// faults are the errors that have a form.
func faults() map[FaultCode]error {
	return map[FaultCode]error{NoProgram: sandbox.ErrNoProgram, Weak: sandbox.ErrWeak, Over: sandbox.ErrOver, Invalid: nil}
}

// An Answer is what comes of a request: a result, an ID of a session, or a fault. Faults of the
// machine that may pass are statuses of HTTP.
type Answer struct {
	Result *Result   `json:"result,omitempty"`
	ID     string    `json:"id,omitempty"` // of a session
	Fault  FaultCode `json:"fault,omitempty"`
	Detail string    `json:"detail,omitempty"` // of Fault
}

// OfError gives an error its form, if it has one.
func OfError(err error) (a Answer, has bool) {
	for fault, is := range faults() {
		if is != nil && errors.Is(err, is) {
			return Answer{Fault: fault, Detail: err.Error()}, true
		}
	}
	return a, false
}

// Err is the fault of an answer; nil: none.
func (a Answer) Err() error {
	if a.Fault == "" {
		return nil
	}
	detail := fmt.Errorf("%.1000s", a.Detail)
	if is := faults()[a.Fault]; is != nil {
		return fault{detail, is}
	}
	return detail
}

// A fault is an error of another machine that stands for one of ours.
type fault struct {
	error
	is error
}

// Unwrap returns ours.
func (f fault) Unwrap() error { return f.is }

// A Result is what a job did. Times are nanoseconds.
type Result struct {
	End     sandbox.End   `json:"end"`
	Code    int           `json:"code"`
	Why     string        `json:"why,omitempty"`
	Over    bool          `json:"over,omitempty"`
	Stdout  []byte        `json:"stdout,omitempty"`
	Stderr  []byte        `json:"stderr,omitempty"`
	CPU     time.Duration `json:"cpu"` // -1: unknown
	Wall    time.Duration `json:"wall"`
	Idle    time.Duration `json:"idle,omitempty"` // 0: unknown, or none
	Peak    int64         `json:"peak"`
	Fetched []File        `json:"fetched,omitempty"`
}

// OfResult gives a result its form.
func OfResult(r sandbox.Result) *Result {
	return &Result{r.End, r.Code, r.Why, r.Over, r.Stdout, r.Stderr, r.CPU, r.Wall, r.Idle, r.Peak, ofFiles(r.Fetched)}
}

// Read returns the result. It fails if the answer is a fault, or holds no result that a sandbox gives.
func (a Answer) Read() (sandbox.Result, error) {
	if err := a.Err(); err != nil {
		return sandbox.Result{}, err
	}
	r := a.Result
	if r == nil {
		return sandbox.Result{}, errors.New("result: is missing")
	}
	if !slices.Contains(sandbox.Ends(), r.End) {
		return sandbox.Result{}, fmt.Errorf("result: the end is %.100q", r.End)
	}
	return sandbox.Result{
		End: r.End, Code: r.Code, Why: r.Why, Over: r.Over, Stdout: r.Stdout, Stderr: r.Stderr,
		CPU: r.CPU, Wall: r.Wall, Idle: r.Idle, Peak: r.Peak, Fetched: filesOf(r.Fetched),
	}, nil
}
