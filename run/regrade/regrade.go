// Package regrade judges stored groups anew: those of a run that nobody could judge when they were
// played, and any others by another grader. Those that teach something go into the run's queue.
package regrade

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// A Job says which stored groups to grade anew, and by whom.
type Job struct {
	Data    string // the folder of the trace, or its data folder; nobody else may use it if Queue is set
	Beside  string // file of the gradings; empty: in the folder of the trace, which does not change
	Program string // name and version of the program
	Log     *slog.Logger
	Grader  *Grader
	Only    []string // IDs of groups, or beginnings with a * after them; none: all
	Left    bool     // only groups that the run left ungraded
	Queue   bool     // groups that were never kept go into the queue of Data if they teach something
	Show    string   // the command that shows a group, with %s for its ID

	// Plan reads the settings of the run, which its trace has.
	Plan func(ctx context.Context, settings []byte) (Plan, error)
	Told func(done, total, ungraded int) // of groups, and of episodes; one call at a time; nil: nobody listens
}

// A Plan is what the settings of a run say.
type Plan struct {
	Find  func(quintain.Problem) (quintain.Scenario, error) // the scenario that plays a problem now
	Rules rollout.Rules                                     // with Size and Sampling
	Bound queue.Bound                                       // on the staleness of groups
	Store host.Store
	Trace trace.Settings
	Stop  func() // ends what the plan uses, also after an error of Plan; nil: nothing
}

// slots is how many groups are judged at once. A judge limits its calls.
const slots = 16

// A bench judges groups.
type bench struct {
	job     Job
	plan    Plan
	from    *trace.Reader
	head    trace.Head                   // of the newest record
	version int                          // of the policy, when the run ended; -1: unknown
	host    *host.Host                   // nil: there is no queue
	done    map[[2]string]*trace.Grading // by group and hash of the grader
	total   int

	mu       sync.Mutex                      // guards the rest
	hows     map[[2]string]quintain.Scenario // by the scenario's ID and the task; nil: nobody plays these problems
	gradings *trace.Gradings
	to       *trace.Writer // nil: there is no queue
	sum      *Changes
}

// Run grades groups anew, and keeps the verdicts beside the trace. What it has done stays done, also
// if it was killed: a group has one grading by each grader, the queue takes one group of a problem,
// and a group that is not recorded is judged again. With an error it may return what has changed so far.
func Run(ctx context.Context, j Job) (sum *Changes, err error) {
	b := &bench{job: j, done: map[[2]string]*trace.Grading{}, hows: map[[2]string]quintain.Scenario{}, sum: newChanges()}
	if b.from, err = trace.OpenRuns(j.Data); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	groups := b.groups()
	if len(groups) == 0 && !j.Left {
		return nil, errors.New("--only: the trace has none of these groups; quintain trace list names them")
	}
	if b.total = len(groups); b.total > 0 {
		if err := b.open(ctx); err != nil {
			return nil, err
		}
		err = each(ctx, groups, b.one)
	}
	b.sum.Damage = b.from.Damage()
	b.sum.finish()
	return b.sum, err
}

// open reads the plan of the run, and opens what is written to.
func (b *bench) open(ctx context.Context) (err error) {
	newest := b.from.Find(trace.Query{Newest: true, Limit: 1})
	if b.head, err = b.from.Head(newest[0].Ref); err != nil {
		return err
	}
	b.version = newest[0].Version
	if b.plan, err = b.job.Plan(ctx, b.head.Settings); err != nil {
		return err
	}
	if b.job.Queue {
		if err := b.openQueue(ctx); err != nil {
			return err
		}
	}
	path := b.job.Beside
	if path == "" {
		path = filepath.Join(string(trace.OfRun(b.job.Data)), trace.GradingsName)
	}
	gradings, have, lost, err := trace.OpenGradings(path)
	if err != nil {
		return err
	}
	if b.gradings = gradings; lost > 0 {
		b.job.Log.Warn("the file of gradings is damaged, or was not finished: these groups are graded again", "file", path, "places", lost)
	}
	for _, g := range have {
		b.done[[2]string{g.Group, g.Grader.Hash}] = g
	}
	return nil
}

// groups returns the records to grade, oldest first: of a group that has several the newest that was
// kept, or else the newest.
func (b *bench) groups() (list []trace.Entry) {
	place := map[string]int{}
	for _, e := range b.from.Find(trace.Query{}) {
		at, known := place[e.Group]
		switch {
		case !b.wanted(e.Group):
		case !known:
			place[e.Group] = len(list)
			list = append(list, e)
		case e.Drop == "" || list[at].Drop != "":
			list[at] = e
		}
	}
	return slices.DeleteFunc(list, func(e trace.Entry) bool { return b.job.Left && e.Drop != string(rollout.DropUngraded) })
}

// wanted reports whether a group is to be graded.
func (b *bench) wanted(group string) bool {
	return len(b.job.Only) == 0 || slices.ContainsFunc(b.job.Only, func(only string) bool {
		begin, star := strings.CutSuffix(only, "*")
		return group == only || star && strings.HasPrefix(group, begin)
	})
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

// one grades a group, unless the grader has done so before, and settles it if that is wanted.
func (b *bench) one(ctx context.Context, e trace.Entry) error {
	record, err := b.from.Read(e.Ref)
	if errors.Is(err, trace.ErrDamaged) || errors.Is(err, os.ErrNotExist) { // a run that goes on removes the oldest
		b.mu.Lock()
		defer b.mu.Unlock()
		b.sum.Lost++
		return nil
	}
	if err != nil {
		return err
	}
	job, err := b.jobOf(record.Problem)
	if err != nil {
		return err
	}
	id := b.job.Grader.named(job.Scenario)
	g := b.done[[2]string{record.Group(), id.Hash}]
	known := g != nil && whole(g, record) && g.Apply(record)
	if !known {
		fresh, err := b.grade(ctx, job, record)
		if err != nil {
			return err
		}
		known = g != nil && reflect.DeepEqual(g.Grades, fresh.Grades)
		g = fresh
		g.Grader = id
	}
	if err := b.keepGrading(g, record.Problem.Task, known); err != nil || !b.job.Queue || record.Drop == "" || g.Scores == nil {
		return err
	}
	return b.settle(ctx, job, record)
}

// whole reports whether a grading has a reward for each complete episode: others are tried again.
func whole(g *trace.Grading, record *trace.Record) bool {
	for i := range min(len(g.Grades), len(record.Episodes)) {
		if g.Grades[i].Reward == nil && complete(&record.Episodes[i]) {
			return false
		}
	}
	return true
}

// complete reports whether an episode was played to its end.
func complete(t *quintain.Trajectory) bool {
	return (t.Outcome.Rewarded() || t.Outcome == quintain.Ungraded) && len(t.Turns) > 0
}

// jobOf returns a problem with the scenario that plays it now; a job without one if there is none.
func (b *bench) jobOf(p quintain.Problem) (rollout.Job, error) {
	key := [2]string{p.Scenario, p.Task}
	b.mu.Lock()
	defer b.mu.Unlock()
	how, known := b.hows[key]
	if !known {
		var err error
		if how, err = b.plan.Find(p); err != nil {
			if b.job.Left {
				return rollout.Job{}, err
			}
			how = nil
			b.job.Log.Warn("no scenario plays these problems now", "scenario", p.Scenario, "task", p.Task, "err", err)
		}
		b.hows[key] = how
	}
	if how != nil {
		p.Scenario = how.Info().ID()
	}
	return rollout.Job{Scenario: how, Problem: p}, nil
}

// grade has the grader grade the episodes of a record, which get the new rewards.
func (b *bench) grade(ctx context.Context, job rollout.Job, record *trace.Record) (*trace.Grading, error) {
	g := &trace.Grading{Group: record.Group(), Replies: trace.Replies(record.Episodes), Time: time.Now().UTC(), Grades: make([]trace.Grade, len(record.Episodes))}
	var played []quintain.Trajectory
	var places []int
	for i := range record.Episodes {
		t, grade := &record.Episodes[i], &g.Grades[i]
		if t.Outcome.Rewarded() {
			was := t.Reward()
			grade.Was, grade.WasRight = &was, t.Solved()
		}
		switch {
		case !complete(t):
			grade.Why = fmt.Sprintf("the episode is not complete: %s", t.Outcome)
		case job.Scenario == nil && b.job.Grader.task:
			grade.Why = fmt.Sprintf("no scenario plays task %s of %s now", job.Problem.Task, record.Problem.Scenario)
		default:
			played, places = append(played, *t), append(places, i)
		}
	}
	if len(played) > 0 {
		verdicts, err := b.job.Grader.grade(ctx, job, played)
		if err != nil {
			return nil, err
		}
		for n, v := range verdicts {
			v.fill(&g.Grades[places[n]], len(played[n].Turns))
		}
	}
	g.Apply(record)
	j, err := b.rules(job, record, true)
	record.Scores, g.Scores = j.Scores, j.Scores
	return g, err
}

// fill writes a verdict on an episode of some turns.
func (v *verdict) fill(g *trace.Grade, turns int) {
	if v.err != nil {
		g.Why = v.err.Error()
		return
	}
	g.Reward, g.Right, g.Malformed, g.Answer, g.Why, g.Metrics = &v.Reward, v.Right, v.Malformed, v.Answer, v.Why, v.metrics
	if turns > 1 && v.turns != nil {
		g.Turns = slices.Concat(v.turns, make([]float64, turns-len(v.turns)))
	}
}

// rules judges a record by the rules of the run.
func (b *bench) rules(job rollout.Job, record *trace.Record, brief bool) (rollout.Judgement, error) {
	rules := b.plan.Rules
	rules.NoMessages = rules.NoMessages || brief
	job.Problem = record.Problem // the name of the group stays
	lease := &rollout.Lease{Worker: record.Worker, Model: record.Model}
	return rules.Judge(rollout.Result{Job: job, Trajectories: record.Episodes, Lease: lease})
}

// keepGrading keeps a grading that has a reward, unless it is known, and adds it to what has changed.
func (b *bench) keepGrading(g *trace.Grading, task string, known bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !known && slices.ContainsFunc(g.Grades, func(one trace.Grade) bool { return one.Reward != nil }) {
		if err := b.gradings.Add(g); err != nil {
			return err
		}
	}
	b.sum.add(g, task, known, b.job.Show)
	if b.job.Told != nil {
		b.job.Told(b.sum.Groups, b.total, b.sum.Ungraded)
	}
	return nil
}
