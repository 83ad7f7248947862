//go:build amd64 || arm64

package native

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// Pipes connect us with a child.
type pipes struct {
	stdin, stdout, stderr *os.File // ours
	started, report       int      // ours: records until execve, which ends them; records of init

	standard    [3]int // of the program
	said, ended int    // the other ends of started and report
	theirs      []int  // descriptors to close after the fork
}

// newPipes makes the pipes, those of records only for a child that we fork. The standard ones belong to the
// owner of the job, -1: to us, so that it can open them by name, such as /dev/stdin. The caller must close
// them, also after an error.
func newPipes(records bool, owner int) (p *pipes, err error) {
	p = &pipes{started: -1, report: -1}
	for _, one := range []struct{ ours, theirs *int }{{&p.started, &p.said}, {&p.report, &p.ended}} {
		if !records {
			break
		}
		if *one.ours, *one.theirs, err = pipe(); err != nil {
			return p, err
		}
		p.theirs = append(p.theirs, *one.theirs)
	}
	for i, ours := range []**os.File{&p.stdin, &p.stdout, &p.stderr} {
		reading, writing, err := pipe()
		if err != nil {
			return p, err
		}
		if i == 0 {
			reading, writing = writing, reading
		}
		p.standard[i] = writing
		p.theirs = append(p.theirs, writing)
		if err := unix.Fchown(writing, owner, owner); err != nil {
			return p, err
		}
		if *ours, err = file(reading); err != nil {
			return p, err
		}
	}
	return p, nil
}

// pipe makes a pipe that ends with exec.
func pipe() (reading, writing int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, fmt.Errorf("pipe: %w", err)
	}
	return fds[0], fds[1], nil
}

// file makes a file of a descriptor, for Go's poller to wait on.
func file(fd int) (*os.File, error) {
	err := unix.SetNonblock(fd, true) // first: NewFile looks at it
	return os.NewFile(uintptr(fd), "pipe"), err
}

// closeTheirs closes what the child has now.
func (p *pipes) closeTheirs() {
	for _, fd := range p.theirs {
		_ = unix.Close(fd)
	}
	p.theirs = nil
}

// close closes all.
func (p *pipes) close() {
	p.closeTheirs()
	for _, fd := range []int{p.started, p.report} {
		_ = unix.Close(fd) // of -1: an error
	}
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// A capped keeps the beginning of an output.
type capped struct{ bytes []byte }

// collect reads an output to its end. Beyond the limit it kills the job.
func (r *running) collect(into *capped, from *os.File) {
	most := r.limits.Output
	into.bytes, _ = io.ReadAll(io.LimitReader(from, most+1)) // an error ends it
	if int64(len(into.bytes)) <= most {
		return
	}
	into.bytes = into.bytes[:most]
	r.kill(sandbox.OutputLimit)
	_ = from.Close()
}

// unread reports whether a pipe of ours has bytes that we did not read.
func unread(from *os.File) (has bool) {
	if raw, err := from.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
			has = n > 0 && err == nil
		})
	}
	return has
}
