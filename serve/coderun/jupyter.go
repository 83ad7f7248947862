package coderun

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox"
)

// A notebookRequest is the body of /run_jupyter. Times are seconds.
type notebookRequest struct {
	Cells        []string           `json:"cells"`
	CellTimeout  float64            `json:"cell_timeout"`  // 0: as long as all have
	TotalTimeout *float64           `json:"total_timeout"` // 45
	Kernel       string             `json:"kernel"`
	Files        map[string]*string `json:"files"` // base64
	FetchFiles   []string           `json:"fetch_files"`
}

// A notebookAnswer is the answer of /run_jupyter.
type notebookAnswer struct {
	Status  string            `json:"status"`
	Message string            `json:"message"`
	Driver  *outcome          `json:"driver"`
	Cells   []cell            `json:"cells"` // those that ran
	Pod     *string           `json:"executor_pod_name"`
	Files   map[string]string `json:"files"` // base64
}

// A cell is what a cell did.
type cell struct {
	Stdout  string              `json:"stdout"`
	Stderr  string              `json:"stderr"`
	Display []map[string]string `json:"display"` // the value of its last line, as text/plain
	Error   []cellError         `json:"error"`   // the exception that ended it
}

// A cellError is an exception.
type cellError struct {
	Name  string   `json:"ename"`
	Value string   `json:"evalue"`
	Trace []string `json:"traceback"`
}

// check reads the limits and files of a request.
func (q *notebookRequest) check() (total, each time.Duration, spec sandbox.Spec, err error) {
	invalid := func(format string, args ...any) error {
		return web.Errorf(http.StatusUnprocessableEntity, format, args...)
	}
	if q.Kernel != "" && q.Kernel != "python3" {
		return 0, 0, spec, web.Errorf(http.StatusBadRequest, "kernel: is %.40q, want python3", q.Kernel)
	}
	if q.TotalTimeout == nil {
		usual := 45.0
		q.TotalTimeout = &usual
	}
	if total, err = seconds("total_timeout", q.TotalTimeout); err != nil {
		return 0, 0, spec, err
	}
	each = total
	if q.CellTimeout != 0 {
		if each, err = seconds("cell_timeout", &q.CellTimeout); err != nil {
			return 0, 0, spec, err
		}
	}
	if q.Cells == nil {
		return 0, 0, spec, invalid("cells: are missing")
	}
	for i, text := range q.Cells {
		if len(text) > sandbox.MaxCell {
			return 0, 0, spec, invalid("cells[%d]: has %d bytes, at most %d are allowed", i, len(text), sandbox.MaxCell)
		}
	}
	spec = sandbox.Spec{Limits: sandbox.Limits{Memory: usualMemory}}
	if spec.Files, err = decoded(q.Files); err != nil {
		return 0, 0, spec, err
	}
	if err := (sandbox.Job{Argv: []string{"cells"}, Files: spec.Files, Fetch: q.FetchFiles, Limits: spec.Limits}).Check(); err != nil {
		return 0, 0, spec, invalid("files: %v", err)
	}
	return total, each, spec, nil
}

// notebook answers /run_jupyter: cells that run in one session, also after one that fails.
func (s *Server) notebook(ctx context.Context, q notebookRequest) (a notebookAnswer, err error) {
	opener, ok := s.Box.(sandbox.Opener)
	if !ok {
		return a, web.Errorf(http.StatusNotImplemented, "this sandbox has no sessions")
	}
	total, each, spec, err := q.check()
	if err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, total+grace, errLate)
	defer cancel()
	select {
	case s.seats <- struct{}{}:
		defer func() { <-s.seats }()
	case <-ctx.Done():
		return a, context.Cause(ctx)
	}
	session, err := opener.Open(ctx, spec)
	if err != nil {
		return a, err
	}
	n := &notebook{session: session, mark: rand.Text(), left: total, each: each}
	a, err = n.run(ctx, q)
	if closed := session.Close(); err == nil {
		err = closed
	}
	return a, err
}

// A notebook is a session that runs the cells of a request.
type notebook struct {
	session sandbox.Session
	mark    string        // stands around values that are displayed
	left    time.Duration // for all cells
	each    time.Duration // for one
	over    bool          // the session has ended
}

// hook writes the value of an expression between marks.
const hook = `(lambda sys, names, text: setattr(sys, "displayhook", lambda value: value is not None and (` +
	`names.__setitem__("_", value), sys.stdout.write(%[1]q + text(value) + %[1]q)) and None))(__import__("sys"), __import__("builtins").__dict__, repr)`

// run runs the cells.
func (n *notebook) run(ctx context.Context, q notebookRequest) (notebookAnswer, error) {
	code := 0
	driver := &outcome{Status: "Finished", Code: &code}
	a := notebookAnswer{Status: "Success", Driver: driver, Cells: []cell{}, Files: map[string]string{}}
	if _, err := n.session.Run(ctx, fmt.Sprintf(hook, n.mark), sandbox.Limits{CPU: grace, Wall: grace}); err != nil {
		return a, err
	}
	for _, text := range q.Cells {
		took := min(n.left, n.each)
		r, err := n.session.Run(ctx, text, sandbox.Limits{CPU: took, Wall: took})
		if err != nil {
			return a, err
		}
		if r.End == sandbox.Refused {
			return a, web.Errorf(http.StatusUnprocessableEntity, "cells[%d]: %s", len(a.Cells), r.Why)
		}
		driver.Time += r.Wall.Seconds()
		n.left -= r.Wall
		n.over = r.Over
		a.Cells = append(a.Cells, n.told(r, took))
		if n.left <= 0 {
			a.Status, driver.Status, driver.Code = "Failed", "TimeLimitExceeded", nil
			return a, nil
		}
		if n.over {
			a.Status, code, driver.Stderr = "Failed", 1, fmt.Sprintf("cell %d ended the interpreter: %s", len(a.Cells), r.End)
			return a, nil
		}
	}
	for _, file := range q.FetchFiles {
		if err := n.fetch(ctx, file, a.Files); err != nil {
			return a, err
		}
	}
	return a, nil
}

// mostFetched bounds a file that is fetched, in bytes of base64.
const mostFetched = 32 << 20

// fetch has the session read a file of its folder into files. One that cannot be read is left out.
func (n *notebook) fetch(ctx context.Context, file string, files map[string]string) error {
	if n.over {
		return nil
	}
	read := fmt.Sprintf(`(__import__("sys").stdout.write(__import__("base64").b64encode(open(%s, "rb").read()).decode()), None)[1]`, strconv.QuoteToASCII(file))
	r, err := n.session.Run(ctx, read, sandbox.Limits{CPU: grace, Wall: grace, Output: mostFetched})
	if err != nil {
		return err
	}
	n.over = r.Over
	if _, err := base64.StdEncoding.DecodeString(string(r.Stdout)); err == nil && r.End == sandbox.Exited && r.Code == 0 {
		files[file] = string(r.Stdout)
	}
	return nil
}

// told is what a cell did within a time.
func (n *notebook) told(r sandbox.Result, within time.Duration) cell {
	c := cell{Display: []map[string]string{}, Error: []cellError{}}
	out := valid(r.Stdout)
	for {
		before, after, shows := strings.Cut(out, n.mark)
		c.Stdout += before
		if !shows {
			break
		}
		value, rest, _ := strings.Cut(after, n.mark)
		c.Display, out = append(c.Display, map[string]string{"text/plain": value}), rest
	}
	c.Stderr = valid(r.Stderr)
	switch {
	case r.End == sandbox.CPULimit, r.End == sandbox.WallLimit:
		c.Error = append(c.Error, cellError{"TimeoutError", fmt.Sprintf("the cell took more than %v", within), []string{}})
	case r.End != sandbox.Exited:
		c.Error = append(c.Error, cellError{"SystemError", "the cell was ended: " + string(r.End), []string{}})
	case r.Code != 0:
		stderr, e := raised(c.Stderr, r.Code)
		c.Stderr, c.Error = stderr, append(c.Error, e)
	}
	return c
}

// raised parts the trace of an exception from what a cell wrote before it. Without a trace the
// cell has asked for an exit.
func raised(text string, code int) (before string, e cellError) {
	at := strings.Index("\n"+text, "\nTraceback (most recent call last):\n")
	if at < 0 {
		at = strings.LastIndex("\n"+text, "\n  File \"<cell ") // a syntax error
	}
	if at < 0 {
		return text, cellError{"SystemExit", strconv.Itoa(code), []string{}}
	}
	e.Trace = strings.Split(strings.TrimSuffix(text[at:], "\n"), "\n")
	last := len(e.Trace) - 1 // where the exception stands, which may have several lines
	for i := last; i > 0 && !strings.HasPrefix(e.Trace[i], " "); i-- {
		last = i
	}
	e.Name, e.Value, _ = strings.Cut(strings.Join(e.Trace[last:], "\n"), ": ")
	e.Name = e.Name[strings.LastIndexByte(e.Name, '.')+1:]
	return text[:at], e
}
