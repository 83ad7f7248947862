package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/exam/examform"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newEval(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Examine a policy on a fixed set of problems",
		Long: `Eval plays a fixed set of distinct problems of each task, and prints the mean score of
each task with its 95 % interval. Of a task with few problems, and of a file, it plays them
all. With --samples N it plays each problem N times, which also gives pass@k and the
majority vote.

With --out the folder gets every conversation and the report in all forms. If the
evaluation is stopped or killed, the same command resumes it, and plays only the rest.

After a failure of the server, eval starts the episode again, up to run.replays times. An
episode that still fails has no score. If more than exam.max_failed of the episodes fail, the
evaluation ends with status 1 and the last cause.

The tiny policy takes the weights of --weights, else of the checkpoint in the data
folder, else the embedded ones.`,
		Example: `  quintain eval
  quintain eval --policy server --url http://127.0.0.1:8001 --tasks word_ladder:2,countdown:1
  quintain eval --count 200 --samples 8 --out before
  quintain run --minutes 5 && quintain eval --count 200 --samples 8 --out after
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

// examines makes c examine the policy of the settings that load reads, and gives it the
// flags of the report. Load also names the folder to keep the report in, unless a flag
// does; empty: none.
func (w *world) examines(c *cobra.Command, load func() (c *config, out string, err error)) {
	out := c.Flags().String("out", "", "folder for every conversation and the report; an evaluation that was stopped there resumes")
	format := c.Flags().String("format", "table", "format of the printed report: "+examform.Names())
	c.RunE = func(c *cobra.Command, _ []string) error {
		form, err := examform.Named(*format)
		if err != nil {
			return usagef("--%w", err)
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

// evaluate examines the policy of c, and keeps everything in the folder out, unless that is
// empty. It may return a report along with an error.
func (w *world) evaluate(ctx context.Context, c *config, out string) (report *exam.Report, err error) {
	how := c.Exam
	if c.Source.File != "" && how.Split != exam.AutoSide {
		return nil, usagef("exam.split is %s, but --problems asks the whole file: leave one out", how.Split)
	}
	defer c.Source.Scenario.Stop()
	log := c.Log.Logger(w.stderr)
	if err := c.Source.Scenario.Start(ctx, log); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Source.Scenario.Report().Say(w.stderr)) }()
	streams, err := c.streams()
	if err != nil {
		return nil, err
	}
	if how.Rule == exam.AtroposRule && len(c.Source.Tasks) == 0 {
		fmt.Fprintf(w.stderr, "quintain eval: this program has %d of the %d tasks that Atropos draws\n", len(streams), len(catalog.AtroposTaskNames(c.Run.Of.Seed)))
	}
	bar, began := screen.NewBar(w.screen(), "drawing problems"), time.Now()
	how.Told = func(done, total int) {
		if time.Since(began) > silence {
			bar.Show(done, total, "a set for each level")
		}
	}
	sets, err := exam.NewSets(ctx, streams, how)
	bar.End()
	if err = cmp.Or(err, exam.CheckAsked(sets)); err != nil {
		return nil, err
	}
	policy, err := w.policy(ctx, c, streams, false)
	if err != nil {
		return nil, err
	}
	e := &exam.Exam{
		Sets: sets, Policy: policy, Sampling: c.Policy.Sampling, Samples: how.Samples, Parallel: c.Run.Of.Parallel,
		Replays: c.Run.Of.Replays, Limit: c.Run.Of.EpisodeTime, MaxFailed: how.MaxFailed, Log: log,
	}
	others, err := c.opponents(ctx, w, rollout.Examined(streams))
	if err != nil {
		return nil, err
	}
	e.Opponents = others.By
	if out == "" {
		return w.examine(ctx, e, others.Beside...)
	}
	folder, err := w.openEvaluation(c, out, e)
	if err != nil {
		return nil, err
	}
	report, err = w.examine(ctx, e, others.Beside...)
	return report, errors.Join(err, examform.WriteFiles(report, folder.Write), folder.Close())
}

// opponents opens the other policies of streams, for an evaluation or a question.
func (c *config) opponents(ctx context.Context, w *world, streams []rollout.Stream) (player.Opponents, error) {
	return c.Policy.Opponents(ctx, player.Start{Data: c.Data, Streams: streams, Seed: c.Run.Of.Seed, Parallel: c.Run.Of.Parallel},
		server.Use{Stop: ctx.Done(), Parallel: c.Run.Of.Parallel, Log: c.Log.Logger(w.stderr), Say: func(text string) { fmt.Fprintf(w.stderr, "quintain: %s\n", text) }})
}

// silence is how long an evaluation draws its problems without a word.
const silence = 2 * time.Second

// examine holds an evaluation and shows its progress. What is beside runs meanwhile.
func (w *world) examine(ctx context.Context, e *exam.Exam, beside ...func(context.Context) error) (report *exam.Report, err error) {
	bar := screen.NewBar(w.screen(), "examining")
	e.Told = func(p exam.Progress) { bar.Show(p.Done, p.Total, screen.Failures(p)) }
	err = player.Beside(ctx, e.Policy, func(ctx context.Context) error {
		return run.Together(ctx, append(beside, func(ctx context.Context) (err error) {
			report, err = e.Run(ctx)
			return err
		})...)
	})
	bar.End()
	if report != nil && report.LastFault != "" {
		fmt.Fprintf(w.stderr, "quintain eval: the last failure: %s\n", screen.Fault(report.LastFault))
	}
	return report, err
}

// indifferent lists the settings of eval that do not change its results. A resumed
// evaluation may change them. The examples are told by the scenario.
func indifferent() []string {
	return []string{
		"-data", "-log", "-examples", "-run.parallel", "-run.replays", "-exam.max_failed", "-policy.weights", "-policy.delay",
		"-policy.url", "-policy.urls_file", "-policy.max_in_flight", "-policy.control", "-policy.key_file", "-policy.timeout", "-policy.retries",
	}
}

// openEvaluation opens the folder of an evaluation, and lets e resume from its results.
// The caller closes the folder.
func (w *world) openEvaluation(c *config, path string, e *exam.Exam) (*exam.Folder, error) {
	values, err := settings.New(c).Use(append(uses()["eval"], indifferent()...)...).Values()
	if err != nil {
		return nil, err
	}
	if c.Policy.Kind == player.Tiny {
		values["weights"], err = c.Policy.Digest(c.Data)
	} else if c.Policy.Remote() {
		values["policy.model"], err = json.Marshal(e.Policy.(*server.Server).Model()) // the settings may leave it to the server
	}
	if err != nil {
		return nil, err
	}
	folder, err := exam.OpenFolder(path, exam.NewPlan("quintain "+version(), e.Samples, values, e.Sets), e.Sets)
	if err != nil {
		return nil, err
	}
	e.Kept, e.Played = folder.Kept(), folder.Keep
	if n := len(e.Kept); n > 0 {
		fmt.Fprintf(w.stderr, "quintain eval: resuming %s, with the results of %s\n", path, stats.Count(n, "problem"))
	}
	return folder, nil
}
