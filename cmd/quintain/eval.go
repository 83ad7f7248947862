package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
)

// An evalReport is how a policy did.
type evalReport struct {
	Mean     float64                  `json:"mean_score"` // of the tasks' means
	Tasks    map[string]evalTask      `json:"tasks"`
	Episodes map[quintain.Outcome]int `json:"episodes"`
	Seconds  float64                  `json:"seconds"`
}

// An evalTask is how a policy did in one task.
type evalTask struct {
	Problems int     `json:"problems"` // that were scored
	Mean     float64 `json:"mean_score"`
}

func newEval(w *world, l *loader) *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Examine a policy with problems that are always the same",
		Long: `Eval plays a fixed row of problems of each task, one episode a problem, and prints
the mean score of each task. Episodes that failed have no score and are counted.

The tiny policy has the weights of --weights, else those of the checkpoint in the
data folder, else the embedded ones.`,
		Example: `  quintain eval
  quintain eval --policy openai --url http://127.0.0.1:8001/v1 --model my-model --tasks word_ladder:2,countdown:1
  quintain eval --count 200 --json`,
		Args: noArgs,
	}
	l.runFlags(c)
	c.Flags().StringVar(&l.Data, "data", l.Data, "folder with the checkpoint of the tiny policy")
	count := c.Flags().Int("count", heldOutCount, "problems of each task")
	asJSON := c.Flags().Bool("json", false, "print JSON")
	c.RunE = func(*cobra.Command, []string) error {
		if *count < 1 {
			return usagef("--count is %d, want 1 or more", *count)
		}
		report, err := evaluate(c.Context(), w, l.settings, *count)
		if err != nil {
			return err
		}
		if *asJSON {
			enc := json.NewEncoder(w.stdout)
			enc.SetIndent("", "  ")
			return enc.Encode(report)
		}
		return report.table(w.stdout)
	}
	return c
}

// evaluate examines the policy of s. A signal ends it with an error.
func evaluate(ctx context.Context, w *world, s settings, count int) (report evalReport, err error) {
	streams, err := openStreams(s)
	if err != nil {
		return report, err
	}
	policy, err := openEvalPolicy(w, s)
	if err != nil {
		return report, err
	}
	defer policy.close()
	e := exam{settings: s, policy: policy, streams: streams, count: count}
	err = together(ctx, policy.run, func(ctx context.Context) error {
		stopped, err := untilSignal(ctx, w.signals(), e.run)
		if stopped {
			err = errors.Join(err, errors.New("interrupted before the end"))
		}
		return err
	})
	return e.report, err
}

// An exam is an evaluation.
type exam struct {
	settings
	policy  *policySource
	streams []rollout.Stream
	count   int // problems of each stream

	mu     sync.Mutex
	scores map[string][]float64
	report evalReport
}

// run plays the problems with the policy, and leaves the report in e.
func (e *exam) run(ctx context.Context) error {
	start := time.Now()
	var mixes []*rollout.Mix // one for each stream, so that all have equally many problems
	for _, stream := range e.streams {
		stream.Seed, stream.Weight = heldOutSeed, 1
		mix, err := rollout.NewMix([]rollout.Stream{stream})
		if err != nil {
			return usageError{err}
		}
		mixes = append(mixes, mix)
	}
	e.scores, e.report = map[string][]float64{}, evalReport{Tasks: map[string]evalTask{}, Episodes: map[quintain.Outcome]int{}}
	left := e.count * len(mixes)
	engine := rollout.Engine{
		Policy: e.policy, Sampling: e.Policy.Sampling, Size: 1, Parallel: e.Run.Parallel,
		Next: func(context.Context) (rollout.Job, error) {
			if left == 0 {
				return rollout.Job{}, io.EOF
			}
			left--
			job, err := nextOf(ctx, mixes[left%len(mixes)], true)
			e.policy.expect(job)
			return job, err
		},
		Done: func(_ context.Context, r rollout.Result) error {
			e.policy.forget(r.Job)
			e.take(r.Trajectories[0])
			return nil
		},
	}
	if err := engine.Run(ctx); err != nil {
		return err
	}
	e.end(time.Since(start))
	return nil
}

// take counts an episode.
func (e *exam) take(t quintain.Trajectory) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.report.Episodes[t.Outcome]++
	if t.Outcome.Rewarded() {
		e.scores[t.Problem.Task] = append(e.scores[t.Problem.Task], t.Reward())
	}
}

// end completes the report.
func (e *exam) end(spent time.Duration) {
	var means []float64
	for _, name := range slices.Sorted(maps.Keys(e.scores)) {
		slices.Sort(e.scores[name]) // the same sum in whatever order the episodes ended
		m := mean(e.scores[name])
		e.report.Tasks[name] = evalTask{len(e.scores[name]), m}
		means = append(means, m)
	}
	e.report.Mean, e.report.Seconds = mean(means), spent.Seconds()
}

// all returns the mean of the tasks' means; nil where there was no examination.
func (r *evalReport) all() *float64 {
	if r == nil {
		return nil
	}
	return &r.Mean
}

// of returns the mean score of a task; nil where it was not examined.
func (r *evalReport) of(task string) *float64 {
	if r == nil || r.Tasks[task].Problems == 0 {
		return nil
	}
	m := r.Tasks[task].Mean
	return &m
}

// table prints the report.
func (r evalReport) table(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	fmt.Fprintf(t, "task\tproblems\tmean score\t\n")
	for _, name := range slices.Sorted(maps.Keys(r.Tasks)) {
		fmt.Fprintf(t, "%s\t%d\t%.3f\t\n", name, r.Tasks[name].Problems, r.Tasks[name].Mean)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nmean score %.3f of episodes %s in %.1f s\n", r.Mean, counts(r.Episodes), r.Seconds)
	return err
}
