//go:build amd64 || arm64

package native

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// runWarm runs a job in a fork of a zygote.
func (r *running) runWarm(ctx context.Context) (sandbox.Result, error) {
	pipes, err := newPipes(false, r.box.owner)
	defer pipes.close()
	if err != nil {
		return sandbox.Result{}, err
	}
	defer r.release()
	if err := r.enter(pipes); err != nil {
		return sandbox.Result{}, err
	}
	var group sync.WaitGroup
	defer group.Wait()
	stop := r.tend(ctx, &group, pipes)
	defer stop()
	return r.waitWarm()
}

// enter gives the job, or the session, to a fork.
func (r *running) enter(pipes *pipes) error {
	rules, err := newRules(r.box.abi, r.folder.Path, r.box.config.Read)
	if err != nil {
		return err
	}
	pipes.theirs = append(pipes.theirs, rules)
	if r.fork, r.pid, err = r.box.fork(); err != nil {
		return err
	}
	if err := r.group.Add(r.pid); err != nil {
		return err
	}
	r.began = time.Now()
	fds := append(pipes.standard[:], rules)
	if err := unix.Sendmsg(r.fork.job, r.order(), unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL); err != nil {
		return fmt.Errorf("the job of a fork: %w", err)
	}
	pipes.closeTheirs()
	return nil
}

// order is what a fork needs to know: see enter in zygote.py. That of a session has no arguments, and no
// limit of processor time.
func (r *running) order() []byte {
	cpu, argv := int64(0), ""
	if !r.cell {
		cpu, argv = cpuSeconds(r.limits), strings.Join(r.job.Argv[len(r.box.config.Zygote):], "\x00")
	}
	numbers := fmt.Sprintf("%d %d %d %d", cpu, r.limits.FileSize, r.limits.Open, addresses(r.limits))
	return fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", numbers, r.folder.Path, r.job.HashSeed(), argv)
}

// waitWarm waits for the end of the fork.
func (r *running) waitWarm() (sandbox.Result, error) {
	failed := errors.New("the process of a job ended before it began")
	for one := range r.fork.reports {
		switch one.kind {
		case reportStarted:
			failed = nil
		case reportFailed:
			failed = errors.New(one.text)
		case reportEnded:
			r.mu.Lock()
			defer r.mu.Unlock()
			r.over = true
			return r.result(unix.WaitStatus(one.status), one.cpu), failed
		}
	}
	r.kill(sandbox.WallLimit) // it ends with the zygote, but when?
	return sandbox.Result{}, errors.New("the zygote of a job was lost")
}

// release closes what names the fork. One without a job ends.
func (r *running) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if r.fork != nil {
		r.fork.close()
	}
}
