//go:build amd64 || arm64

package box

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// grace is the time that an interrupted command has to end.
const grace = 2 * time.Second

// What a call hands to its init, in order; and where a bash -c finds the file that takes its state.
const (
	nullFD = givenFD + iota
	outFD
	stateFD
	tellFD = 19
)

// A call is a command under way.
type call struct {
	process uint32 // number inside
	done    chan struct{}
	failed  *record // the step that failed
	end     record
	ended   bool // else the phase is over
}

// Run runs a command, and waits for its end: not for those that it started. Several may run at once. An error is a fault of
// the machine, that of the context, [ErrOver] if the phase ended meanwhile, or [ErrTooLong].
func (s *Session) Run(ctx context.Context, c Command) (result Result, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	if len(c.Args) == 0 {
		return result, errors.New("a command without a name")
	}
	out, err := s.outputs(c.State)
	if err != nil {
		return result, err
	}
	defer out.close()
	p := s.newProgram()
	s.command(p, c)
	raw, err := p.message(true)
	if err != nil {
		return result, err
	}
	one := &call{done: make(chan struct{})}
	seen := s.watch.begin(c)
	defer s.watch.end(seen)
	began := time.Now()
	got, err := s.ask(raw, out.fds(), one)
	if err != nil {
		return result, err
	}
	if got.Kind == recordFailed {
		return unstarted("fork", unix.Errno(got.Value)), nil // the trial's processes are too many
	}
	err = s.wait(ctx, c, one, seen)
	result, e := s.result(one, c, p, out)
	result.Wall = time.Since(began)
	s.watch.tell(seen, &result)
	return result, errors.Join(err, e)
}

// command makes the steps of a command, in a fork of the init.
func (s *Session) command(p *program, c Command) {
	p.call("setsid", unix.SYS_SETSID)
	p.call("standard input", unix.SYS_DUP3, nullFD, 0, 0)
	p.call("standard output", unix.SYS_DUP3, outFD, 1, 0)
	p.call("standard error", unix.SYS_DUP3, outFD, 2, 0)
	args := c.Args
	if c.State {
		p.call("state", unix.SYS_DUP3, stateFD, tellFD, 0)
		args = telling(args)
	}
	p.call("signals", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, p.words(0), 0, 8)
	p.call("processes", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NPROC, limit(p, s.trial.limits.Processes+1), 0)
	p.call("descriptors", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, limit(p, s.trial.limits.Descriptors), 0)
	dirs := []string{path.Clean("/" + s.phase.Dir), "/"}
	if c.Dir != "" {
		dirs = slices.Insert(dirs, 0, c.Dir)
	}
	for i, dir := range dirs {
		p.try("chdir", unix.SYS_CHDIR, p.text(dir)).skip = uint32(len(dirs) - 1 - i)
	}
	environ := variables(s.phase.Env, c.Env)
	argv, envp := p.texts(args), p.texts(environ)
	programs := candidates(args[0], environ)
	for i, name := range programs {
		one := p.call(callExec, unix.SYS_EXECVE, p.text(name), argv, envp)
		if i < len(programs)-1 {
			one.soft = 1
		}
	}
}

// callExec names the steps that start a program.
const callExec = "execve"

// limit adds a limit of a process.
func limit(p *program, most int) uint64 { return p.words(uint64(most), uint64(most)) }

// variables joins lists of variables. The last of a name holds.
func variables(lists ...[]string) (all []string) {
	at := map[string]int{}
	for _, one := range slices.Concat(lists...) {
		name, _, _ := strings.Cut(one, "=")
		if i, ok := at[name]; ok {
			all[i] = one
			continue
		}
		at[name] = len(all)
		all = append(all, one)
	}
	return all
}

// candidates lists the files that a name of a program may mean.
func candidates(name string, environ []string) (files []string) {
	if strings.Contains(name, "/") {
		return []string{name}
	}
	search := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	for _, one := range environ {
		if value, ok := strings.CutPrefix(one, "PATH="); ok {
			search = value
		}
	}
	for dir := range strings.SplitSeq(search, ":") {
		files = append(files, path.Join(cmp.Or(dir, "."), name))
	}
	return files
}

// unstarted is the result of a command that could not be executed, as a shell tells it.
func unstarted(name string, err error) Result {
	result := Result{Exit: 126, Output: fmt.Appendf(nil, "%s: %v\n", name, err)}
	if errors.Is(err, os.ErrNotExist) {
		result.Exit = 127
	}
	result.Head = len(result.Output)
	return result
}

// wait waits until a command has ended. At a limit, or if nobody waits for it any more, it is interrupted and then killed.
func (s *Session) wait(ctx context.Context, c Command, one *call, seen *seen) error {
	var late <-chan time.Time
	if c.Time > 0 {
		timer := time.NewTimer(c.Time)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-one.done:
		return nil
	case <-ctx.Done():
		s.kill(one, unix.SIGKILL)
		<-one.done
		return context.Cause(ctx)
	case <-seen.beyond:
	case <-late:
		seen.late.Store(true)
	}
	s.signal(unix.SIGINT, -int(one.process))
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-one.done:
	case <-ctx.Done():
	case <-timer.C:
	}
	s.kill(one, unix.SIGKILL) // also what is left of its session
	<-one.done
	return nil
}

// kill signals all processes of a command's session.
func (s *Session) kill(one *call, signal unix.Signal) {
	list := []int{-int(one.process), int(one.process)}
	for _, p := range s.processes() {
		if p.Session == int(one.process) {
			list = append(list, p.PID)
		}
	}
	s.signal(signal, list...)
}

// signal has the init signal processes, by their numbers inside; a negative one names a group.
func (s *Session) signal(signal unix.Signal, list ...int) {
	p := s.newProgram()
	for _, pid := range list[:min(len(list), 1000)] {
		p.try("kill", unix.SYS_KILL, uint64(pid), uint64(signal))
	}
	_ = s.do(p, nil) // an error: the phase is over
}

// result tells how a command ended.
func (s *Session) result(one *call, c Command, p *program, out *outputs) (Result, error) {
	if !one.ended {
		return Result{}, ErrOver
	}
	if one.failed != nil {
		name, err := p.name(one.failed.Index), unix.Errno(one.failed.Value)
		if name == callExec {
			name = c.Args[0]
		}
		return unstarted(name, err), nil
	}
	result := Result{CPU: time.Duration(one.end.User+one.end.System) * time.Microsecond}
	if status := unix.WaitStatus(one.end.Value); status.Signaled() {
		result.Signal = int(status.Signal())
	} else {
		result.Exit = status.ExitStatus()
	}
	if err := out.read(cmp.Or(c.Output, 64<<10), &result); err != nil {
		return Result{}, err
	}
	if c.State {
		result.Dir, result.Env = out.told()
	}
	return result, nil
}
