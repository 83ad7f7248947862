package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	c.Flags().BoolVar(&job.Queue, "requeue", false, "put groups that were never kept into the queue of the run, which must not be running")
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
		case job.Queue && evaluation != "":
			return usagef("--requeue: an evaluation has no queue; leave one out")
		}
		job.Data = own.Data
		if evaluation != "" {
			if _, err := examdir.Read(evaluation); err != nil {
				return usagef("--eval: %w", err)
			}
			job.Data = evaluation
		}
		if job.Grader, err = regrade.Open(grader); err != nil {
			return usagef("--grader: %w", err)
		}
		return errors.Join(w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			sum, err := w.regrade(ctx, own, given, job)
			if sum == nil {
				return err
			}
			return errors.Join(print(sum), err)
		}), job.Grader.Close())
	}
	return c
}

// regrade grades the episodes of data or of a file, and shows its progress.
func (w *world) regrade(ctx context.Context, own *config, given map[string]settings.Given, job regrade.Job) (*regrade.Changes, error) {
	job.Program, job.Log = version(), own.Log.Logger(w.stderr)
	job.Show = "quintain trace show '%s' --regraded --data " + strings.ReplaceAll(job.Data, "%", "%%")
	job.Plan = func(ctx context.Context, of []byte) (regrade.Plan, error) {
		c, p, err := w.storedPlan(ctx, of, given)
		if err != nil {
			return p, err
		}
		streams, err := c.streams()
		p.Find = func(problem quintain.Problem) (quintain.Scenario, error) {
			return find(problem, streams, c.Source.Scenario)
		}
		return p, err
	}
	if info, err := os.Stat(job.Data); err == nil && info.Mode().IsRegular() {
		if job.Queue {
			return nil, usagef("--requeue: %s is a file, which has no queue: want the data folder of a run", job.Data)
		}
		folder, err := os.MkdirTemp("", "quintain-regrade-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		if err := lines.Convert([]string{job.Data}, folder, job.Program); err != nil {
			return nil, err
		}
		job.Show = "quintain view " + strings.ReplaceAll(job.Data, "%", "%%") + " # %s"
		job.Beside, job.Data = job.Data+"."+trace.GradingsName, folder
	}
	bar := screen.NewBar(w.screen(), "grading")
	job.Told = func(done, total, ungraded int) { bar.Show(done, total, fmt.Sprintf("%d episodes ungraded", ungraded)) }
	sum, err := regrade.Run(ctx, job)
	bar.End()
	return sum, err
}

// storedPlan reads the settings of a run or an evaluation in its trace, over which flags go, and
// starts what grades in them.
func (w *world) storedPlan(ctx context.Context, of []byte, given map[string]settings.Given) (c *config, p regrade.Plan, err error) {
	all := map[string]json.RawMessage{}
	if string(of) != "null" && len(of) > 0 { // records of a file have none
		if err := jsonform.Unmarshal(of, &all); err != nil {
			return nil, p, fmt.Errorf("settings of the run in its trace: %w", jsonform.Explain(err))
		}
	}
	delete(all, "weights") // an evaluation has the hash of its weights among its settings
	text, err := jsonform.Marshal(all)
	if err != nil {
		return nil, p, err
	}
	if c, err = w.configOf("settings", settings.Sources{Base: &settings.Sources{File: "settings of the run", Data: text}, Flags: given}); err != nil {
		return nil, p, err
	}
	c.Source.Scenario.Agent = agent.Settings{} // of what an agent did, its scenario judges the answer
	c.Rules.Size, c.Rules.Sampling = c.Run.Of.GroupSize, c.Policy.Sampling
	p = regrade.Plan{Rules: c.Rules, Bound: c.Run.Of.Bound(), Store: c.Store, Trace: c.Trace, Stop: c.Source.Scenario.Stop}
	return c, p, c.Source.Scenario.Start(ctx, c.Log.Logger(w.stderr))
}

// find returns the scenario that plays a problem now: that of a stream, or of a task by its name.
func find(p quintain.Problem, streams []rollout.Stream, chosen catalog.ScenarioChoice) (quintain.Scenario, error) {
	name, _, _ := strings.Cut(p.Scenario, ".v")
	for _, s := range streams {
		if s.Scenario.TaskInfo().Name == p.Task && (name == "" || s.Scenario.Info().Name == name) {
			return s.Scenario, nil
		}
	}
	tasks, err := task.NewSet(catalog.TasksOf(name))
	if err != nil {
		return nil, err
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
