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

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/quintain-rl/quintain/atropos/environment"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/gateway/keys"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/interrupt"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/settings/flags"
	"github.com/quintain-rl/quintain/watch"
)

// A world is everything outside the program's memory, except files and sockets. Tests have
// their own.
type world struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        func() []string
	terminal       bool                   // stderr is a terminal
	tty            bool                   // stdout is a terminal
	columns        func() int             // of the terminal
	lines          time.Duration          // between two lines of progress; 0: as package screen has it
	browse         func(url string) error // opens a browser; nil: there is none

	// interrupts returns a channel of the signals that end the program, and a function after
	// which they end it immediately again. Nil: there are no signals.
	interrupts func() (signals <-chan os.Signal, release func())

	defaults *settings.Form // see form; nil: not made yet
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
		environ: os.Environ, terminal: term.IsTerminal(int(os.Stderr.Fd())), tty: term.IsTerminal(int(os.Stdout.Fd())),
		columns: screen.Columns(os.Stderr, os.Stdout),
		interrupts: func() (<-chan os.Signal, func()) {
			c := make(chan os.Signal, 2) // the first stops, the second cuts
			signal.Notify(c, os.Interrupt, syscall.SIGTERM)
			return c, func() { signal.Stop(c) }
		},
	}))
}

// attend runs work, which signals stop, cut and end.
func (w *world) attend(ctx context.Context, work func(ctx context.Context, cut <-chan struct{}) error) error {
	return interrupt.Attend(ctx, w.interrupts, work)
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
		if value, is := strings.CutPrefix(entry, name+"="); is {
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
	root := newRoot(w, called)
	root.SetArgs(args)
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	ran, err := root.ExecuteContextC(context.Background())
	if err == nil || errors.Is(err, host.ErrStopped) {
		return exitOK
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintf(w.stderr, "quintain: %s\n", screen.Safe(err.Error()))
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
	return usage || invalid ||
		strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag") // cobra's
}

// verbs returns what makes the verbs, by their names.
func verbs() map[string]func(*world) *cobra.Command {
	return map[string]func(*world) *cobra.Command{
		"run": newRun, "worker": newWorker, "gateway": newGateway, "env": newEnv, "eval": newEval, "ask": newAsk, "agent": newAgent, "pretrain": newPretrain, "plot": newPlot, "tokenizer": newTokenizer,
		"trace": newTrace, "view": newView, "export": newExport, "hub": newHub, "serve": newServe, "queue": newQueue, "bench": newBench, "policy": newPolicy, "fake-server": newFakeServer,
		"doctor": newDoctor, "tasks": newTasks, "scenarios": newScenarios, "mcp": newMCP, "dataset": newDataset, "init": newInit, "grade": newGrade, "math": newMath, "pipe": newPipe,
		"template": newTemplate, "sandbox": newSandbox, "judge": newJudge, "config": newConfig, "version": newVersion,
	}
}

// newRoot returns the command tree: with the called verb alone if that is one, for the flags of all
// of them cost 8 ms, else with every verb.
func newRoot(w *world, called string) *cobra.Command {
	root := &cobra.Command{
		Use:   "quintain",
		Short: "Problems, episodes, grades and a durable queue for reinforcement learning of language models",
		Long: `Quintain sets problems to language models, plays the conversation, grades the answers,
and keeps the scored groups on disk until a trainer has taken them.`,
		Example: `  quintain run --minutes 5           play, grade, queue and train, with only this binary
  quintain ask spell_backward        pose a problem to the model that the run trained
  quintain tasks list                all tasks, a line each
  quintain hub                       only the durable queue, for trainers and environments of Atropos`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       strings.TrimPrefix(itself(), "quintain "),
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{flags.Explain(c, err)} })
	root.SetUsageFunc(flags.Usage)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return w.checkEnviron() }
	all := verbs()
	if verb := all[called]; verb != nil {
		root.AddCommand(verb(w))
		return root
	}
	for _, verb := range all {
		root.AddCommand(verb(w))
	}
	root.AddCommand(newMan())
	return root
}

// checkEnviron refuses variables with our prefix that are no settings.
func (w *world) checkEnviron() error {
	from := settings.Sources{Environ: w.environ(), Others: append(keys.Variables(), configVariable)}
	if !from.Ours() {
		return nil
	}
	if err := settings.New(defaults(player.Tiny)).Use().Load(from); err != nil {
		return usageError{err}
	}
	return nil
}

// noArgs refuses arguments. If they name no command, it suggests the nearest.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasAvailableSubCommands() {
		return usagef("unknown argument %q for %q", args[0], c.CommandPath())
	}
	return usagef("unknown command %q for %q%s", args[0], c.CommandPath(), flags.MeantCommand(c, args[0]))
}

// oneArg wants exactly one argument, called name.
func oneArg(name string) cobra.PositionalArgs { return wants(1, "one "+name) }

// atMostOneArg wants one argument, called name, or none.
func atMostOneArg(name string) cobra.PositionalArgs { return wants(0, "one "+name+" at most") }

func wants(least int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > 1 {
			return usagef("%s wants %s, has %d arguments", c.CommandPath(), what, len(args))
		}
		return nil
	}
}
