package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/exam"
	"github.com/quintain-rl/quintain/screen"
)

func newEval(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Examine a policy with problems that are always the same",
		Long: `Eval plays a fixed set of problems of each task, no two of which ask the same, and
prints the mean score of each task with its 95 % interval. A task with few problems is
asked all of them, and a file of problems is asked once through. With --samples N each
problem is played N times, which gives pass@k and the majority vote as well.

An episode whose server failed is played again, up to --replays times. One that fails
for good has no score. If more than --max-failed of the episodes fail,
the examination ends with status 1 and the last cause.

The tiny policy has the weights of --weights, else those of the checkpoint in the
data folder, else the embedded ones.`,
		Example: `  quintain eval
  quintain eval --policy server --url http://127.0.0.1:8001 --tasks word_ladder:2,countdown:1
  quintain eval --count 200 --samples 8 --json > now.json
  quintain eval --count 200 --samples 8 --against now.json`,
		Args: noArgs,
	}
	asJSON := c.Flags().Bool("json", false, "print JSON, with the scores of every problem")
	against := c.Flags().String("against", "", "file with an earlier report (--json) to compare with, problem by problem")
	load := w.settings(c, "eval")
	c.RunE = func(c *cobra.Command, _ []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		var earlier *exam.Report
		if *against != "" {
			if earlier, err = exam.ReadReport(*against); err != nil {
				return usagef("--against: %w", err)
			}
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			report, err := w.evaluate(ctx, cfg)
			if report == nil {
				return err
			}
			return errors.Join(err, w.showExam(report, earlier, *asJSON))
		})
	}
	return c
}

// showExam prints a report, and how it compares with an earlier one.
func (w *world) showExam(r, earlier *exam.Report, asJSON bool) error {
	if asJSON {
		return printJSON(w.stdout, r)
	}
	if err := printExam(w.stdout, r); err != nil || earlier == nil {
		return err
	}
	c, shared := exam.Compare(earlier, r)
	if !shared {
		return errors.New("--against: the two reports share no problem that both have scored")
	}
	return printComparison(w.stdout, &c)
}

// evaluate examines the policy of c. The report may be there with an error.
func (w *world) evaluate(ctx context.Context, c *config) (report *exam.Report, err error) {
	how := c.Exam
	if c.Problems != "" && how.Split != exam.AutoSide {
		return nil, usagef("--split is %s, but of the file of --problems all are asked: leave out one of the two", how.Split)
	}
	streams, err := c.streams()
	if err != nil {
		return nil, err
	}
	sets, err := exam.NewSets(streams, how)
	if err != nil {
		return nil, err
	}
	policy, err := c.trained(ctx, w, streams)
	if err != nil {
		return nil, err
	}
	bar := screen.NewBar(w.screen(), "examining")
	e := exam.Exam{
		Sets: sets, Policy: policy, Sampling: c.Policy.Sampling, Samples: how.Samples, Parallel: c.Run.Of.Parallel, Replays: c.Run.Of.Replays, MaxFailed: how.MaxFailed,
		Told: func(p exam.Progress) { bar.Show(p.Done, p.Total, failures(p)) },
	}
	err = beside(ctx, policy, func(ctx context.Context) (err error) {
		report, err = e.Run(ctx)
		return err
	})
	bar.End()
	return report, err
}

// failures tells of the episodes that failed.
func failures(p exam.Progress) string {
	if p.Failed == 0 {
		return "none failed"
	}
	return fmt.Sprintf("%d failed (%s)", p.Failed, screen.Clip(p.Cause, 60))
}
