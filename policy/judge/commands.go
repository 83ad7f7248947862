package judge

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Verbs is where the verbs work.
type Verbs struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Attend runs work until a signal ends its context, and a second one closes cut. Usage marks an
	// error as one of the caller.
	Attend func(ctx context.Context, work func(ctx context.Context, cut <-chan struct{}) error) error
	Usage  func(error) error
}

// Command returns the verb of judges, with those below it.
func (d Verbs) Command() *cobra.Command {
	c := &cobra.Command{Use: "judge", Short: "Grade replies with a model as the judge", Args: cobra.NoArgs}
	c.AddCommand(d.check(), d.grade(), d.session())
	return c
}

// judging gives c the flags of a judge, and has it work with one.
func (d Verbs) judging(c *cobra.Command, work func(ctx context.Context, j *Jury, args []string) error) *cobra.Command {
	s := Defaults()
	given := flags.Add(c, settings.New(&s))
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := s.Load(given); err != nil {
			return d.Usage(err)
		}
		j, err := OpenJury(s)
		if err != nil {
			return err
		}
		return errors.Join(d.Attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return work(ctx, j, args) }), j.Close())
	}
	return c
}

// check returns the verb that tries a judge.
func (d Verbs) check() *cobra.Command {
	var known string
	var floor float64
	var asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Find out whether a judge can be trusted",
		Long: `Check has a judge grade replies with known verdicts, twice, and simple wrong answers that are
followed by 33 texts written to be praised. It prints how often the judge is right, how
often it agrees with itself, how often it copies the code that its verdict must have, and
which of these texts earned more than the answer alone. The exit status is 1 if the judge
should not be trained on.`,
		Example: `  quintain judge check --rubric rubric.yaml --url http://127.0.0.1:8001/v1 --model my-judge
  quintain judge check --rubric rubric.yaml --url http://127.0.0.1:8001/v1 --model my-judge --known known.jsonl`,
		Args: cobra.NoArgs,
	}
	d.judging(c, func(ctx context.Context, j *Jury, _ []string) error {
		if j.Config.Rewards != nil {
			return d.Usage(errors.New("reward.kind: a reward model gives no verdicts that could be known: check knows rubrics"))
		}
		canaries, err := readKnown(known)
		if err != nil {
			return err
		}
		report, err := Attack(ctx, j.Config, canaries)
		if err != nil {
			return err
		}
		write := report.Write
		if asJSON {
			write = func(w io.Writer) error { return strictjson.WriteIndented(w, report) }
		}
		if err := write(d.Stdout); err != nil {
			return err
		}
		if why := report.Trusted(floor); why != "" {
			return fmt.Errorf("the judge should not be trained on: %s", why)
		}
		return nil
	})
	c.Flags().StringVar(&known, "known", "", "JSON lines of replies with known verdicts, such as {\"question\": …, \"reply\": …, \"want\": {\"correct\": \"no\"}}; empty: 50 simple ones, with a rubric of their own")
	c.Flags().Float64Var(&floor, "floor", 0.9, "least accuracy and agreement with itself")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// grade returns the verb that judges a file.
func (d Verbs) grade() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "grade",
		Short: "Grade replies with a model as the judge: JSON lines in, JSON lines out",
		Long: `Grade reads a JSON object a line from standard input, {"id", "question", "reply"}, and prints
a verdict for each as it comes. A reply whose judge failed, or wrote nothing readable, has
no score: its line says why, and the exit status is 1.

With --out the verdicts go to a file. The same command again judges only the replies that
have no verdict there. With a rubric of mode pairs or rank, replies with the same "group"
are compared. docs/judge.md has the form of rubrics and lines.`,
		Example: `  quintain judge grade --rubric rubric.yaml --url http://127.0.0.1:8002/v1 --model my-judge --out verdicts.jsonl < replies.jsonl`,
		Args:    cobra.NoArgs,
	}
	d.judging(c, func(ctx context.Context, j *Jury, _ []string) error {
		rows, err := ReadRows(d.Stdin, j.Config.Rubric)
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		if out == "" {
			err = j.Grade(ctx, rows, d.Stdout)
		} else {
			err = j.GradeFile(ctx, rows, out)
		}
		return errors.Join(err, j.Report().Say(d.Stderr))
	})
	c.Flags().StringVar(&out, "out", "", "file for the verdicts, in place of standard output; one that was begun is gone on with")
	return c
}

// session returns the verb that grades sessions of the gateway.
func (d Verbs) session() *cobra.Command {
	return d.judging(&cobra.Command{
		Use:   "session",
		Short: "Grade an ended session of the gateway: its program for gateway.grader",
		Long: `Session reads an ended session of the gateway from standard input, and prints its reward. The
judge sees the problem, and the agent's answer or last reply, its messages, or the text
"diff" of the session's metadata, as the rubric's view says. Without a verdict it prints
nothing and fails, and the session has no reward.`,
		Example: `  quintain gateway --with gateway.grader="quintain judge session --rubric rubric.yaml --url http://127.0.0.1:8002/v1 --model my-judge"`,
		Args:    cobra.NoArgs,
	}, func(ctx context.Context, j *Jury, _ []string) error { return j.GradeSession(ctx, d.Stdin, d.Stdout) })
}
