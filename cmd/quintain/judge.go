package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/policy/judge/jury"
	"github.com/quintain-rl/quintain/run/regrade"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/settings/flags"
)

func newJudge(w *world) *cobra.Command {
	c := jury.Desk{
		Stdin: w.stdin, Stdout: w.stdout, Stderr: w.stderr, Attend: w.attend, Usage: func(err error) error { return usageError{err} },
	}.Command()
	c.AddCommand(newJudgeResume(w))
	return c
}

func newJudgeResume(w *world) *cobra.Command {
	const verb = "judge resume"
	c := regrade.Command()
	given := flags.Add(c, w.form().Use(uses()[verb]...))
	c.Args = noArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		own, err := w.loadConfig(verb, "", given)
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return w.resume(ctx, own, given) })
	}
	return c
}

// resume judges what a run has left ungraded, by its own settings, over which flags go.
func (w *world) resume(ctx context.Context, own *config, given map[string]settings.Given) error {
	log := own.Log.Logger(w.stderr)
	report, err := regrade.Resume(ctx, regrade.Config{Data: own.Data, Program: version(), Log: log, Plan: func(ctx context.Context, of []byte) (p regrade.Plan, err error) {
		c, err := w.configOf("settings", settings.Sources{Base: &settings.Sources{File: "settings of the run", Data: of}, Flags: given})
		if err != nil {
			return p, err
		}
		c.Rules.Size, c.Rules.Sampling = c.Run.Of.GroupSize, c.Policy.Sampling
		p = regrade.Plan{Rules: c.Rules, Bound: c.Run.Of.Bound(), Store: c.Store, Trace: c.Trace, Stop: c.Source.Scenario.Stop}
		if err := c.Source.Scenario.Start(ctx, log); err != nil {
			return p, err
		}
		p.Streams, err = c.runStreams()
		return p, err
	}})
	return report.Say(w.stdout, err)
}
