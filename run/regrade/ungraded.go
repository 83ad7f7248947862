// Package regrade judges stored groups anew: those of a run that nobody could judge when they were
// played, and any others by another grader. Those that teach something go into the run's queue.
package regrade

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// A Config says which run to go over.
type Config struct {
	Data    string // the data folder, which no other process may use
	Program string // name and version of the program
	Log     *slog.Logger

	// Plan reads the settings of the run, which its trace has.
	Plan func(ctx context.Context, settings []byte) (Plan, error)
}

// A Plan is what the settings of a run say.
type Plan struct {
	Streams []rollout.Stream
	Rules   rollout.Rules // with Size and Sampling
	Bound   queue.Bound   // on the staleness of groups
	Store   host.Store
	Trace   trace.Settings
	Stop    func() // ends what the plan uses, also after an error of Plan; nil: nothing
}

// A Report says what became of the groups.
type Report struct {
	Kept    int                  `json:"kept"`    // now in the queue, or there since an attempt that ended early
	Dropped map[rollout.Drop]int `json:"dropped"` // by the rules of the run; stale: too old to be trained on
	Left    int                  `json:"left"`    // still without a verdict
	Why     string               `json:"why,omitempty"`
}

// slots is how many groups are judged at once. The judge limits its calls.
const slots = 16

// Resume judges the groups of the trace that are [quintain.Ungraded], puts those that teach
// something into the queue, and records all in the trace. What it has done before stays done,
// also if it was killed: the queue takes one group of a problem, and a group that is not recorded
// is judged again.
func Resume(ctx context.Context, c Config) (report Report, err error) {
	dir := filepath.Join(c.Data, datadir.Trace)
	r, err := trace.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return report, fmt.Errorf("there is no trace in %s: is it the data folder of a run with a trace?", c.Data)
	}
	if err != nil {
		return report, err
	}
	newest := r.Find(trace.Query{Newest: true, Limit: 1})
	if len(newest) == 0 {
		return report, nil
	}
	head, err := r.Head(newest[0].Ref)
	if err != nil {
		return report, err
	}
	plan, err := c.Plan(ctx, head.Settings)
	if plan.Stop != nil {
		defer plan.Stop()
	}
	if err != nil {
		return report, err
	}
	server := web.Default()
	server.Port = 0
	plan.Store.NATSStandby = false // a queue in use is an error
	h, err := host.Open(ctx, host.Config{Data: c.Data, Program: c.Program, Server: server, Hub: hub.Default(), Store: plan.Store, Log: c.Log})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	head.Program = c.Program
	w, err := trace.NewWriter(dir, head, plan.Trace)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := r.Refresh(); err != nil {
		return report, err
	}
	b := &bench{plan: plan, from: r, to: w, queue: h.Queue(), version: newest[0].Version, report: Report{Dropped: map[rollout.Drop]int{}}}
	err = b.all(ctx)
	return b.report, err
}

// A bench judges groups.
type bench struct {
	plan    Plan
	from    *trace.Reader
	queue   *queue.Queue
	version int // of the policy, when the run ended; -1: unknown

	mu     sync.Mutex // guards the rest
	to     *trace.Writer
	report Report
}

// waiting returns the groups without a verdict: those whose newest record says so.
func (b *bench) waiting() (list []trace.Entry) {
	for _, e := range b.from.Find(trace.Query{Drop: string(rollout.DropUngraded)}) {
		last := b.from.Find(trace.Query{Group: e.Group, Newest: true, Limit: 1})
		if len(last) == 1 && last[0].Ref == e.Ref {
			list = append(list, e)
		}
	}
	return list
}

// all judges all groups that wait.
func (b *bench) all(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var groups sync.WaitGroup
	free := make(chan struct{}, slots)
	for _, e := range b.waiting() {
		free <- struct{}{}
		groups.Go(func() {
			defer func() { <-free }()
			if ctx.Err() != nil {
				return
			}
			if err := b.one(ctx, e); err != nil {
				stop(fmt.Errorf("group %s: %w", e.Group, err))
			}
		})
	}
	groups.Wait()
	return context.Cause(ctx)
}

// one judges a group.
func (b *bench) one(ctx context.Context, e trace.Entry) error {
	record, err := b.from.Read(e.Ref)
	if err != nil {
		return err
	}
	job, err := b.job(record.Problem)
	if err != nil {
		return err
	}
	result, stop := rollout.Rejudge(ctx, job, record.Episodes)
	if stop != nil {
		return stop
	}
	group, scores, drop, err := b.plan.Rules.Judge(result)
	switch {
	case err != nil:
		return err
	case drop == rollout.DropUngraded:
		b.left(reason(&result))
		return nil
	case scores == nil: // it failed, or was cancelled
		return fmt.Errorf("%s: %s", drop, reason(&result))
	}
	if drop == "" {
		if drop, err = b.keep(ctx, group); err != nil {
			return err
		}
	}
	to := &trace.Record{Problem: record.Problem, Episodes: result.Trajectories, Scores: scores, Drop: string(drop), Version: record.Version, Time: time.Now().UTC(), Worker: record.Worker, Model: record.Model}
	if drop == "" {
		to.Advantages, to.Sequences = group.Advantages, group.Episodes
	}
	return b.note(to)
}

// job returns the job of a problem.
func (b *bench) job(p quintain.Problem) (rollout.Job, error) {
	for _, s := range b.plan.Streams {
		if _, judges := s.Scenario.(quintain.Panel); judges && s.Scenario.Info().ID() == p.Scenario && s.Scenario.TaskInfo().Name == p.Task {
			return rollout.Job{Scenario: s.Scenario, Problem: p}, nil
		}
	}
	return rollout.Job{}, fmt.Errorf("its scenario is %s, and no stream has it: want the rubric, the model and the sampling of the judge that it was played for", p.Scenario)
}

// keep puts a group into the queue, or returns why not.
func (b *bench) keep(ctx context.Context, group *quintain.Group) (rollout.Drop, error) {
	if b.version >= 0 && b.plan.Bound.Exceeds(b.version, group) {
		return rollout.DropStale, nil
	}
	_, err := b.queue.Put(context.WithoutCancel(ctx), group)
	if _, other := errors.AsType[*queue.ConflictError](err); other {
		return rollout.DropDuplicate, nil
	}
	return "", err
}

// left counts a group that still has no verdict.
func (b *bench) left(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.report.Left++
	b.report.Why = why
}

// reason returns the first error of the episodes.
func reason(result *rollout.Result) string {
	for i := range result.Trajectories {
		if text := result.Trajectories[i].Error; text != "" {
			return text
		}
	}
	return "no reason is known"
}

// note records a judged group.
func (b *bench) note(r *trace.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Drop == "" {
		b.report.Kept++
	} else {
		b.report.Dropped[rollout.Drop(r.Drop)]++
	}
	return errors.Join(b.to.Write(r), b.to.Flush())
}
