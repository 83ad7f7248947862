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

// Plain starts processes of this user. It implements [Starter].
type Plain struct{}

// Start implements [Starter].
func (Plain) Start(words, env []string, out, errs io.Writer) (Child, error) {
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Env, c.Stdout, c.Stderr, c.WaitDelay = env, out, errs, patience
	command.Apart(c)
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &plainChild{in, c, cancel}, nil
}

// Close implements [Starter].
func (Plain) Close() error { return nil }

// A plainChild is a process of this user.
type plainChild struct {
	io.WriteCloser
	command *exec.Cmd
	kill    context.CancelFunc
}

// Wait implements [Child].
func (c *plainChild) Wait() error {
	defer c.kill()
	return c.command.Wait()
}

// Terminate implements [Child].
func (c *plainChild) Terminate() { command.Terminate(c.command) }

// Kill implements [Child].
func (c *plainChild) Kill() { c.kill() }
