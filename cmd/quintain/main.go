// Command quintain makes problems, plays episodes, grades the answers, and keeps the groups until a trainer takes them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/harbor/image"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/interop/atropos/environment"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/watch"
)

// A world is everything outside the program's memory, except files and sockets. Tests have
// their own.
type world struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        func() []string
	typed          bool                   // stdin is a terminal
	terminal       bool                   // stderr is a terminal
	tty            bool                   // stdout is a terminal
	columns        func() int             // of the terminal
	lines          time.Duration          // between two lines of progress; 0: as package screen has it
	browse         func(url string) error // opens a browser; nil: there is none

	// interrupts returns a channel of the signals that end the program, and a function after
	// which they end it immediately again. Nil: there are no signals.
	interrupts func() (signals <-chan os.Signal, release func())

	defaults *settings.Form // see form; nil: not made yet
	misused  error          // by arguments beside --help; nil: it was not
}

// The program's exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	os.Exit(execute(&world{
		args:  os.Args[1:],
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		browse:  watch.Browse,
		environ: os.Environ, typed: term.IsTerminal(int(os.Stdin.Fd())), terminal: term.IsTerminal(int(os.Stderr.Fd())), tty: term.IsTerminal(int(os.Stdout.Fd())),
		columns: screen.Columns(os.Stderr, os.Stdout),
		interrupts: func() (<-chan os.Signal, func()) {
			c := make(chan os.Signal, 2) // the first stops, the second cuts
			signal.Notify(c, os.Interrupt, syscall.SIGTERM)
			return c, func() { signal.Stop(c) }
		},
	}))
}

// input returns the standard input of a verb that reads lines of JSON. Who types it is told so.
func (w *world) input() io.Reader {
	if w.typed {
		fmt.Fprintln(w.stderr, "reading lines of JSON from the terminal; Ctrl-D ends them")
	}
	return w.stdin
}

// attend runs work, which signals stop, cut and end.
func (w *world) attend(ctx context.Context, work func(ctx context.Context, cut <-chan struct{}) error) error {
	return attend(ctx, w.interrupts, work)
}

// screen returns the terminal for progress.
func (w *world) screen() *screen.Terminal {
	t := screen.On(w.stderr, w.terminal, w.getenv)
	t.Columns, t.Lines = w.columns, w.lines
	return t
}

// results returns the terminal or the file for results.
func (w *world) results() *screen.Terminal {
	t := screen.On(w.stdout, w.tty, w.getenv)
	if w.tty {
		t.Columns = w.columns
	}
	return t
}

// getenv returns an environment variable.
func (w *world) getenv(name string) string {
	for _, entry := range w.environ() {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// errReported ends the program with status 1, after its reason is printed.
var errReported = errors.New("reported")

// A usageError says that the program is used wrongly. It ends with status 2.
type usageError struct{ error }

// Unwrap returns the error.
func (e usageError) Unwrap() error { return e.error }

// usagef makes a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// execute runs the program and returns its exit status.
func execute(w *world) int {
	args, called := w.args, strings.Join(w.args[:min(1, len(w.args))], "")
	if called == "env" {
		args = environment.Join(args)
	}
	if err := moved(args); err != nil {
		fmt.Fprintln(w.stderr, err)
		return exitUsage
	}
	root := newRoot(w, called)
	root.SetArgs(args)
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	ran, err := root.ExecuteContextC(context.Background())
	if err == nil {
		err = w.misused
	}
	if err == nil || errors.Is(err, host.ErrStopped) {
		return exitOK
	}
	if status, ok := errors.AsType[statusError](err); ok {
		return int(status)
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintf(w.stderr, "quintain: %s\n", screen.Fault(err.Error()))
	}
	if !isUsage(err) {
		return exitFailed
	}
	fmt.Fprintf(w.stderr, "Run '%s --help' for its usage.\n", ran.CommandPath())
	return exitUsage
}

// isUsage reports whether an error says that the program is used wrongly.
func isUsage(err error) bool {
	_, usage := errors.AsType[usageError](err)
	_, invalid := errors.AsType[player.InvalidError](err)
	_, missing := errors.AsType[*settings.MissingError](err)
	return usage || invalid || missing ||
		strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag") // cobra's
}

// checkEnviron refuses variables with our prefix that are no settings.
func (w *world) checkEnviron() error {
	from := settings.Sources{Environ: w.environ(), Others: append(gateway.AgentVariables(), configVariable, helpVariable, image.Variable), Former: flags.Former()}
	if !from.Ours() {
		return nil
	}
	if err := settings.New(defaults(player.Tiny)).Use().Load(from); err != nil {
		return usageError{err}
	}
	return nil
}
