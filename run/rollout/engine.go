package rollout

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/traceparent"
)

// ErrGrace is the cause of cancelling an episode that did not end within the grace period.
var ErrGrace = errors.New("the grace period is over")

// ErrCut is the cause of cancelling an episode because Engine.Cut was closed.
var ErrCut = errors.New("the run was cut short")

// A Result is a played job.
type Result struct {
	Job          Job
	Trajectories []quintain.Trajectory // one per episode of the group, with any outcome

	// Again says that an episode failed, and that another try of the whole job is
	// worthwhile and fair; see [quintain.ErrFinal].
	Again bool

	// Drop is a reason to drop the group that its player found; empty: none.
	Drop Drop

	// Lease is that by which another process played the job; nil: this one did.
	Lease *Lease

	stop error // the policy's first error with [quintain.ErrStop] in its chain
}

// A Lease gave a job to a worker elsewhere.
type Lease struct {
	Number  uint64
	Attempt int // at this problem, from 1
	Worker  string
	Model   string // that played, by its name
	Granted time.Time
}

// Span is that of the lease, below that of the job's group.
func (l *Lease) Span(group traceparent.Context) traceparent.Context {
	if !group.Valid() {
		return group
	}
	return group.Child("lease " + strconv.FormatUint(l.Number, 10))
}

// A Delegate has another process play a group of so many episodes, with outcomes as those of an
// [Engine]: Cancelled if ctx ends. It reports whether it did; if not, the caller plays it.
type Delegate func(ctx context.Context, job Job, size int) (r Result, did bool)

// An Engine plays groups of episodes. Set its fields before Run and do not change them
// afterwards.
type Engine struct {
	Policy   quintain.Policy
	Sampling quintain.Sampling
	Size     int           // episodes per group, 1 or more
	Parallel int           // groups in progress at once, 1 or more
	Grace    time.Duration // time for episodes to finish once Run is stopped
	Limit    time.Duration // server time for all replies of an episode, see [quintain.Request]; 0: no limit
	Exam     bool          // the episodes are for an evaluation, see [quintain.Request]
	Replays  int           // restarts of an episode after failures of the policy

	// Opponents are the other policies at tables, by the names of their players; see
	// [quintain.Opponent].
	Opponents map[string]Opponent

	// Next waits for a job that may start. The error io.EOF means that none is left; any
	// other error ends the run. One goroutine calls it.
	Next func(context.Context) (Job, error)

	// Done receives a result, once for every job from Next, from many goroutines at once.
	// Its context ends when episodes are cut. An error ends the run.
	Done func(context.Context, Result) error

	// Delegate, if not nil, plays jobs in place of Policy.
	Delegate Delegate

	// Cut, if not nil, stops the run and cancels all episodes in progress when it is
	// closed.
	Cut <-chan struct{}
}

// Run plays groups until none is left, ctx is done, Next or Done fails, or the policy ends
// all play ([quintain.ErrStop]). Except in the first case, it starts no more groups, gives
// those in progress the time Grace to finish, and then cancels the remaining episodes with
// the outcome Cancelled. When Run returns, it has passed every job from Next to Done, and
// every goroutine that it started has ended. The end of ctx is not an error.
func (e *Engine) Run(ctx context.Context) error {
	accept, stop := context.WithCancelCause(ctx) // done: start no more groups
	defer stop(nil)
	play, cut := context.WithCancelCause(context.WithoutCancel(ctx)) // done: end all episodes
	defer cut(nil)

	var warden sync.WaitGroup
	warden.Go(func() {
		e.guard(accept, play, cut)
		stop(nil)
	})

	var groups sync.WaitGroup
	free := make(chan struct{}, max(1, e.Parallel))
	for accept.Err() == nil {
		select {
		case free <- struct{}{}:
		case <-accept.Done():
			continue
		}
		job, err := e.Next(accept)
		if errors.Is(err, io.EOF) {
			break // groups in progress may take their time
		}
		if err != nil {
			stop(err)
			break
		}
		groups.Go(func() {
			defer func() { <-free }()
			result := e.play(traceparent.With(play, job.Span), accept, job)
			if err := cmp.Or(e.Done(play, result), result.stop); err != nil {
				stop(err)
			}
		})
	}
	groups.Wait()
	err := context.Cause(accept)
	stop(nil)
	cut(nil)
	warden.Wait()
	if errors.Is(err, context.Canceled) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// guard ends play when Cut is closed, or when the grace period that begins with the end of
// accept is over. It returns then, or when play has ended otherwise.
func (e *Engine) guard(accept, play context.Context, cut context.CancelCauseFunc) {
	select {
	case <-accept.Done():
	case <-e.Cut:
		cut(ErrCut)
		return
	}
	grace := time.NewTimer(e.Grace)
	defer grace.Stop()
	select {
	case <-grace.C:
		cut(ErrGrace)
	case <-e.Cut:
		cut(ErrCut)
	case <-play.Done():
	}
}
