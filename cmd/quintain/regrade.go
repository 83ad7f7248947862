package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/regrade"
	"github.com/quintain-rl/quintain/run/watch"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/trace"
)

func newRegrade(w *world) *cobra.Command {
	const verb = "regrade"
	var o regrade.Ordered
	c := o.Anew()
	given := flags.Add(c, w.form().Use(uses()[verb]...))
	for _, name := range []string{"scenario", "log-level"} {
		c.Flags().Lookup(name).Hidden = true // --with has them
	}
	c.MarkFlagsMutuallyExclusive("eval", "data")
	c.Args = noArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		own, err := w.loadConfig(verb, "", given)
		if err != nil {
			return err
		}
		if err := o.Open(own.Data); err != nil {
			return usageError{err}
		}
		o.Program, o.Log, o.Plan = version(), own.Log.Logger(w.stderr), func(ctx context.Context, of []byte) (regrade.Plan, error) {
			c, p, err := storedPlan(ctx, w, of, given)
			if err != nil {
				return p, err
			}
			streams, err := c.streams()
			p.Find = c.Source.Finds(streams)
			return p, err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) (err error) {
			if a, environment := o.Environment(); environment {
				if o.Job.Grader, err = openGrader(ctx, a, own, o.Log); err != nil {
					return err
				}
			}
			return errors.Join(regradeOrdered(ctx, w, &o), o.Job.Grader.Close())
		})
	}
	return c
}

// openGrader opens an environment as a grader.
func openGrader(ctx context.Context, a guest.Address, c *config, log *slog.Logger) (*regrade.Grader, error) {
	p, err := catalog.OpenEnvironment(ctx, a, c.Source.Scenario.Environment, log)
	if err != nil {
		return nil, err
	}
	return regrade.Guest(a, p)
}

// regradeOrdered grades what is ordered, shows its progress and prints what changes.
func regradeOrdered(ctx context.Context, w *world, o *regrade.Ordered) error {
	bar := screen.NewBar(w.screen(), "grading")
	o.Told = func(done, total, ungraded int) { bar.Show(done, total, stats.Count(ungraded, "episode")+" ungraded") }
	var sum *regrade.Changes
	names := &watch.Sources{Paths: []string{o.Data}, Program: o.Program}
	err := names.Use(func(at watch.Config) (err error) {
		sum, err = regrade.Run(ctx, o.At(at.Data))
		return err
	})
	_, none := errors.AsType[*trace.MissingError](err)
	switch bar.End(); {
	case none:
		return usagef("%s has no groups: want the data folder of a run, a file of export records, or an evaluation by --eval", o.Data)
	case sum == nil && errors.Is(err, fs.ErrNotExist):
		return usageError{err}
	case sum == nil:
		return err
	}
	return errors.Join(screen.Changes(w.stdout, sum, o.Format), cmp.Or(err, sum.Vain(), sayDamage(w.stderr, sum.Damage)))
}

// storedPlan reads the settings of a run or an evaluation in its trace, over which flags go, and
// starts what grades in them.
func storedPlan(ctx context.Context, w *world, of []byte, given map[string]settings.Given) (c *config, p regrade.Plan, err error) {
	text, err := regrade.Settings(of)
	if err != nil {
		return nil, p, err
	}
	if c, err = w.configOf("settings", settings.Sources{Base: &settings.Sources{File: "settings of the run", Data: text}, Flags: given}); err != nil {
		return nil, p, err
	}
	c.Source.Scenario.LeaveAgent() // of what an agent did, its scenario judges the answer
	c.Rules.Size, c.Rules.Sampling = c.Run.Of.GroupSize, c.Policy.Sampling
	p = regrade.Plan{Rules: c.Rules, Bound: c.Run.Of.Bound(), Store: c.Store, Trace: c.Trace, Stop: c.Source.Scenario.Stop}
	return c, p, c.Source.Scenario.Start(ctx, c.Log.Logger(w.stderr))
}
