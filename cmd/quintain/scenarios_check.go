package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newScenariosCheck(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "check [TASK]",
		Short: "Check that a program of your own plays fairly and repeatably",
		Long: `Check starts your program twice and plays the same problems in both processes, in
opposite orders: with the solution, if there is one, and with senseless replies. It
names each promise that the program breaks: problems, solutions or rewards that differ
between the processes, a solution that earns nothing, senseless replies that earn
more, replies that end in an error, episodes without an end.

A program that plays tasks is checked with TASK (default chain_sum).

With --scenario talk, check plays 20 known dialogues with its user: a goal that is reached,
an assistant that cannot help, is idle, or asks for the answer. Below 0.9 it fails.`,
		Example: `  quintain scenarios check --environment "command:python my_env.py"
  quintain scenarios check countdown --environment http://127.0.0.1:8080
  quintain scenarios check --scenario "talk:user='server:customer'" --config seats.yaml`,
		Args: wants("one TASK at most", 0, 1),
	}
	problems := c.Flags().Int("count", 4, "problems of each level")
	load := w.settings(c, "scenarios check")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		switch {
		case err != nil:
			return err
		case cfg.Source.Scenario.Name == "talk" && !cfg.Source.Scenario.Environment.Set():
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return checkTalk(ctx, w, cfg) })
		case !cfg.Source.Scenario.Environment.Set():
			return usagef("which program? Name it by --environment")
		case *problems < 1:
			return usagef("--count: is %d, want 1 or more", *problems)
		}
		of := catalog.Draft{Task: "chain_sum"}
		if len(args) == 1 {
			of.Task = args[0]
		}
		task, err := of.Open()
		if err != nil {
			return usageError{err}
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			return w.checkScenario(ctx, cfg, task, *problems)
		})
	}
	return c
}

// checkTalk plays the known dialogues of the scenario talk.
func checkTalk(ctx context.Context, w *world, c *config) error {
	check, err := c.Source.Scenario.NewTalkCheck()
	if err != nil {
		return usageError{err}
	}
	c.Run.Of.Parallel = 1
	others, err := c.opponents(ctx, w, []rollout.Stream{{Scenario: check.Of}})
	if err != nil {
		return err
	}
	user := others.By[check.Of.Players()[1]]
	says := func(ctx context.Context, talk []quintain.Message) (reply quintain.Reply, err error) {
		samples, err := user.Policy.Sample(ctx, quintain.Request{Key: "check", Messages: talk, N: 1, Sampling: user.Sampling, Exam: true})
		if len(samples) == 0 {
			return reply, cmp.Or(err, errors.New("the user's policy returned no sample"))
		}
		return quintain.Reply{Text: samples[0].Text, Finish: samples[0].Finish, Tokens: len(samples[0].Wrote)}, err
	}
	return run.Together(ctx, append(others.Beside, func(ctx context.Context) error { return check.Run(ctx, says, w.stdout) })...)
}

// checkScenario prints the promises that the program of c breaks.
func (w *world) checkScenario(ctx context.Context, c *config, task quintain.Task, problems int) error {
	found, err := c.Source.Scenario.CheckProgram(ctx, catalog.ProgramCheck{Task: task, Seed: c.Run.Of.Seed, Problems: problems, Log: c.Log.Logger(w.stderr)})
	if err != nil {
		return err
	}
	return found.Write(w.stdout)
}
