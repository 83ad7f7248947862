package native

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/quintain-rl/quintain/sandbox"
)

// A Talk is what a program that lasts reads and writes.
type Talk struct {
	Out, Err io.Writer // its outputs, as they come; an error of a writer ends the program
	Environ  []string  // more variables, in the form NAME=value
}

// A Child is a program that lasts. Many goroutines may use it; its input is written by one at a time.
type Child struct {
	*io.PipeWriter // its standard input

	run    *running
	over   sync.WaitGroup
	ended  chan struct{} // closed once the fields below are set
	result sandbox.Result
	err    error
}

// Wait returns once the program has ended, and nothing is left of it. An error tells how it ended; nil: by itself, with
// status 0.
func (c *Child) Wait() error {
	c.over.Wait()
	switch {
	case c.err != nil:
		return c.err
	case c.result.End == sandbox.Exited && c.result.Code == 0:
		return nil
	case c.result.End == sandbox.Exited:
		return fmt.Errorf("exit status %d", c.result.Code)
	case c.result.End == sandbox.Signalled:
		return fmt.Errorf("signal %d", c.result.Code)
	case c.result.End == sandbox.Refused:
		return errors.New(c.result.Why)
	}
	return fmt.Errorf("the sandbox ended it: %s", c.result.End)
}
