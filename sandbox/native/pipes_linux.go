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
	started               *os.File // records until execve, which ends it
	report                *os.File // records of init

	standard    [3]int // of the program
	said, ended int    // the other ends of started and report
	theirs      []int  // descriptors to close after the fork
}

// newPipes makes the pipes. The caller must close them.
func newPipes() (p *pipes, err error) {
	p = &pipes{}
	ours := []**os.File{&p.stdout, &p.stderr, &p.started, &p.report}
	for i, their := range []*int{&p.standard[1], &p.standard[2], &p.said, &p.ended} {
		if *ours[i], *their, err = pipe(); err != nil {
			p.close()
			return nil, err
		}
		p.theirs = append(p.theirs, *their)
	}
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		p.close()
		return nil, fmt.Errorf("pipe: %w", err)
	}
	p.theirs = append(p.theirs, fds[0])
	p.standard[0] = fds[0]
	p.stdin, err = file(fds[1])
	return p, err
}

// pipe makes a pipe from a child, whose end stays blocking.
func pipe() (ours *os.File, theirs int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, 0, fmt.Errorf("pipe: %w", err)
	}
	ours, err = file(fds[0])
	return ours, fds[1], err
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
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr, p.started, p.report} {
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
