package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/gateway/agent"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run/exam/examdir"
	"github.com/quintain-rl/quintain/run/regrade"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/settings/flags"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/watch/lines"
)

func newRegrade(w *world) *cobra.Command {
	const verb = "regrade"
	var job regrade.Job
	var grader, evaluation, format string
	c := &cobra.Command{
		Use:   verb,
		Short: "Grade stored episodes anew, by another task version, program or judge, and tell what changes",
		Long: `Regrade reads the episodes of a run or an evaluation, has another grader judge them, and
prints what changes. Nothing is sampled, and nothing is written over: the verdicts go into a
file beside the trace, each with the old reward, and quintain export and quintain trace show
take the newest of them with --regraded.

The grader is task: the task and its scenario as this program has them, which are given the
same replies again; or the YAML file of a judge (docs/judge.md); or a command, which reads an
episode as JSON and writes {"reward": 0.5, "right": false, "why": "…"}. An episode that it
cannot grade is ungraded and counted, never 0; docs/scoring.md says more.

The same command again grades only what is left. With --requeue, groups that the run never
kept go into its queue if they teach something under the new rewards and are not too old.`,
		Example: `  quintain regrade --grader task
  quintain regrade --eval before --grader "python3 grade.py" --format records > changed.jsonl
  quintain regrade --data quintain-data --grader judge.yaml --only 'reasoning_gym.v2/chain_sum.*' --requeue`,
		Args: noArgs,
	}
	given := flags.Add(c, w.form().Use(uses()[verb]...))
	for _, name := range []string{"scenario", "log-level"} {
		c.Flags().Lookup(name).Hidden = true // --with has them
	}
	c.Flags().StringVar(&evaluation, "eval", "", "folder of quintain eval --out, in place of --data")
	c.Flags().StringVar(&grader, "grader", "", "who grades: task, the YAML file of a judge, or a command line")
	c.Flags().StringSliceVar(&job.Only, "only", nil, "only these groups, by their IDs, or the beginning of some with a * after it; with commas or repeated")
	c.Flags().BoolVar(&job.Requeue, "requeue", false, "put groups that were never kept into the queue of the run, which must not be running")
	c.Flags().StringVar(&format, "format", "table", "table; records, a JSON line for each episode that changed; or json")
	c.MarkFlagsMutuallyExclusive("eval", "data")
	c.RunE = func(c *cobra.Command, _ []string) error {
		own, err := w.loadConfig(verb, "", given)
		if err != nil {
			return err
		}
		print := map[string]func(*regrade.Changes) error{
			"table":   func(sum *regrade.Changes) error { return screen.Changes(w.stdout, sum) },
			"json":    func(sum *regrade.Changes) error { return jsonform.WriteIndented(w.stdout, sum) },
			"records": func(sum *regrade.Changes) error { return sum.Records(w.stdout) },
		}[format]
		switch {
		case print == nil:
			return usagef("--format: is %q, want table, records or json", format)
		case job.Requeue && evaluation != "":
			return usagef("--requeue: an evaluation has no queue; leave one out")
		}
		if job.Grader, err = regrade.Open(grader); err != nil {
			return usagef("--grader: %w", err)
		}
		job.Data = own.Data
		return errors.Join(w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			sum, err := w.regrade(ctx, own, given, evaluation, job)
			if sum == nil {
				return err
			}
			return errors.Join(print(sum), err)
		}), job.Grader.Close())
	}
	return c
}

// regrade grades the episodes of an evaluation, or of the data that own names.
func (w *world) regrade(ctx context.Context, own *config, given map[string]settings.Given, evaluation string, job regrade.Job) (*regrade.Changes, error) {
	log := own.Log.Logger(w.stderr)
	job.Program, job.Log, job.Trace = version(), log, own.Data
	job.Plan = func(ctx context.Context, of []byte) (regrade.Plan, error) { return w.regradePlan(ctx, of, given) }
	if evaluation != "" {
		if _, err := examdir.Read(evaluation); err != nil {
			return nil, usagef("--eval: %w", err)
		}
		job.Trace = evaluation
	}
	job.Beside, job.Show = filepath.Join(string(trace.OfRun(job.Trace)), trace.GradingsName), "quintain trace show '%s' --regraded --data "+strings.ReplaceAll(job.Trace, "%", "%%")
	if info, err := os.Stat(job.Trace); err == nil && info.Mode().IsRegular() {
		if job.Requeue {
			return nil, usagef("--requeue: %s is a file, which has no queue: want the data folder of a run", job.Trace)
		}
		folder, err := os.MkdirTemp("", "quintain-regrade-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		if err := lines.Convert([]string{job.Trace}, folder, job.Program); err != nil {
			return nil, err
		}
		job.Beside, job.Show, job.Trace = job.Trace+"."+trace.GradingsName, "quintain view "+strings.ReplaceAll(job.Trace, "%", "%%")+" # %s", folder
	}
	bar := screen.NewBar(w.screen(), "grading")
	job.Told = func(done, total, ungraded int) { bar.Show(done, total, fmt.Sprintf("%d episodes ungraded", ungraded)) }
	sum, err := regrade.Run(ctx, job)
	bar.End()
	return sum, err
}

// regradePlan reads the settings of a run or an evaluation in its trace, over which flags go.
func (w *world) regradePlan(ctx context.Context, of []byte, given map[string]settings.Given) (p regrade.Plan, err error) {
	var all map[string]json.RawMessage
	if len(of) > 0 {
		if err := jsonform.Unmarshal(of, &all); err != nil {
			return p, fmt.Errorf("settings of the run in its trace: %w", jsonform.Explain(err))
		}
	}
	delete(all, "weights") // an evaluation has the hash of its weights among its settings
	text, err := jsonform.Marshal(all)
	if err != nil {
		return p, err
	}
	c, err := w.configOf("settings", settings.Sources{Base: &settings.Sources{File: "settings of the run", Data: text}, Flags: given})
	if err != nil {
		return p, err
	}
	chosen := &c.Source.Scenario
	chosen.Untried, chosen.Agent = true, agent.Settings{} // of what an agent did, its scenario judges the answer
	c.Rules.Size, c.Rules.Sampling = c.Run.Of.GroupSize, c.Policy.Sampling
	p = regrade.Plan{Rules: c.Rules, Bound: c.Run.Of.Bound(), Store: c.Store, Trace: c.Trace, Stop: chosen.Stop}
	if err := chosen.Start(ctx, c.Log.Logger(w.stderr)); err != nil {
		return p, err
	}
	if p.Streams, err = c.streams(); err != nil {
		return p, err
	}
	tasks, err := task.NewSet(catalog.Tasks())
	p.Find = func(problem quintain.Problem) (quintain.Scenario, error) {
		return finding(problem, p.Streams, tasks, *chosen)
	}
	return p, err
}

// finding returns the scenario that plays a problem now: that of a stream, or of a task by its name.
func finding(p quintain.Problem, streams []rollout.Stream, tasks *task.Set, chosen catalog.ScenarioChoice) (quintain.Scenario, error) {
	name, _, _ := strings.Cut(p.Scenario, ".v")
	for _, s := range streams {
		if s.Scenario.TaskInfo().Name == p.Task && (name == "" || s.Scenario.Info().Name == name) {
			return s.Scenario, nil
		}
	}
	t, err := tasks.Get(p.Task)
	if err != nil {
		return nil, err
	}
	if name != "" && name != chosen.Name {
		if err := chosen.Set(name); err != nil {
			return nil, err
		}
	}
	return chosen.Over(t)
}
