package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/run/regrade"
)

func newJudge(w *world) *cobra.Command {
	c := judge.Verbs{
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
		if file := own.Source.Scenario.Judge; file != "" { // also if no group needs it
			if err := judge.CheckFile(file); err != nil {
				return usagef("--judge: %w", err)
			}
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return w.resume(ctx, own, given) })
	}
	return c
}

// resume judges what a run has left ungraded, by its own settings, over which flags go.
func (w *world) resume(ctx context.Context, own *config, given map[string]settings.Given) error {
	sum, err := regrade.Run(ctx, regrade.Job{
		Data: own.Data, Program: version(), Log: own.Log.Logger(w.stderr), Grader: regrade.Task(), Left: true, Queue: true, Show: "%s",
		Plan: func(ctx context.Context, of []byte) (regrade.Plan, error) {
			c, p, err := storedPlan(ctx, w, of, given)
			if err != nil {
				return p, err
			}
			streams, err := c.runStreams()
			p.Find = regrade.Judged(streams)
			return p, err
		},
	})
	if sum == nil {
		return err
	}
	return cmp.Or(sum.Say(w.stdout, err), sayDamage(w.stderr, sum.Damage))
}
