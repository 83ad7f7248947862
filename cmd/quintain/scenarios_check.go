package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/prove"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
)

func newScenariosCheck(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "check [TASK]",
		Short: "Check that a program of your own plays fairly and repeatably: the quick form of quintain prove",
		Long: `Check is quintain prove --quick for the program that --environment names. It starts the program twice, plays
the same problems in both processes, with the solution, if there is one, and with senseless replies, and names each
promise that the program breaks, with the episode that shows it.

A program that plays tasks is checked with TASK (default chain_sum). The exit status is that of prove, but 0 also if
nothing failed and something could not be measured.

With --scenario talk, check plays 20 known dialogues with its user: a goal that is reached,
an assistant that cannot help, is idle, or asks for the answer. Below 0.9 it fails.`,
		Example: `  quintain scenarios check --environment "command:python my_env.py"
  quintain scenarios check countdown --environment http://127.0.0.1:8080
  quintain scenarios check --scenario "talk:user='server:customer'" --config seats.yaml`,
		Args: wants("one TASK at most", 0, 1),
	}
	load := w.settings(c, "scenarios check")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		guests := cfg.Source.Scenario.Environment.Guests()
		switch {
		case cfg.Source.Scenario.Name == "talk" && len(guests) == 0:
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return checkTalk(ctx, w, cfg) })
		case len(guests) != 1:
			return usagef("which program? Name one by --environment")
		}
		p := proving{job: prove.Job{Quick: true, Seconds: 20}, format: "text"}
		if len(args) == 1 {
			p.task = args[0]
		}
		if err = p.address(c.Context(), w, cfg, guests[0].String()); errors.Is(err, statusError(exitUnproven)) {
			return nil
		}
		return err
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
