package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/prove"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// The exit statuses of quintain prove beside those of all verbs.
const (
	exitUnproven = 3
	exitFault    = 4
)

// A statusError ends the program with a status, after its reason is printed.
type statusError int

// Error implements error.
func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// A proving is how quintain prove is called.
type proving struct {
	job                         prove.Job
	out, format, task           string
	before, accept, solver, one string
}

func newProve(w *world) *cobra.Command {
	var p proving
	c := &cobra.Command{
		Use:   "prove ADDRESS",
		Short: "Check what an environment is worth: its rewards, labels, repeats, leaks and faults",
		Long: `Prove plays an environment without a model: with its solutions, with changed ones, with replies that make no sense, and
with policies that solve nothing. It finds wrong labels, rewards for nothing, answers that leak, and episodes that do not
repeat. The address names a task (countdown, countdown:1), a scenario, an environment as --environment has it, a file
of problems, or a Python file with reset and step. A failed check shows the episode and the command that plays it again.

The exit status is 0 for proven, 1 for faulty, 3 for unproven (nothing failed, but something that matters was not
measured), 2 if it cannot start, and 4 for a fault of a check.`,
		Example: `  quintain prove countdown:1
  quintain prove textarena:GuessTheNumber-v0 --quick
  quintain prove my_env.py --out proof --compare proof/prove.json`,
		Args: oneArg("ADDRESS"),
	}
	f := c.Flags()
	f.Float64Var(&p.job.Seconds, "seconds", 120, "budget of time; cheap checks come first; 0: no limit")
	f.BoolVar(&p.job.Quick, "quick", false, "only the checks that matter most, with few episodes: 20 s at most")
	f.BoolVar(&p.job.Deep, "deep", false, "ten times the episodes, for 30 min unless --seconds says otherwise")
	f.StringSliceVar(&p.job.Only, "only", nil, "only the checks with these `IDS`, such as reward.floor,repro.same")
	f.StringVar(&p.out, "out", "", "folder for prove.json and prove.html")
	f.StringVar(&p.format, "format", "text", "format of what is printed: text or json")
	f.StringVar(&p.task, "task", "", "task of a scenario that plays several (default chain_sum)")
	f.StringVar(&p.before, "compare", "", "tell what changed since the report in `FILE`, an earlier prove.json")
	f.StringVar(&p.accept, "accept", "", "fails that you dispute: a JSON `FILE` with an object of reasons by the ids of checks")
	f.StringVar(&p.solver, "solver", "", "`COMMAND` that solves: it reads the messages of a problem as a line of JSON, and writes the reply as a JSON text on a line")
	load := w.settings(c, "prove")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		if p.job.Deep && !c.Flags().Changed("seconds") {
			p.job.Seconds = 1800
		}
		if p.job.Quick && !c.Flags().Changed("seconds") {
			p.job.Seconds = 20
		}
		return p.address(c.Context(), w, cfg, args[0])
	}
	return c
}

// check refuses flags that do not go together.
func (p *proving) check() error {
	switch {
	case p.job.Quick && p.job.Deep:
		return usagef("--quick and --deep: choose one")
	case p.job.Seconds < 0:
		return usagef("--seconds: is %v, want 0 or more", p.job.Seconds)
	case p.format != "text" && p.format != "json":
		return usagef("--format: is %s, want text or json", p.format)
	}
	known := map[string]bool{}
	for _, c := range prove.Checks() {
		known[c.ID] = true
	}
	for _, id := range p.job.Only {
		if !known[id] {
			return usagef("--only: there is no check %s", id)
		}
	}
	return nil
}

// proves checks the environment of an address.
func (p *proving) address(ctx context.Context, w *world, c *config, address string) error {
	if err := p.check(); err != nil {
		return err
	}
	of := c.Source
	of.Scenario.Suit(func(string) map[string]string { return nil })
	one, err := of.Address(address, p.task)
	if err != nil {
		return usageError{err}
	}
	p.one = one
	return w.attend(ctx, func(ctx context.Context, _ <-chan struct{}) error {
		p.job.Address, p.job.Command, p.job.Seed = address, "quintain prove "+quotedArgument(address), c.Run.Of.Seed
		return p.run(ctx, w, c, &of)
	})
}

// quotedArgument quotes an argument for a shell, if it needs quotes.
func quotedArgument(text string) string {
	if strings.ContainsAny(text, " '\"?*#&;<>|()[]{}$\\`!~") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// prove checks an environment, and prints and keeps the report.
func (p *proving) run(ctx context.Context, w *world, c *config, of *catalog.Source) (err error) {
	log := c.Log.Logger(w.stderr)
	p.job.Open = func(ctx context.Context) (*prove.Subject, error) { return of.Prove(ctx, p.one, p.job.Seed, log) }
	if p.solver != "" {
		var stop func() error
		if p.job.Solver, stop, err = prove.Program(p.solver); err != nil {
			return usagef("--solver: %w", err)
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	bar := screen.NewBar(w.screen(), "checking")
	p.job.Told = bar.Tell
	report, err := prove.Run(ctx, p.job)
	bar.End()
	if start, ok := errors.AsType[*prove.StartError](err); ok {
		return usageError{start}
	}
	if err != nil {
		return err
	}
	report.Quintain = "quintain " + version()
	if err := p.finish(report); err != nil {
		return err
	}
	return publish(w, report, p)
}

// finish accepts and compares.
func (p *proving) finish(r *prove.Report) error {
	if p.accept != "" {
		data, err := os.ReadFile(p.accept)
		if err != nil {
			return usagef("--accept: %w", &settings.MissingError{Path: p.accept})
		}
		reasons, err := prove.ReadReasons(data)
		if err != nil {
			return usagef("--accept: %s: %w", p.accept, err)
		}
		r.Accept(reasons)
	}
	if p.before != "" {
		data, err := os.ReadFile(p.before)
		if err != nil {
			return usagef("--compare: %w", &settings.MissingError{Path: p.before})
		}
		before, err := prove.ReadReport(data)
		if err != nil {
			return usagef("--compare: %s is no report of quintain prove: %w", p.before, err)
		}
		r.Compare(before)
	}
	return nil
}

// publish prints the report, keeps it in the folder, and gives its exit status.
func publish(w *world, r *prove.Report, p *proving) error {
	if p.out != "" {
		if err := r.WriteFolder(filepath.Clean(p.out)); err != nil {
			return err
		}
	}
	write := func() error { return r.WriteText(w.stdout, screen.Safe) }
	if p.format == "json" {
		write = func() error { return r.WriteJSON(w.stdout) }
	}
	if err := write(); err != nil {
		return err
	}
	switch {
	case r.Verdict == prove.Faulty:
		return statusError(exitFailed)
	case r.Counts.Errors > 0:
		return statusError(exitFault)
	case r.Verdict == prove.Unproven:
		return statusError(exitUnproven)
	}
	return nil
}
