//go:build amd64 || arm64

package native

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// A session is a fork of a zygote that runs cells. It is stopped between them.
type session struct {
	box    *Box
	limits sandbox.Limits
	folder *jobDir
	group  *cgroup // nil: none
	fork   *fork
	pid    int
	cells  *net.UnixConn // carries cells there, and back the status of each
	pipes  *pipes

	mu     sync.Mutex // held while a cell runs
	over   bool       // the process has ended
	closed bool
}

// Open starts a session. See [sandbox.Opener]. It needs [Config.Zygote].
func (b *Box) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	if err := errors.Join(spec.Limits.Check(), (sandbox.Job{Argv: []string{"cells"}, Files: spec.Files, Limits: spec.Limits}).Check()); err != nil {
		return nil, err
	}
	s := &session{box: b, limits: spec.Limits.Filled()}
	if err := b.allows(s.limits); err != nil {
		return nil, err
	}
	if len(b.config.Zygote) == 0 || s.limits.Processes > 1 {
		return nil, errors.New("a session needs Config.Zygote, and has one process")
	}
	var err error
	if s.folder, err = newJobDir(b.dir, b.owner, spec.Files); err != nil {
		return nil, err
	}
	if s.group, err = b.group(s.limits); err != nil {
		return nil, errors.Join(err, s.folder.Remove())
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("a session: %w", err), s.Close())
	}
	return s, nil
}

// open has a fork begin, and stops it.
func (s *session) open(ctx context.Context) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.pipes, err = newPipes(false, s.box.owner); err != nil {
		return err
	}
	r := &running{box: s.box, limits: s.limits, folder: s.folder, group: s.group, cell: true}
	err = r.enter(s.pipes)
	s.fork, s.pid = r.fork, r.pid
	if err != nil {
		return err
	}
	_ = s.pipes.stdin.Close() // cells have no input
	s.cells, err = conn(s.fork.job)
	s.fork.job = -1
	if err != nil {
		return err
	}
	select {
	case one, ok := <-s.fork.reports:
		if !ok || one.kind != reportStarted {
			return fmt.Errorf("its process did not start: %s", one.text)
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return s.signal(unix.SIGSTOP)
}

// signal signals the process.
func (s *session) signal(signal unix.Signal) error {
	return unix.PidfdSendSignal(s.fork.pidfd, signal, nil, 0)
}

// Run runs a cell. See [sandbox.Session].
func (s *session) Run(ctx context.Context, cell string, limits sandbox.Limits) (sandbox.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return sandbox.Result{}, sandbox.ErrOver
	}
	if err := errors.Join(limits.Check(), ctx.Err()); err != nil {
		return sandbox.Result{}, errors.Join(err, s.end())
	}
	if len(cell) > sandbox.MaxCell || !utf8.ValidString(cell) {
		return sandbox.Result{End: sandbox.Refused, Why: fmt.Sprintf("a cell of %d bytes, want %d of UTF-8 at most", len(cell), sandbox.MaxCell)}, nil
	}
	r := &running{box: s.box, limits: s.limits, fork: s.fork, pid: s.pid, folder: s.folder, cell: true, before: spent(s.pid)}
	for _, one := range []struct{ to, from *time.Duration }{{&r.limits.CPU, &limits.CPU}, {&r.limits.Wall, &limits.Wall}} {
		if *one.from != 0 {
			*one.to = *one.from
		}
	}
	if limits.Output != 0 {
		r.limits.Output = limits.Output
	}
	result, err := s.run(ctx, r, cell)
	if r.why == cancelled {
		err = context.Cause(ctx)
	}
	if err != nil {
		return sandbox.Result{}, errors.Join(fmt.Errorf("a cell: %w", err), s.end())
	}
	return result, nil
}

// run has the process run a cell, and stops it after that.
func (s *session) run(ctx context.Context, r *running, cell string) (result sandbox.Result, err error) {
	r.began = time.Now()
	var group sync.WaitGroup
	group.Go(func() { r.gather(&r.stdout, s.pipes.stdout) })
	group.Go(func() { r.gather(&r.stderr, s.pipes.stderr) })
	ended := make(chan struct{})
	group.Go(func() { r.watch(ctx, ended) })
	code, stays := s.answer(cell)
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	close(ended)
	for _, f := range []*os.File{s.pipes.stdout, s.pipes.stderr} {
		_ = f.SetReadDeadline(time.Unix(1, 0))
	}
	group.Wait()
	r.drain(&r.stdout, s.pipes.stdout)
	r.drain(&r.stderr, s.pipes.stderr)
	if r.full && r.why == "" {
		r.why = sandbox.OutputLimit
	}
	if stays {
		result = r.result(unix.WaitStatus(code&0xff<<8), spent(s.pid)-r.before)
	} else {
		result, err = s.ended(r)
	}
	result.Stdout, result.Stderr, result.Peak = r.stdout.bytes, r.stderr.bytes, r.peak
	return result, err
}

// answer has the process run a cell, and waits for its status and stops it, or for its end. The
// process can say what it likes: it has one of 4 bytes, or ends.
func (s *session) answer(cell string) (code int, stays bool) {
	var packet [5]byte
	n, err := 0, s.signal(unix.SIGCONT)
	if err == nil {
		_, err = s.cells.Write([]byte("c" + cell))
	}
	if err == nil {
		n, err = s.cells.Read(packet[:])
	}
	if err == nil && n == 4 && s.signal(unix.SIGSTOP) == nil {
		return int(binary.NativeEndian.Uint32(packet[:])), true
	}
	_ = s.signal(unix.SIGKILL) // it may only have closed its socket
	return 0, false
}

// ended tells the end of the process, by itself or by a limit.
func (s *session) ended(r *running) (sandbox.Result, error) {
	s.over = true
	for one := range s.fork.reports {
		if one.kind == reportEnded {
			result := r.result(unix.WaitStatus(one.status), one.cpu-r.before)
			result.Over = true
			if result.End == sandbox.Signalled && s.group.Starved() {
				result.End, result.Code = sandbox.MemoryLimit, 0
			}
			return result, nil
		}
	}
	return sandbox.Result{}, errors.New("the zygote of a session was lost")
}

// end ends the process, and waits for its end.
func (s *session) end() error {
	if s.over || s.fork == nil {
		return nil
	}
	s.over = true
	err := s.signal(unix.SIGKILL)
	if errors.Is(err, unix.ESRCH) {
		err = nil
	}
	for range s.fork.reports {
		continue
	}
	return err
}

// Close ends the session. See [sandbox.Session].
func (s *session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.end()
	s.over = true
	if s.fork != nil {
		s.fork.close()
	}
	if s.cells != nil {
		_ = s.cells.Close()
	}
	if s.pipes != nil {
		s.pipes.close()
	}
	if e := s.folder.Remove(); e != nil {
		err = errors.Join(err, fmt.Errorf("the folder of a session: %w", e))
	}
	return errors.Join(err, s.group.Remove())
}

// spent is the time that a process has been on the processor, all threads together.
func spent(pid int) time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(int32(^pid<<3|2), &t) // CPUCLOCK_SCHED of the process; of an ended one: 0
	return time.Duration(t.Nano())
}

// gather reads an output of a cell until its deadline.
func (r *running) gather(into *capped, from *os.File) {
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		r.keep(into, buf[:n])
		if err != nil {
			return
		}
	}
}

// drain reads what is left of an output, of a process that is stopped.
func (r *running) drain(into *capped, from *os.File) {
	_ = from.SetReadDeadline(time.Time{})
	raw, err := from.SyscallConn()
	if err != nil {
		return
	}
	buf := make([]byte, 16<<10)
	_ = raw.Read(func(fd uintptr) bool {
		for range 1 << 10 { // more than a pipe holds
			n, err := unix.Read(int(fd), buf)
			if n <= 0 || err != nil {
				break
			}
			r.keep(into, buf[:n])
		}
		return true
	})
}

// keep keeps the beginning of an output. Beyond the limit it interrupts the cell.
func (r *running) keep(into *capped, some []byte) {
	room := int(r.limits.Output) - len(into.bytes)
	into.bytes = append(into.bytes, some[:min(room, len(some))]...)
	if len(some) > room {
		r.kill(sandbox.OutputLimit)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.full = true
	}
}

// interrupt reports whether a cell has still time to end. The caller must hold mu.
func (r *running) interrupt(why sandbox.End) bool {
	if why != sandbox.CPULimit && why != sandbox.WallLimit && why != sandbox.OutputLimit {
		return false
	}
	if r.why == "" {
		r.why, r.asked = why, time.Now()
		err := unix.PidfdSendSignal(r.fork.pidfd, unix.SIGINT, nil, 0)
		_ = unix.PidfdSendSignal(r.fork.pidfd, unix.SIGCONT, nil, 0) // a cell may have stopped itself
		return err == nil
	}
	return time.Since(r.asked) < r.box.config.Grace
}

// asks returns why a cell was interrupted that has no more time to end; empty: there is none.
func (r *running) asks() sandbox.End {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked.IsZero() || time.Since(r.asked) < r.box.config.Grace {
		return ""
	}
	return r.why
}
