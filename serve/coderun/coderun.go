// Package coderun runs and judges programs over HTTP: the routes of SandboxFusion that verl, its own
// client and others call, and POST /v1/code/grade of our own.
//
// The forms are those of SandboxFusion (ByteDance, Apache-2.0); the code is our own. Its clients
// take any status but 504 for a failed test. So a machine that cannot run a program in time
// answers 504, which they repeat, and never that the program has failed.
package coderun

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

// maxBody limits the bytes of a request.
const maxBody = 64 << 20

// A Server runs programs. It opens the sandbox with the first request; many goroutines may use
// it.
type Server struct {
	Box      sandbox.Sandbox // nil: that of Settings
	Settings backend.Settings
	Sets     map[string]*problems.Set // data sets, by name, beside write_program

	once   sync.Once
	grader *codegrade.Grader
	seats  chan struct{} // full: as many sessions run cells as may
	own    backend.Box   // nil: none
	err    error
}

// Routes returns the routes.
func (s *Server) Routes() []web.Route {
	plain := func() error { return nil }
	routes := []web.Route{
		{Method: "POST", Path: "/run_code", Serve: handle(s.open, s.run)},
		{Method: "POST", Path: "/run_jupyter", Serve: handle(s.open, s.notebook)},
		{Method: "POST", Path: "/submit", Serve: handle(s.open, s.submit)},
		{Method: "POST", Path: "/get_prompts", Serve: handle(plain, s.prompts)},
		{Method: "POST", Path: "/get_prompt_by_id", Serve: handle(plain, s.prompt)},
		{Method: "POST", Path: "/list_ids", Serve: handle(plain, s.ids)},
		{Method: "GET", Path: "/list_datasets", Serve: s.list},
		{Method: "POST", Path: "/get_metrics", Serve: handle(plain, metrics)},
		{Method: "POST", Path: "/get_metrics_function", Serve: handle(plain, metricsFunction)},
		{Method: "POST", Path: "/v1/code/grade", Serve: handle(s.open, s.grade)},
		{Method: "GET", Path: "/v1/ping", Serve: func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(`"pong"`)) }},
	}
	for i := range routes {
		routes[i].For = web.AnyKey
	}
	return routes
}

// open opens the sandbox.
func (s *Server) open() error {
	s.once.Do(func() {
		if s.Box == nil {
			s.Settings.Python = codegrade.Python()
			if s.own, s.err = backend.Open(context.Background(), s.Settings); s.err != nil {
				return
			}
			s.Box = s.own
		}
		strength, err := s.Box.Probe(context.Background())
		if err == nil {
			err = strength.Err()
		}
		s.grader, s.seats, s.err = &codegrade.Grader{Sandbox: s.Box}, make(chan struct{}, runtime.NumCPU()), err
	})
	return s.err
}

// Close closes the sandbox that a request opened. No request may be under way, and none may come.
func (s *Server) Close() error {
	s.once.Do(func() { s.err = errors.New("the server is closed") })
	if s.own == nil {
		return nil
	}
	return s.own.Close()
}

// handle reads a request, has do answer it after prepare, and writes the answer.
func handle[Q, A any](prepare func() error, do func(ctx context.Context, q Q) (A, error)) func(c *web.Call) error {
	return func(c *web.Call) error {
		c.MaxBody, c.Waits = maxBody, true
		q, err := web.ReadBody(c, func(body []byte) (q Q, err error) {
			if err := strictjson.Unmarshal(body, &q); err != nil {
				return q, web.Errorf(http.StatusUnprocessableEntity, "%v", err)
			}
			return q, nil
		})
		if err != nil {
			return err
		}
		if err := prepare(); err != nil {
			return web.Errorf(http.StatusServiceUnavailable, "%v", err)
		}
		got, err := do(c.Context(), q)
		if err != nil {
			return refusal(err)
		}
		text, err := json.Marshal(got)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, text)
	}
}

// refusal gives an error its status.
func refusal(err error) error {
	_, ok := errors.AsType[*web.Error](err)
	switch {
	case ok:
		return err
	case errors.Is(err, codegrade.ErrMachine), errors.Is(err, sandbox.ErrBusy), errors.Is(err, errLate):
		return web.Errorf(http.StatusGatewayTimeout, "%v", err)
	case errors.Is(err, codegrade.ErrLanguage):
		return web.Errorf(http.StatusBadRequest, "language: %v", err)
	case errors.Is(err, codegrade.ErrTests), errors.Is(err, codegrade.ErrProgram):
		return web.Errorf(http.StatusUnprocessableEntity, "%v", err)
	}
	return web.Errorf(http.StatusServiceUnavailable, "%v", err)
}

// A runRequest is the body of /run_code. Times are seconds.
type runRequest struct {
	Code           *string            `json:"code"`
	Language       string             `json:"language"`
	Stdin          *string            `json:"stdin"`
	CompileTimeout *float64           `json:"compile_timeout"` // 10
	RunTimeout     *float64           `json:"run_timeout"`     // 10
	MemoryMB       *float64           `json:"memory_limit_MB"` // below 0: the most
	Files          map[string]*string `json:"files"`           // base64; null: left out
	FetchFiles     []string           `json:"fetch_files"`
}

// A runAnswer is the answer of /run_code.
type runAnswer struct {
	Status        string            `json:"status"` // Success, Failed
	Message       string            `json:"message"`
	CompileResult *outcome          `json:"compile_result"`
	RunResult     *outcome          `json:"run_result"`
	Pod           *string           `json:"executor_pod_name"`
	Files         map[string]string `json:"files"` // base64
}

// An outcome is that of a compiler or a program.
type outcome struct {
	Status string  `json:"status"` // Finished, Error, TimeLimitExceeded
	Time   float64 `json:"execution_time"`
	Code   *int    `json:"return_code"`
	Stdout string  `json:"stdout"`
	Stderr string  `json:"stderr"`
}

// What bounds a program.
const (
	mostSeconds = 600
	mostMemory  = 4 << 30 // bytes
	grace       = 8 * time.Second
)

// errLate says that a program had no turn in the time that its client waits.
var errLate = errors.New("the machine has too much to do: the program had no turn in time")

// seconds reads a time limit.
func seconds(name string, given *float64) (time.Duration, error) {
	if given == nil {
		return 10 * time.Second, nil
	}
	if !(*given > 0 && *given <= mostSeconds) {
		return 0, web.Errorf(http.StatusUnprocessableEntity, "%s: is %v, want more than 0 and at most %d seconds", name, *given, mostSeconds)
	}
	return time.Duration(*given * float64(time.Second)), nil
}

// program reads a request.
func (q *runRequest) program() (p codegrade.Program, within time.Duration, err error) {
	if q.Code == nil {
		return p, 0, web.Errorf(http.StatusUnprocessableEntity, "code: is missing")
	}
	compile, err := seconds("compile_timeout", q.CompileTimeout)
	if err != nil {
		return p, 0, err
	}
	run, err := seconds("run_timeout", q.RunTimeout)
	if err != nil {
		return p, 0, err
	}
	memory := int64(mostMemory)
	if q.MemoryMB != nil && *q.MemoryMB >= 0 {
		memory = int64(math.Min(max(1, *q.MemoryMB)*(1<<20), mostMemory))
	}
	p = codegrade.Program{
		Language: q.Language, Code: *q.Code, Fetch: q.FetchFiles,
		Compile: sandbox.Limits{CPU: compile, Wall: compile, Memory: mostMemory},
		Run:     sandbox.Limits{CPU: run, Wall: run, Memory: memory},
	}
	if q.Stdin != nil {
		p.Stdin = []byte(*q.Stdin)
	}
	p.Files, err = decoded(q.Files)
	return p, compile + run + grace, err
}

// decoded reads files in base64; null: none.
func decoded(texts map[string]*string) (files map[string][]byte, err error) {
	files = map[string][]byte{}
	for name, text := range texts {
		if text == nil {
			continue
		}
		if files[name], err = base64.StdEncoding.DecodeString(*text); err != nil {
			return nil, web.Errorf(http.StatusUnprocessableEntity, "files: %.100q: %v", name, err)
		}
	}
	return files, nil
}

// run answers /run_code.
func (s *Server) run(ctx context.Context, q runRequest) (runAnswer, error) {
	p, within, err := q.program()
	if err != nil {
		return runAnswer{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, errLate)
	defer cancel()
	compiled, ran, err := s.runInTime(ctx, p)
	if err != nil {
		return runAnswer{}, err
	}
	a := runAnswer{Status: "Failed", CompileResult: of(compiled), RunResult: of(ran), Files: map[string]string{}}
	if ran != nil {
		for name, data := range ran.Fetched {
			a.Files[name] = base64.StdEncoding.EncodeToString(data)
		}
		if ran.End == sandbox.Exited && ran.Code == 0 {
			a.Status = "Success"
		}
	}
	return a, nil
}

// runInTime runs a program. One that others left too little of the processor runs again for as long as
// its client waits, so that its time on the processor decides: a client gives up after three answers
// of 504, and counts a failed test.
func (s *Server) runInTime(ctx context.Context, p codegrade.Program) (compiled, ran *sandbox.Result, err error) {
	compiled, ran, err = s.runOnce(ctx, p)
	deadline, _ := ctx.Deadline()
	if left := time.Until(deadline) - time.Second; errors.Is(err, codegrade.ErrMachine) && left > max(p.Compile.Wall, p.Run.Wall) {
		p.Compile.Wall, p.Run.Wall = left, left
		return s.runOnce(ctx, p)
	}
	return compiled, ran, err
}

// runOnce runs a program. A compiler that reaches its time on the wall before that on the processor
// was starved: it waits for nothing.
func (s *Server) runOnce(ctx context.Context, p codegrade.Program) (compiled, ran *sandbox.Result, err error) {
	compiled, ran, err = s.grader.Run(ctx, p)
	if err == nil && ran == nil && compiled.End == sandbox.WallLimit {
		err = codegrade.ErrMachine
	}
	return compiled, ran, err
}

// of is the outcome of a job; nil: none.
func of(r *sandbox.Result) *outcome {
	if r == nil {
		return nil
	}
	o := &outcome{Status: "Finished", Time: r.Wall.Seconds(), Stdout: valid(r.Stdout), Stderr: valid(r.Stderr)}
	code := r.Code
	switch r.End {
	case sandbox.Exited:
	case sandbox.CPULimit, sandbox.WallLimit:
		o.Status = "TimeLimitExceeded"
		return o
	case sandbox.Signalled:
		code = -r.Code
	default:
		code = -9
		o.Stderr = strings.TrimPrefix(o.Stderr+"\n"+string(r.End), "\n")
	}
	o.Code = &code
	return o
}

// valid is text, with a replacement for each byte that is none.
func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\ufffd") }
