package regrade

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// A Job says which stored groups to grade anew, and by whom.
type Job struct {
	Config
	Trace   string // the folder of the trace, or its data folder
	Beside  string // file of the gradings; they are beside the trace, which does not change
	Grader  *Grader
	Only    []string // IDs of groups, or beginnings with a * after them; none: all
	Requeue bool     // groups that were never kept go into the queue of Data under the new scores
	Show    string   // the command that shows a group, with %s for its ID

	Told func(done, total, ungraded int) // of groups, now and then; one call at a time
}

// An anew grades groups of a bench anew.
type anew struct {
	bench
	job  Job
	done map[[2]string]*trace.Grading // by group and hash of the grader

	lock     sync.Mutex                      // guards the rest
	hows     map[[2]string]quintain.Scenario // by the scenario's ID and the task; nil: nobody plays these problems
	gradings *trace.Gradings
	sum      *Changes
	total    int
}

// Run grades groups anew, and keeps the verdicts beside the trace. What it has done stays done, also
// if it was killed: a group has one grading by each grader. With an error it may return what has
// changed so far.
func Run(ctx context.Context, j Job) (sum *Changes, err error) {
	a := &anew{bench: bench{config: j.Config, report: Report{Dropped: map[rollout.Drop]int{}}}, job: j, done: map[[2]string]*trace.Grading{}, hows: map[[2]string]quintain.Scenario{}}
	if a.from, err = trace.OpenRuns(j.Trace); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.open(ctx); err != nil {
		return nil, err
	}
	if j.Requeue {
		if err := a.openQueue(ctx); err != nil {
			return nil, err
		}
	}
	groups := a.groups()
	if len(groups) == 0 {
		return nil, errors.New("--only: the trace has none of these groups; quintain trace list names them")
	}
	to, have, lost, err := trace.OpenGradings(j.Beside)
	if err != nil {
		return nil, err
	}
	if lost > 0 {
		j.Log.Warn("the file of gradings is damaged, or was not finished: their groups are graded again", "file", j.Beside, "places", lost)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	for _, g := range have {
		a.done[[2]string{g.Group, g.Grader.Hash}] = g
	}
	a.gradings, a.sum, a.total = to, newChanges(), len(groups)
	err = each(ctx, groups, a.one)
	a.sum.finish(&a.report)
	return a.sum, err
}

// groups returns the records to grade, oldest first: of a group that has several the newest that was
// kept, or else the newest.
func (a *anew) groups() (list []trace.Entry) {
	place := map[string]int{}
	for _, e := range a.from.Find(trace.Query{}) {
		at, known := place[e.Group]
		switch {
		case !a.wanted(e.Group):
		case !known:
			place[e.Group] = len(list)
			list = append(list, e)
		case e.Drop == "" || list[at].Drop != "":
			list[at] = e
		}
	}
	return list
}

// wanted reports whether a group is to be graded.
func (a *anew) wanted(group string) bool {
	return len(a.job.Only) == 0 || slices.ContainsFunc(a.job.Only, func(only string) bool {
		begin, any := strings.CutSuffix(only, "*")
		return group == only || any && strings.HasPrefix(group, begin)
	})
}

// one grades a group, unless the grader has done so before, and puts it into the queue if it is wanted
// there.
func (a *anew) one(ctx context.Context, e trace.Entry) error {
	record, err := a.from.Read(e.Ref)
	if errors.Is(err, trace.ErrDamaged) || errors.Is(err, os.ErrNotExist) {
		a.lock.Lock()
		defer a.lock.Unlock()
		a.sum.Lost++ // a run that goes on removes the oldest, and damage is counted too
		return nil
	}
	if err != nil {
		return err
	}
	job := a.jobOf(record.Problem)
	id := a.job.Grader.named(job.Scenario)
	g := a.done[[2]string{record.Group(), id.Hash}]
	known := g != nil && whole(g, record) && g.Apply(record)
	if !known {
		fresh, err := a.grade(ctx, job, record)
		if err != nil {
			return err
		}
		known = g != nil && reflect.DeepEqual(g.Grades, fresh.Grades)
		g = fresh
		g.Grader = id
	}
	if err := a.keepGrading(g, record, known); err != nil {
		return err
	}
	if !a.job.Requeue || record.Drop == "" || g.Scores == nil {
		return nil
	}
	group, scores, drop, err := a.rules(job, record)
	if err != nil {
		return err
	}
	return a.settle(ctx, record, record.Episodes, group, scores, drop)
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
func (a *anew) jobOf(p quintain.Problem) rollout.Job {
	key := [2]string{p.Scenario, p.Task}
	a.lock.Lock()
	defer a.lock.Unlock()
	how, known := a.hows[key]
	if !known {
		var err error
		if how, err = a.plan.Find(p); err != nil {
			how = nil
			a.job.Log.Warn("no scenario plays these problems now", "scenario", p.Scenario, "task", p.Task, "err", err)
		}
		a.hows[key] = how
	}
	if how != nil {
		p.Scenario = how.Info().ID()
	}
	return rollout.Job{Scenario: how, Problem: p}
}

// grade has the grader grade the episodes of a record, which get the new rewards.
func (a *anew) grade(ctx context.Context, job rollout.Job, record *trace.Record) (*trace.Grading, error) {
	g := &trace.Grading{Group: record.Group(), Replies: trace.Replies(record.Episodes), Grades: make([]trace.Grade, len(record.Episodes))}
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
		case job.Scenario == nil && a.job.Grader.task:
			grade.Why = fmt.Sprintf("no scenario plays task %s of %s now", job.Problem.Task, record.Problem.Scenario)
		default:
			played, places = append(played, *t), append(places, i)
		}
	}
	if len(played) > 0 {
		verdicts, err := a.job.Grader.grade(ctx, job, played)
		if err != nil {
			return nil, err
		}
		for n, v := range verdicts {
			v.fill(&g.Grades[places[n]], len(played[n].Turns))
		}
	}
	g.Apply(record)
	var err error
	if _, g.Scores, _, err = a.rules(job, record); err != nil {
		return nil, err
	}
	record.Scores, g.Time = g.Scores, time.Now().UTC()
	return g, nil
}

// fill writes a verdict on an episode of some turns.
func (v *verdict) fill(g *trace.Grade, turns int) {
	if v.err != nil {
		g.Why = v.err.Error()
		return
	}
	g.Reward, g.Right, g.Malformed, g.Why, g.Metrics = &v.Reward, v.Right, v.Malformed, v.Why, v.metrics
	if turns < 2 || v.turns == nil {
		return
	}
	g.Turns = make([]float64, turns)
	for k := range v.turns {
		g.Turns[k] = v.turns[k].Reward
	}
}

// rules judges a record by the rules of the run; a record that goes into no queue needs no messages.
func (a *anew) rules(job rollout.Job, record *trace.Record) (*quintain.Group, []float64, rollout.Drop, error) {
	rules := a.plan.Rules
	rules.NoMessages = rules.NoMessages || !a.job.Requeue
	job.Problem = record.Problem // the name of the group stays
	lease := &rollout.Lease{Worker: record.Worker, Model: record.Model}
	return rules.Judge(rollout.Result{Job: job, Trajectories: record.Episodes, Lease: lease})
}

// keepGrading keeps a grading, unless it is known, and adds it to what has changed.
func (a *anew) keepGrading(g *trace.Grading, record *trace.Record, known bool) error {
	a.lock.Lock()
	defer a.lock.Unlock()
	if !known {
		if err := a.gradings.Add(g); err != nil {
			return err
		}
	}
	a.sum.add(g, record.Problem.Task, known, a.job.Show)
	a.job.Told(a.sum.Groups, a.total, a.sum.Ungraded)
	return nil
}
