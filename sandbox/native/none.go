package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/sandbox"
)

// Name is the name of the back end.
const NameUnconfined = sandbox.Unconfined

// A Box runs programs without a sandbox.
type Unconfined struct{ dir string }

var _ sandbox.Sandbox = (*Unconfined)(nil)

// New makes the folder of jobs. The caller must Close the box.
func NewUnconfined() (*Unconfined, error) {
	dir, err := os.MkdirTemp("", "quintain-unconfined-")
	if err != nil {
		return nil, fmt.Errorf("the folder of jobs: %w", err)
	}
	return &Unconfined{dir}, nil
}

// Close removes the folder of the jobs. No job may be running.
func (b *Unconfined) Close() error { return os.RemoveAll(b.dir) }

// Probe implements [sandbox.Sandbox]. The box promises nothing, so it lacks nothing.
func (*Unconfined) Probe(context.Context) (sandbox.Strength, error) {
	return sandbox.Strength{Backend: NameUnconfined}, nil
}

// Run implements [sandbox.Sandbox].
func (b *Unconfined) Run(ctx context.Context, job sandbox.Job) (result sandbox.Result, err error) {
	if err := job.Limits.Check(); err != nil {
		return result, err
	}
	if err := job.Check(); err != nil {
		return sandbox.Result{End: sandbox.Refused, Why: err.Error()}, nil
	}
	limits := job.Limits.Filled()
	folder, err := newJobDir(b.dir, -1, job.Files)
	if err != nil {
		return result, err
	}
	defer func() {
		if e := folder.Remove(); e != nil {
			result, err = sandbox.Result{}, errors.Join(err, fmt.Errorf("the folder of a job: %w", e))
		}
	}()
	group, err := command.NewGroup(folder.Path)
	if err != nil {
		return result, err
	}
	r := &unconfinedRun{group: group, limits: limits}
	result, err = r.run(ctx, job, folder.Path)
	group.Kill()
	if err == nil && result.End == sandbox.Exited && len(job.Fetch) > 0 {
		result.Fetched = folder.Fetch(job.Fetch, limits.Disk)
	}
	return result, err
}

// An unconfinedRun is a job under way.
type unconfinedRun struct {
	group  *command.Group
	limits sandbox.Limits

	mu   sync.Mutex
	why  sandbox.End // it was ended for; empty: it was not
	over bool        // the number of the group may be another's
}

// end ends the job.
func (r *unconfinedRun) end(why sandbox.End) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == "" && !r.over {
		r.why = why
		r.group.End()
	}
}

// run runs the program to its end.
func (r *unconfinedRun) run(ctx context.Context, job sandbox.Job, dir string) (sandbox.Result, error) {
	c := exec.CommandContext(context.WithoutCancel(ctx), job.Argv[0], job.Argv[1:]...) // the group ends it
	stdout, stderr := &unconfinedCapped{r: r}, &unconfinedCapped{r: r}
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = dir, job.Environ(dir, "PATH="+os.Getenv("PATH"), "SYSTEMROOT="+os.Getenv("SYSTEMROOT")), bytes.NewReader(job.Stdin), stdout, stderr
	c.WaitDelay = time.Second // for the outputs of processes that it left
	r.group.Add(c)
	began := time.Now()
	if err := c.Start(); err != nil {
		return unstarted(job.Argv[0], err)
	}
	limit(c.Process.Pid, r.limits)
	late := time.AfterFunc(r.limits.Wall, func() { r.end(sandbox.WallLimit) })
	defer late.Stop()
	stop := context.AfterFunc(ctx, func() { r.end(cancelled) })
	defer stop()
	_ = c.Wait() // its state tells more
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over = true; ctx.Err() != nil {
		return sandbox.Result{}, context.Cause(ctx)
	}
	result := sandbox.Result{Stdout: stdout.bytes, Stderr: stderr.bytes, Wall: time.Since(began), CPU: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	result.End, result.Code = sandbox.EndOf(exitStatus(c.ProcessState))
	switch {
	case r.why != "":
		result.End, result.Code = r.why, 0
	case result.CPU > r.limits.CPU:
		result.End, result.Code = sandbox.CPULimit, 0
	}
	return result, nil
}

// unstarted tells why the program did not start. Only a file of the job is the job's own fault.
func unstarted(name string, err error) (sandbox.Result, error) {
	switch {
	case strings.HasPrefix(name, "./"):
		return sandbox.Result{End: sandbox.Refused, Why: err.Error()}, nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return sandbox.Result{}, fmt.Errorf("%s: %w: %w", name, sandbox.ErrNoProgram, err)
	}
	return sandbox.Result{}, err
}

// An unconfinedCapped keeps the beginning of an output, and ends a job that writes more.
type unconfinedCapped struct {
	r     *unconfinedRun
	bytes []byte
}

// Write implements [io.Writer].
func (c *unconfinedCapped) Write(b []byte) (int, error) {
	room := min(int64(len(b)), c.r.limits.Output-int64(len(c.bytes)))
	c.bytes = append(c.bytes, b[:room]...)
	if room < int64(len(b)) {
		c.r.end(sandbox.OutputLimit)
	}
	return len(b), nil
}
