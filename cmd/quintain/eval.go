package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/exam/examform"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newEval(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Examine a policy with problems that are always the same",
		Long: `Eval plays a fixed set of problems of each task, no two of which ask the same, and
prints the mean score of each task with its 95 % interval. A task with few problems is
asked all of them, and a file of problems is asked once through. With --samples N each
problem is played N times, which gives pass@k and the majority vote as well.

With --out the folder gets every conversation and the report in all forms. If the
examination is stopped or killed, the same command goes on with it: what has been
played is not played again.

An episode whose server failed is played again, up to --replays times. One that fails
for good has no score. If more than --max-failed of the episodes fail,
the examination ends with status 1 and the last cause.

The tiny policy has the weights of --weights, else those of the checkpoint in the
data folder, else the embedded ones.`,
		Example: `  quintain eval
  quintain eval --policy server --url http://127.0.0.1:8001 --tasks word_ladder:2,countdown:1
  quintain eval --count 200 --samples 8 --out before
  quintain eval compare before after`,
		Args: noArgs,
	}
	load := w.settings(c, "eval")
	w.examines(c, func() (*config, string, error) {
		cfg, err := load()
		return cfg, "", err
	})
	c.AddCommand(newEvalCompare(w))
	return c
}

// examines has c examine the policy of the settings that load reads, and gives it the flags
// of what becomes of the report. Load also names the folder that keeps it if no flag does;
// empty: none.
func (w *world) examines(c *cobra.Command, load func() (c *config, out string, err error)) {
	out := c.Flags().String("out", "", "folder that keeps every conversation and the report; an examination that was stopped there goes on")
	format := c.Flags().String("format", "table", "form of what is printed: "+examform.Names())
	c.RunE = func(c *cobra.Command, _ []string) error {
		form, err := formOf(*format)
		if err != nil {
			return err
		}
		cfg, folder, err := load()
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			report, err := w.evaluate(ctx, cfg, cmp.Or(*out, folder))
			if report == nil {
				return err
			}
			return errors.Join(err, form.Write(w.stdout, report))
		})
	}
}

// formOf returns the form of reports with a name.
func formOf(name string) (examform.Form, error) {
	forms := examform.Forms()
	i := slices.IndexFunc(forms, func(f examform.Form) bool { return f.Name == name })
	if i < 0 {
		return examform.Form{}, usagef("--format is %q, want %s", name, examform.Names())
	}
	return forms[i], nil
}

// evaluate examines the policy of c, and keeps all in the folder out unless that is empty.
// The report may be there with an error.
func (w *world) evaluate(ctx context.Context, c *config, out string) (report *exam.Report, err error) {
	how := c.Exam
	if c.Problems != "" && how.Split != exam.AutoSide {
		return nil, usagef("--split is %s, but of the file of --problems all are asked: leave out one of the two", how.Split)
	}
	defer c.Scenario.Stop()
	if err := c.Scenario.Start(ctx, c.Log.logger(w)); err != nil {
		return nil, err
	}
	streams, err := c.streams()
	if err != nil {
		return nil, err
	}
	if how.Rule == exam.AtroposRule && len(c.Tasks) == 0 {
		fmt.Fprintf(w.stderr, "quintain eval: %d of the %d tasks that Atropos draws are here\n", len(streams), len(catalog.AtroposTaskNames(c.Run.Of.Seed)))
	}
	sets, err := exam.NewSets(streams, how)
	if err != nil {
		return nil, err
	}
	policy, err := c.trained(ctx, w, streams)
	if err != nil {
		return nil, err
	}
	e := &exam.Exam{
		Sets: sets, Policy: policy, Sampling: c.Policy.Sampling, Samples: how.Samples, Parallel: c.Run.Of.Parallel,
		Replays: c.Run.Of.Replays, Limit: c.Run.Of.EpisodeTime, MaxFailed: how.MaxFailed,
	}
	if out == "" {
		return w.examine(ctx, e)
	}
	folder, err := w.openExamination(c, out, e)
	if err != nil {
		return nil, err
	}
	report, err = w.examine(ctx, e)
	return report, errors.Join(err, writeReports(folder, report), folder.Close())
}

// examine holds an examination and shows how far it is.
func (w *world) examine(ctx context.Context, e *exam.Exam) (report *exam.Report, err error) {
	bar := screen.NewBar(w.screen(), "examining")
	e.Told = func(p exam.Progress) { bar.Show(p.Done, p.Total, failures(p)) }
	err = beside(ctx, e.Policy, func(ctx context.Context) (err error) {
		report, err = e.Run(ctx)
		return err
	})
	bar.End()
	if report != nil && report.LastFault != "" {
		fmt.Fprintf(w.stderr, "quintain eval: the last failure: %s\n", screen.Safe(report.LastFault))
	}
	return report, err
}

// failures tells of the episodes that failed.
func failures(p exam.Progress) string {
	if p.Failed == 0 {
		return "none failed"
	}
	return fmt.Sprintf("%d failed (%s)", p.Failed, screen.Clip(p.Cause, 60))
}
