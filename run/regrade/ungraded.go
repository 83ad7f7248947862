// Package regrade judges stored groups anew: those of a run that nobody could judge when they were
// played, and any others by another grader. Those that teach something go into the run's queue.
package regrade

import (
	"context"
	"errors"
	"fmt"
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
	Find    func(quintain.Problem) (quintain.Scenario, error) // the scenario that plays a problem now; Resume needs none
	Stop    func()                                            // ends what the plan uses, also after an error of Plan; nil: nothing
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
	b := &bench{config: c, report: Report{Dropped: map[rollout.Drop]int{}}}
	if b.from, err = trace.OpenRuns(c.Data); err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.open(ctx); err != nil {
		return report, err
	}
	if err := b.openQueue(ctx); err != nil {
		return report, err
	}
	err = each(ctx, b.waiting(), b.one)
	return b.report, err
}

// A bench judges groups.
type bench struct {
	config  Config
	plan    Plan
	from    *trace.Reader
	head    trace.Head // of the newest record
	version int        // of the policy, when the run ended; -1: unknown
	host    *host.Host // nil: there is no queue

	mu     sync.Mutex // guards the rest
	to     *trace.Writer
	report Report
}

// open reads the plan of the run.
func (b *bench) open(ctx context.Context) (err error) {
	newest := b.from.Find(trace.Query{Newest: true, Limit: 1})
	if b.head, err = b.from.Head(newest[0].Ref); err != nil {
		return err
	}
	b.version = newest[0].Version
	b.plan, err = b.config.Plan(ctx, b.head.Settings)
	return err
}

// openQueue opens the queue of the run, and its trace to write to.
func (b *bench) openQueue(ctx context.Context) (err error) {
	c, server := b.config, web.Default()
	server.Port = 0
	b.plan.Store.NATSStandby = false // a queue in use is an error
	b.host, err = host.Open(ctx, host.Config{Data: c.Data, Program: c.Program, Server: server, Hub: hub.Default(), Store: b.plan.Store, Log: c.Log})
	if err != nil {
		return err
	}
	b.head.Program = c.Program
	if b.to, err = trace.NewWriter(filepath.Join(c.Data, datadir.Trace), b.head, b.plan.Trace); err != nil {
		return err
	}
	return b.from.Refresh()
}

// close closes what is open.
func (b *bench) close() (err error) {
	if b.to != nil {
		err = b.to.Close()
	}
	if b.host != nil {
		err = errors.Join(err, b.host.Close())
	}
	if b.plan.Stop != nil {
		b.plan.Stop()
	}
	return err
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

// each calls do for each group, several at once, until one fails or ctx ends.
func each(ctx context.Context, groups []trace.Entry, do func(context.Context, trace.Entry) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	free := make(chan struct{}, slots)
	for _, e := range groups {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			if ctx.Err() != nil {
				return
			}
			if err := do(ctx, e); err != nil {
				stop(fmt.Errorf("group %s: %w", e.Group, err))
			}
		})
	}
	all.Wait()
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
	return b.settle(ctx, record, result.Trajectories, group, scores, drop)
}

// settle puts a judged group into the queue if it teaches something, and records it.
func (b *bench) settle(ctx context.Context, of *trace.Record, played []quintain.Trajectory, group *quintain.Group, scores []float64, drop rollout.Drop) (err error) {
	if drop == "" {
		if drop, err = b.keep(ctx, group); err != nil {
			return err
		}
	}
	if string(drop) == of.Drop { // the record says so
		b.count(drop)
		return nil
	}
	to := &trace.Record{Problem: of.Problem, Episodes: played, Scores: scores, Drop: string(drop), Version: of.Version, Time: time.Now().UTC(), Worker: of.Worker, Model: of.Model}
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
	_, err := b.host.Queue().Put(context.WithoutCancel(ctx), group)
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

// count counts a judged group by why it is dropped; empty: it is not.
func (b *bench) count(drop rollout.Drop) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if drop == "" {
		b.report.Kept++
	} else {
		b.report.Dropped[drop]++
	}
}

// note records a judged group.
func (b *bench) note(r *trace.Record) error {
	b.count(rollout.Drop(r.Drop))
	b.mu.Lock()
	defer b.mu.Unlock()
	return errors.Join(b.to.Write(r), b.to.Flush())
}
