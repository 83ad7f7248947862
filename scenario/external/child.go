package external

import (
	"context"
	"io"
	"os/exec"

	"github.com/quintain-rl/quintain/internal/command"
)

// A Starter starts the processes of a program. Many goroutines may use it.
type Starter interface {
	// Start starts a program with its arguments and variables (nil: those of this process). The error of a writer ends it.
	Start(words, env []string, out, errs io.Writer) (Child, error)

	// Close ends the starter. None of its processes runs.
	Close() error
}

// A Child is a process that a [Starter] has started. Many goroutines may use it.
type Child interface {
	io.WriteCloser // its standard input
	Wait() error   // returns once it has ended; the error says how
	Terminate()    // asks it to end
	Kill()
}

// HowEnded says how a process ended, by the error of its Wait and what it said last.
func HowEnded(err error, said string) string {
	how := "exit status 0"
	if err != nil {
		how = err.Error()
	}
	if said != "" {
		how += ": " + said
	}
	return how
}

// Plain starts processes of this user. It implements [Starter].
type Plain struct {
	Guarded bool // a process and all that it leaves end once it has ended, or this process is killed; its group gets no signal to end
}

// Start implements [Starter].
func (p Plain) Start(words, env []string, out, errs io.Writer) (_ Child, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &plainChild{command: exec.CommandContext(ctx, words[0], words[1:]...), kill: cancel}
	c.command.Env, c.command.Stdout, c.command.Stderr, c.command.WaitDelay = env, out, errs, patience
	command.Apart(c.command)
	if p.Guarded {
		err = c.guard()
	}
	if err == nil {
		c.WriteCloser, err = c.command.StdinPipe()
	}
	if err == nil {
		err = c.command.Start()
	}
	if err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

// Close implements [Starter].
func (Plain) Close() error { return nil }

// A plainChild is a process of this user.
type plainChild struct {
	io.WriteCloser
	command *exec.Cmd
	kill    context.CancelFunc
	group   *command.Group // nil: it is not guarded
}

// guard has the process start in a group that ends with this process.
func (c *plainChild) guard() (err error) {
	if c.group, err = command.NewGroup(""); err == nil {
		c.group.Add(c.command)
		c.command.Cancel = func() error { c.group.End(); return nil }
	}
	return err
}

// end ends what has not ended.
func (c *plainChild) end() {
	c.kill()
	if c.group != nil {
		c.group.Kill()
	}
}

// Wait implements [Child].
func (c *plainChild) Wait() error {
	defer c.end()
	return c.command.Wait()
}

// Terminate implements [Child].
func (c *plainChild) Terminate() { command.Terminate(c.command) }

// Kill implements [Child].
func (c *plainChild) Kill() { c.kill() }
