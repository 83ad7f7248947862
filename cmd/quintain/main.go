// Command quintain makes problems, plays the episodes, judges the answers and
// keeps the results until the trainer takes them. See quintain help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/settings/flags"
)

// A world is all that the program touches outside its own memory but files and
// sockets; a test gives it one of its own.
type world struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        func() []string
	terminal       bool                   // stderr is one
	tty            bool                   // stdout is one
	columns        func() int             // of the terminal
	lines          time.Duration          // between two lines of progress; 0: as package screen has it
	browse         func(url string) error // opens a browser; nil: there is none

	// interrupts returns the channel of the signals that end the program, and a function
	// that lets them end it immediately again. Nil: none come.
	interrupts func() (signals <-chan os.Signal, release func())
}

// The program's exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	stderr := int(os.Stderr.Fd())
	os.Exit(execute(&world{
		args:  os.Args[1:],
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		browse:  browse,
		environ: os.Environ, terminal: term.IsTerminal(stderr), tty: term.IsTerminal(int(os.Stdout.Fd())),
		columns: func() int {
			columns, _, err := term.GetSize(stderr)
			if err != nil {
				return 0
			}
			return columns
		},
		interrupts: func() (<-chan os.Signal, func()) {
			c := make(chan os.Signal, 2) // the second cuts what the first only stops
			signal.Notify(c, os.Interrupt, syscall.SIGTERM)
			return c, func() { signal.Stop(c) }
		},
	}))
}

// attend does work, whose context ends at the first signal, and whose channel is closed
// at the second: the first stops, the second cuts. After that, the next signal ends the
// program at once, as it does during all that is not attended.
func (w *world) attend(ctx context.Context, work func(ctx context.Context, cut <-chan struct{}) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cut, over := make(chan struct{}), make(chan struct{})
	if w.interrupts == nil {
		return work(ctx, cut)
	}
	signals, release := w.interrupts()
	defer release()
	var watch sync.WaitGroup
	defer watch.Wait()
	defer close(over)
	watch.Go(func() {
		for _, then := range []func(){func() { stop(errInterrupted) }, func() { close(cut); release() }} {
			select {
			case <-signals:
				then()
			case <-over:
				return
			}
		}
	})
	return work(ctx, cut)
}

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// screen is where progress is shown.
func (w *world) screen() *screen.Terminal {
	term := w.getenv("TERM")
	return &screen.Terminal{Out: w.stderr, Draws: w.terminal && term != "dumb" && term != "", Columns: w.columns, Lines: w.lines}
}

// getenv returns a variable of the environment.
func (w *world) getenv(name string) string {
	for _, entry := range w.environ() {
		if key, value, _ := strings.Cut(entry, "="); key == name {
			return value
		}
	}
	return ""
}

// errReported ends the program with status 1 if the reason is already printed.
var errReported = errors.New("reported")

// A usageError is a wrong use of the program; it ends with status 2.
type usageError struct{ error }

// Unwrap returns the error.
func (e usageError) Unwrap() error { return e.error }

// usagef makes a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// execute runs the program and returns its exit status.
func execute(w *world) int {
	root := newRoot(w)
	root.SetArgs(joined(w.args))
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
		fmt.Fprintf(w.stderr, "quintain: %s\nRun '%s --help' for how it is used.\n", screen.Safe(err.Error()), ran.CommandPath())
		return exitUsage
	}
	fmt.Fprintf(w.stderr, "quintain: %s\n", screen.Safe(err.Error()))
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
  quintain ask spell_backward        pose a problem to the model that the run trained
  quintain tasks list                what there is to solve
  quintain hub                       only the durable queue, for trainers and environments of Atropos`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.SetUsageFunc(flags.Usage)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return w.checkEnviron() }
	root.AddCommand(newRun(w), newEnv(w), newEval(w), newAsk(w), newPretrain(w), newPlot(w), newTokenizer(w), newTrace(w), newView(w), newExport(w), newHub(w), newServe(w), newQueue(w), newBench(w),
		newPolicy(w), newFakeServer(w),
		newTasks(w), newScenarios(w), newGrade(w), newMath(w), newPipe(w), newTemplate(w), newConfig(w), newVersion(w))
	return root
}

// checkEnviron refuses variables of ours that are no settings.
func (w *world) checkEnviron() error {
	from := settings.Sources{Environ: w.environ(), Others: []string{configVariable}}
	if err := settings.New(defaults(kindTiny)).Use().Load(from); err != nil {
		return usageError{err}
	}
	return nil
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

// atMostOneArg wants one argument, called name, or none.
func atMostOneArg(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usagef("%s wants one %s at most, has %d arguments", c.CommandPath(), name, len(args))
		}
		return nil
	}
}
