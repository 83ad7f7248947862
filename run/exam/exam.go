// Package exam examines policies. It splits problems into trained and held-out ones,
// makes fixed sets of problems, runs evaluations, and computes the results: means with
// intervals, pass@k, majority votes, comparisons.
package exam

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Settings say how a policy is examined.
type Settings struct {
	Rule      Rule    // which tasks are asked, and the defaults of the other settings
	Problems  int     // distinct problems of each task; 0: 64, or all of a file
	Samples   int     // episodes of each problem
	Split     Side    // which problems
	Seed      uint64  // of the problems; 0: the constant [Seed]
	MaxFailed float64 // share of episodes; if more fail, the evaluation fails

	Told func(done, total int) // hears of each set that [NewSets] has drawn; nil: nobody
}

// A Rule names a fixed set of problems.
type Rule string

// The rules.
const (
	OwnRule     Rule = "quintain"
	AtroposRule Rule = "atropos" // as Atropos' ReasoningGym environment, as far as possible: docs/evaluation.md
)

// DefaultProblems is the number of problems of a task if [Settings] has 0.
const DefaultProblems = 64

// Defaults returns the default settings.
func Defaults() Settings { return Settings{Rule: OwnRule, Samples: 1, Split: AutoSide, MaxFailed: 0.1} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	settings.Word(d, &s.Rule, "set", "fixed set of problems: ours, or the one of Atropos' ReasoningGym environment").OneOf(string(OwnRule), string(AtroposRule))
	d.Int(&s.Problems, "problems", "distinct problems of each task; 0: 64, or all of a file").AtLeast(0).Flag("count")
	d.Int(&s.Samples, "samples", "episodes of each problem").AtLeast(1).Flag("samples")
	settings.Word(d, &s.Split, "split", "problems to ask: those held out from training, the others, or all; auto: held_out, but all of a file").
		OneOf(string(AutoSide), string(HeldOutSide), string(TrainedSide), string(BothSides))
	d.Uint64(&s.Seed, "eval_seed", "seed of the problems; 0: one that training never uses")
	d.Float(&s.MaxFailed, "max_failed", "share of the episodes that may fail before the evaluation fails").Between(0, 1)
}

// seed is the seed of the problems.
func (s *Settings) seed() uint64 { return cmp.Or(s.Seed, Seed) }

// An Exam plays sets of problems with a policy. Its fields must not change once Run is
// called.
type Exam struct {
	Sets      []Set
	Policy    quintain.Policy
	Sampling  quintain.Sampling
	Samples   int           // episodes of each problem; 0: 1
	Parallel  int           // episodes under way at once; 0: 1
	Replays   int           // how often an episode starts again after a failure of the policy
	Limit     time.Duration // on the servers' time for all replies of an episode; 0: none
	MaxFailed float64       // see [Settings]

	// Delegate has other processes play the problems. Nil: Policy does here.
	Delegate rollout.Delegate

	// Opponents are the other policies at tables, and those that agents call; see [rollout.Engine].
	Opponents map[string]rollout.Opponent

	// Kept has results by the IDs of their problems, from an earlier evaluation with the
	// same fields that ended early. These problems are not played again. Nil: none.
	Kept map[string]*Problem

	// Told, unless nil, is called after each problem, by one goroutine at a time.
	Told func(Progress)

	// Played, unless nil, is called with every result, from many goroutines, also with the
	// result of a problem that the end of the evaluation cut. An error ends the
	// evaluation.
	Played func(rollout.Result) error

	// Log, unless nil, gets every episode at the level debug; see [rollout.Result.Log].
	Log *slog.Logger
}

// Progress tells how far an evaluation is.
type Progress struct {
	Done, Total int    // problems
	Failed      int    // episodes
	Cause       string // of the last failure; empty: none failed
}

// A FailedError says that too many episodes failed. The report has the results so far.
type FailedError struct {
	Failed, Episodes int
	Cause            string // of the last failure
}

// Error says how many episodes failed, and why.
func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %d episodes failed; the last failure: %s", e.Failed, e.Episodes, e.Cause)
}

// Run plays all problems and returns the report. It ends early if too many episodes fail,
// with a [*FailedError], when the policy stops ([quintain.ErrStop]), and when ctx ends, with
// its cause. The report then has the results so far, without problems that were cut.
func (e *Exam) Run(ctx context.Context) (*Report, error) {
	size := max(1, e.Samples)
	run := &running{exam: e, start: time.Now(), report: newReport(e.Sets, size)}
	run.recall()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	engine := rollout.Engine{
		Policy: e.Policy, Sampling: e.Sampling, Size: size, Parallel: max(1, e.Parallel/size), Replays: e.Replays, Limit: e.Limit, Exam: true,
		Next: run.next, Delegate: e.Delegate, Opponents: e.Opponents,
		Done: func(_ context.Context, r rollout.Result) error {
			if e.Log != nil {
				r.Log(e.Log)
			}
			err := run.take(r)
			var failed *FailedError
			if errors.As(err, &failed) {
				stop(err) // episodes under way are cut and do not count
				return nil
			}
			return err
		},
	}
	err := engine.Run(ctx)
	if err == nil {
		err = context.Cause(ctx)
	}
	run.report.finish(time.Since(run.start))
	return run.report, err
}

// running is an evaluation under way.
type running struct {
	exam  *Exam
	start time.Time
	total int // problems
	sent  int // rows of next that were handed out

	mu     sync.Mutex
	done   int // problems
	failed int // episodes
	cause  string
	report *Report
}

// recall adds the kept results to the report.
func (r *running) recall() {
	for i := range r.exam.Sets {
		set := &r.exam.Sets[i]
		r.total += len(set.Problems)
		for _, p := range set.Problems {
			if kept := r.exam.Kept[p.ID()]; kept != nil {
				r.add(set.Label, kept)
			}
		}
	}
}

// add adds the results of a problem of a set to the report.
func (r *running) add(label string, p *Problem) {
	r.done++
	for _, e := range p.Episodes {
		r.failed += one(!e.Outcome.Rewarded())
	}
	r.report.add(label, p)
}

// next returns a problem of each set in turn. Row r is problem r / len(sets) of set
// r % len(sets), if it has that many.
func (r *running) next(ctx context.Context) (rollout.Job, error) {
	if ctx.Err() != nil {
		return rollout.Job{}, context.Cause(ctx)
	}
	sets := r.exam.Sets
	for row := r.sent; row < r.total*len(sets); row++ {
		set, at := &sets[row%len(sets)], row/len(sets)
		if at < len(set.Problems) && r.exam.Kept[set.Problems[at].ID()] == nil {
			r.sent = row + 1
			return rollout.Job{Scenario: set.Scenario, Problem: set.Problems[at], Label: set.Label}, nil
		}
	}
	return rollout.Job{}, io.EOF
}

// take adds a result to the report.
func (r *running) take(result rollout.Result) error {
	if r.exam.Played != nil {
		if err := r.exam.Played(result); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range result.Trajectories {
		t := &result.Trajectories[i]
		if t.Outcome == quintain.Cancelled {
			return nil
		}
		if t.Outcome.Failed() {
			r.cause = t.Error
		}
	}
	r.add(result.Job.Label, NewProblem(result.Job.Problem.ID(), result.Trajectories))
	r.report.LastFault = r.cause
	if r.exam.Told != nil {
		r.exam.Told(Progress{r.done, r.total, r.failed, r.cause})
	}
	if episodes := r.total * max(1, r.exam.Samples); float64(r.failed) > r.exam.MaxFailed*float64(episodes) {
		return &FailedError{r.failed, r.done * max(1, r.exam.Samples), r.cause}
	}
	return nil
}
