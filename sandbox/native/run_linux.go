//go:build amd64 || arm64

package native

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// Run runs a job. See [sandbox.Sandbox].
func (b *Box) Run(ctx context.Context, job sandbox.Job) (result sandbox.Result, err error) {
	if err := job.Limits.Check(); err != nil {
		return result, err
	}
	limits := job.Limits.Filled()
	if err := b.allows(limits); err != nil {
		return result, err
	}
	if err := job.Check(); err != nil {
		return sandbox.Result{End: sandbox.Refused, Why: err.Error()}, nil
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	r, err := b.ready(job)
	if err != nil {
		return result, err
	}
	defer func() {
		if e := r.leave(); e != nil {
			result, err = sandbox.Result{}, errors.Join(err, e)
		}
	}()
	if result, err = r.run(ctx); err != nil {
		return sandbox.Result{}, fmt.Errorf("the sandbox: %w", err)
	}
	if result.End == sandbox.Signalled && r.group.Starved() {
		result.End, result.Code = sandbox.MemoryLimit, 0
	}
	if result.End == sandbox.Exited && len(job.Fetch) > 0 {
		result.Fetched = r.folder.Fetch(job.Fetch, limits.Disk)
	}
	return result, nil
}

// ready makes what a job needs. The caller must leave it.
func (b *Box) ready(job sandbox.Job) (*running, error) {
	program, err := lookUp(job.Argv[0])
	if err != nil {
		return nil, err
	}
	r := &running{box: b, job: job, limits: job.Limits.Filled(), program: program}
	if r.folder, err = newJobDir(b.dir, b.owner, job.Files); err != nil {
		return nil, err
	}
	if r.group, err = b.group(r.limits); err != nil {
		return nil, errors.Join(err, r.folder.Remove())
	}
	return r, nil
}

// leave removes what ready has made.
func (r *running) leave() error {
	err := r.group.Remove()
	if e := r.folder.Remove(); e != nil {
		err = errors.Join(err, fmt.Errorf("the folder of a job: %w", e))
	}
	return err
}

// allows reports why the machine cannot hold a job within limits.
func (b *Box) allows(limits sandbox.Limits) error {
	if err := b.strength.Err(); err != nil {
		return fmt.Errorf("%w (see quintain sandbox probe)", err)
	}
	if limits.Processes > 1 && !b.strength.Holds(LayerPIDSpace) {
		return fmt.Errorf("%w: jobs of several processes need a pid namespace: %d processes, want 1", sandbox.ErrWeak, limits.Processes)
	}
	return nil
}

// A running is a job under way.
type running struct {
	box     *Box
	job     sandbox.Job
	limits  sandbox.Limits
	program string
	folder  *jobDir
	group   *cgroup // nil: none

	talk   *talk // nil: its input and outputs are those of the job
	fork   *fork // of a zygote; nil: a child of ours
	pid    int
	began  time.Time
	mu     sync.Mutex
	over   bool          // the child was waited for: its number may be another's
	why    sandbox.End   // it was killed for; empty: it was not
	cell   bool          // of a session
	full   bool          // an output of the cell is beyond its limit
	asked  time.Time     // when the cell was interrupted
	before time.Duration // on the processor, of the session's cells before
	stdout capped
	stderr capped
	peak   int64
	idle   idleness
	looks  int   // of the watcher
	disk   int64 // that it took at the last look
	grows  bool  // it took much more then than before

	strangers map[int]bool // processes that are not the job's
	owed      func() bool  // the program may wait for us to write or read; nil: idle time is not asked for
}

// forks reports whether the program may start processes.
func (r *running) forks() bool { return r.limits.Processes > 1 }

// run starts the program, waits for its end, and tells it.
func (r *running) run(ctx context.Context) (result sandbox.Result, err error) {
	var failed error
	if r.box.warm(r.job) {
		result, err = r.runWarm(ctx)
	} else {
		result, failed, err = r.runFresh(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return sandbox.Result{}, context.Cause(ctx)
	case err != nil:
		return sandbox.Result{}, err
	case failed != nil:
		return r.unstarted(failed)
	}
	result.Stdout, result.Stderr, result.Peak, result.Idle = r.stdout.bytes, r.stderr.bytes, r.peak, r.idle.sum
	return result, nil
}

// runFresh runs a job in a child of ours. Failed is why the program did not start.
func (r *running) runFresh(ctx context.Context) (result sandbox.Result, failed, err error) {
	pipes, err := newPipes(true, r.box.owner)
	defer pipes.close()
	if err != nil {
		return result, nil, err
	}
	p, err := r.plan(pipes)
	if err != nil {
		return result, nil, err
	}
	return r.follow(ctx, p, pipes)
}

// follow starts the child and stays with it to its end.
func (r *running) follow(ctx context.Context, p *plan, pipes *pipes) (result sandbox.Result, failed, err error) {
	var group sync.WaitGroup
	defer group.Wait()     // on a thread that is not locked, which is faster
	runtime.LockOSThread() // see plan.start
	defer runtime.UnlockOSThread()
	r.began = time.Now()
	r.pid, err = p.start()
	pipes.closeTheirs()
	if err != nil {
		return result, nil, fmt.Errorf("clone: %w", err)
	}
	if r.talk != nil {
		close(r.talk.started)
	}
	failed = p.failed(readRecords(pipes.started)) // until execve, or the end of the child
	defer r.tend(ctx, &group, pipes)()
	result, err = r.wait(pipes.report)
	return result, failed, err
}

// tend feeds the program, reads and watches it, until the program has ended and stop is called.
func (r *running) tend(ctx context.Context, group *sync.WaitGroup, pipes *pipes) (stop func()) {
	r.idle.at = r.began // most jobs end before the first look
	if r.talk != nil {
		r.pass(group, pipes)
	} else {
		r.feed(group, pipes)
	}
	ended := make(chan struct{})
	group.Go(func() { r.watch(ctx, ended) })
	return func() {
		close(ended)
		_ = pipes.stdin.Close()
		r.talk.close()
	}
}

// feed gives the job its input, and keeps its outputs.
func (r *running) feed(group *sync.WaitGroup, pipes *pipes) {
	var fed atomic.Bool
	group.Go(func() {
		_, _ = io.Copy(pipes.stdin, bytes.NewReader(r.job.Stdin)) // it need not read
		_ = pipes.stdin.Close()
		fed.Store(true)
	})
	r.owed = func() bool {
		return !fed.Load() && !unread(pipes.stdin) || unread(pipes.stdout) || unread(pipes.stderr)
	}
	group.Go(func() { r.collect(&r.stdout, pipes.stdout) })
	group.Go(func() { r.collect(&r.stderr, pipes.stderr) })
}

// plan plans the child.
func (r *running) plan(pipes *pipes) (*plan, error) {
	b := r.box
	rules, err := newRules(b.abi, r.folder.Path, b.config.Read)
	if err != nil {
		return nil, err
	}
	pipes.theirs = append(pipes.theirs, rules)
	p := newPlan(pipes.said)
	if r.group != nil {
		add(&p.first, "the control group", unix.SYS_WRITE, r.group.Door(), p.text("0"), 1)
	}
	p.attach(pipes.standard)
	user := b.strength.Holds(LayerUserSpace) && !b.stays()
	p.become(b.owner, user, r.forks())
	p.needParent(pipes.started)
	if r.forks() {
		p.stay(pipes.ended)
	}
	add(&p.last, "chdir", unix.SYS_CHDIR, p.text(r.folder.Path))
	p.limit(r.limits, user)
	if b.stays() {
		p.strip()
	}
	p.shut(rules, filtering{fork: r.forks(), kill: b.abi >= scopeABI || r.forks(), cut: b.abi >= cutABI})
	p.exec(r.program, r.job.Argv, r.job.Environ(r.folder.Path, append(r.talk.environ(), "PATH="+searchPath)...))
	return p, nil
}

// unstarted tells why the program did not start. Only a file of the job is the job's own fault.
func (r *running) unstarted(failed error) (sandbox.Result, error) {
	var call *callError
	if errors.As(failed, &call) && call.what == callExec {
		if !strings.HasPrefix(r.program, "/") {
			return sandbox.Result{End: sandbox.Refused, Why: fmt.Sprintf("%s: %v", r.program, call.err)}, nil
		}
		return sandbox.Result{}, fmt.Errorf("%s: %w: %w", r.program, sandbox.ErrNoProgram, call.err)
	}
	return sandbox.Result{}, failed
}

// kill ends the child, and with it all processes of the job. A cell is interrupted first.
func (r *running) kill(why sandbox.End) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.cell && r.interrupt(why) {
		return
	}
	if r.why == "" {
		r.why = why
	}
	if r.fork != nil {
		_ = unix.PidfdSendSignal(r.fork.pidfd, unix.SIGKILL, nil, 0)
		return
	}
	_ = unix.Kill(-r.pid, unix.SIGKILL) // at once; those that left the group end with the init
	_ = unix.Kill(r.pid, unix.SIGKILL)
}

// wait waits for the child. What the program did since it started is its own doing, also if
// it found a way to end the init of its namespace.
func (r *running) wait(report int) (sandbox.Result, error) {
	for {
		if err := unix.Waitid(unix.P_PID, r.pid, nil, unix.WEXITED|unix.WNOWAIT, nil); !errors.Is(err, unix.EINTR) {
			break // wait tells of an error
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	var status unix.WaitStatus
	var usage unix.Rusage
	if _, err := wait(r.pid, &status, &usage); err != nil {
		return sandbox.Result{}, err
	}
	if r.forks() {
		for _, one := range readRecords(report) {
			if one[0] == recordEnded {
				status = unix.WaitStatus(one[1])
			}
		}
	}
	return r.result(status, time.Duration(usage.Utime.Nano()+usage.Stime.Nano())), nil
}

// result tells the end of the program. The caller must hold mu.
func (r *running) result(status unix.WaitStatus, cpu time.Duration) sandbox.Result {
	result := sandbox.Result{End: r.why, Wall: time.Since(r.began), CPU: cpu}
	switch {
	case r.why != "":
	case result.CPU > r.limits.CPU:
		result.End = sandbox.CPULimit
	case status.Signaled():
		result.End, result.Code = sandbox.EndOf(int(status.Signal()), 0)
	default:
		result.End, result.Code = sandbox.Exited, status.ExitStatus()
	}
	return result
}

// wait waits for a child.
func wait(pid int, status *unix.WaitStatus, usage *unix.Rusage) (int, error) {
	for {
		if n, err := unix.Wait4(pid, status, 0, usage); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// A callError is a call that failed in a child.
type callError struct {
	what string
	err  error
}

// Error implements error.
func (e *callError) Error() string { return e.what + ": " + e.err.Error() }

// Unwrap returns the error of the system.
func (e *callError) Unwrap() error { return e.err }

// failed returns the call that failed, by the records of the child.
func (p *plan) failed(records [][3]uint32) error {
	for _, one := range records {
		if one[0] != recordFailed {
			continue
		}
		what := "clone"
		if all := slices.Concat(p.first, p.last); int(one[1]) < len(all) {
			what = all[one[1]].what
		}
		return &callError{what, unix.Errno(one[2])}
	}
	return nil
}

// readRecords reads all records of a child. It blocks the thread: to park the goroutine of a
// locked one takes longer than the wait.
func readRecords(from int) (records [][3]uint32) {
	var buf [120]byte
	var raw []byte
	for {
		n, err := unix.Read(from, buf[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n <= 0 { // an error ends them
			break
		}
		raw = append(raw, buf[:n]...)
	}
	for len(raw) >= 12 {
		records = append(records, [3]uint32{binary.NativeEndian.Uint32(raw), binary.NativeEndian.Uint32(raw[4:]), binary.NativeEndian.Uint32(raw[8:])})
		raw = raw[12:]
	}
	return records
}
