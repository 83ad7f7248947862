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

// heldOutSeed is the seed of the problems that a policy is examined with. No run
// trains on them unless it is told to.
const heldOutSeed = 0x68656c64_6f757421

// heldOutCount is the number of problems of each task in the examination of a run.
const heldOutCount = 64

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
the mean score of each task. Episodes that failed have no score and are counted.`,
		Example: `  quintain eval --policy openai --url http://127.0.0.1:8001/v1 --model my-model --tasks word_ladder:2,countdown:1
  quintain eval --count 200 --json`,
		Args: noArgs,
	}
	l.runFlags(c)
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
	streams, err := openStreams(s.Run)
	if err != nil {
		return report, err
	}
	policy, err := openPolicy(s, func() int32 { return 0 })
	if err != nil {
		return report, err
	}
	defer policy.close()
	err = together(ctx, policy.run, func(ctx context.Context) (err error) {
		report, err = examine(ctx, s, policy, streams, count)
		return err
	}, func(ctx context.Context) error {
		select {
		case <-w.interrupts:
			return errors.New("interrupted before the end")
		case <-ctx.Done():
			return nil
		}
	})
	return report, err
}

// An exam is an evaluation under way.
type exam struct {
	mu     sync.Mutex
	scores map[string][]float64
	report evalReport
}

// examine plays count problems of each of streams with the policy.
func examine(ctx context.Context, s settings, policy *policySource, streams []rollout.Stream, count int) (evalReport, error) {
	start := time.Now()
	for i := range streams {
		streams[i].Seed, streams[i].Weight = heldOutSeed, 1
	}
	mix, err := rollout.NewMix(streams)
	if err != nil {
		return evalReport{}, usageError{err}
	}
	e := &exam{scores: map[string][]float64{}, report: evalReport{Tasks: map[string]evalTask{}, Episodes: map[quintain.Outcome]int{}}}
	left := count * len(streams)
	engine := rollout.Engine{
		Policy: policy, Sampling: s.Policy.Sampling, Size: 1, Parallel: s.Run.Parallel,
		Next: func(context.Context) (rollout.Job, error) {
			if left == 0 {
				return rollout.Job{}, io.EOF
			}
			left--
			job, err := mix.Next()
			policy.expect(job)
			return job, err
		},
		Done: func(_ context.Context, r rollout.Result) error {
			policy.forget(r.Job)
			e.take(r.Trajectories[0])
			return nil
		},
	}
	if err := engine.Run(ctx); err != nil {
		return evalReport{}, err
	}
	return e.end(time.Since(start)), nil
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

// end returns the report.
func (e *exam) end(spent time.Duration) evalReport {
	var means []float64
	for _, name := range slices.Sorted(maps.Keys(e.scores)) {
		slices.Sort(e.scores[name]) // the same sum in whatever order the episodes ended
		m := mean(e.scores[name])
		e.report.Tasks[name] = evalTask{len(e.scores[name]), m}
		means = append(means, m)
	}
	e.report.Mean, e.report.Seconds = mean(means), spent.Seconds()
	return e.report
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
