// Command quintain makes problems, plays the episodes, judges the answers and
// keeps the results until the trainer takes them. See quintain help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// A world is all that the program touches outside its own memory but files and
// sockets; a test gives it one of its own.
type world struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	terminal       bool                    // stderr is one
	interrupts     func() <-chan os.Signal // see signals; nil: none come
}

// signals returns the channel of the signals that end the program: the first stops,
// the second cuts. A verb that never calls it is ended by the first at once.
func (w *world) signals() <-chan os.Signal {
	if w.interrupts == nil {
		return nil
	}
	return w.interrupts()
}

// The program's exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	info, err := os.Stderr.Stat()
	os.Exit(execute(&world{
		args:  os.Args[1:],
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv:     os.Getenv,
		terminal:   err == nil && info.Mode()&os.ModeCharDevice != 0,
		interrupts: sync.OnceValue(notify),
	}))
}

// errReported ends the program with status 1 where the reason is already printed.
var errReported = errors.New("reported")

// A usageError is a wrong use of the program; it ends with status 2.
type usageError struct{ error }

// usagef makes a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// execute runs the program and returns its exit status.
func execute(w *world) int {
	root := newRoot(w)
	root.SetArgs(w.args)
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	ran, err := root.ExecuteContextC(context.Background())
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"), strings.HasPrefix(err.Error(), "required flag"):
		fmt.Fprintf(w.stderr, "quintain: %v\nRun '%s --help' for how it is used.\n", err, ran.CommandPath())
		return exitUsage
	}
	fmt.Fprintf(w.stderr, "quintain: %v\n", err)
	return exitFailed
}

// newRoot returns the whole command tree.
func newRoot(w *world) *cobra.Command {
	root := &cobra.Command{
		Use:   "quintain",
		Short: "Problems, episodes, grades and a durable queue for reinforcement learning of language models",
		Long: `Quintain sets language models problems, plays the conversation, judges the
answers, and keeps the scored groups on disk until a trainer has taken them.`,
		Example: `  quintain run --minutes 5           play, grade, queue and train, with nothing but this binary
  quintain tasks list                what there is to solve
  quintain hub                       only the durable queue, for trainers and environments of Atropos`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	l := newLoader(w, root)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return l.load(c) }
	root.AddCommand(newRun(w, l), newEval(w, l), newPretrain(w, l), newPlot(w), newHub(w, l), newBench(w), newTasks(w), newScenarios(w), newGrade(w), newConfig(w, l), newVersion(w))
	return root
}

// noArgs refuses arguments.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unknown command or argument %q for %q", args[0], c.CommandPath())
	}
	return nil
}

// oneArg wants exactly one argument, called name.
func oneArg(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s wants one %s, has %d arguments", c.CommandPath(), name, len(args))
		}
		return nil
	}
}
