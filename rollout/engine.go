package rollout

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
)

// ErrGrace is the cause of the context of an episode that was cut because it did
// not end within the grace period.
var ErrGrace = errors.New("the grace period is over")

// ErrCut is the cause of the context of an episode that was cut by order.
var ErrCut = errors.New("the run was cut")

// A Result is one job as it was played.
type Result struct {
	Job          Job
	Trajectories []quintain.Trajectory // one for each episode of the group, of any outcome
}

// An Engine plays groups of episodes. Its fields are set before Run and not
// changed after.
type Engine struct {
	Policy   quintain.Policy
	Sampling quintain.Sampling
	Size     int           // episodes of a group, 1 or more
	Parallel int           // groups under way at once, 1 or more
	Grace    time.Duration // how long started episodes may go on once Run is told to stop

	// Next waits for a job that may start. The error io.EOF says that none is
	// left; any other ends the run. It is called by one goroutine.
	Next func(context.Context) (Job, error)

	// Done takes a result. It is called from many goroutines, once for every job
	// that Next gave. An error ends the run.
	Done func(context.Context, Result) error

	// Cut, where it is not nil, stops the run and cuts what is under way when it is
	// closed.
	Cut <-chan struct{}
}

// Run plays groups until none is left, ctx is done, or one fails. In the last two
// cases it starts no more, gives those that are under way Grace to end, and cuts
// the rest: their outcome is Cancelled. Every job that Next gave has been handed to Done, and
// every goroutine that Run started has ended, when Run returns. That ctx is done
// is no error.
func (e *Engine) Run(ctx context.Context) error {
	accept, stop := context.WithCancelCause(ctx) // done: start no more
	defer stop(nil)
	play, cut := context.WithCancelCause(context.WithoutCancel(ctx)) // done: end what is under way
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
			break // what is under way may end in its own time
		}
		if err != nil {
			stop(err)
			break
		}
		groups.Go(func() {
			defer func() { <-free }()
			result := Result{job, e.play(play, job)}
			if err := e.Done(context.WithoutCancel(ctx), result); err != nil {
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

// guard returns when no more may start and what is under way may not go on: it
// cuts play when the grace period that begins with the end of accept is over, or
// by order.
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
