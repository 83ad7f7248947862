package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/quintain-rl/quintain/hub/host"
)

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// attend runs work. The first signal ends its context, and the second closes its channel: the
// first stops, the second cuts. Signals are had by a call of notify until release is called: the
// third then does what it does outside of Attend, which is to end the program. A nil notify means
// no signals.
func attend(ctx context.Context, notify func() (signals <-chan os.Signal, release func()), work func(ctx context.Context, cut <-chan struct{}) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cut, over := make(chan struct{}), make(chan struct{})
	if notify == nil {
		return work(ctx, cut)
	}
	signals, release := notify()
	defer release()
	var watch sync.WaitGroup
	defer watch.Wait()
	defer close(over)
	watch.Go(func() {
		for _, then := range []func(){func() { stop(errInterrupted) }, func() { close(cut); release() }} {
			select {
			case <-signals:
				then()
			case <-over:
				return
			}
		}
	})
	return work(ctx, cut)
}

// stoppedEarly returns the error of a process that was still to begin its work, as [host.ErrStopped] if it only says that
// ctx has ended.
func stoppedEarly(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("%w: %w", host.ErrStopped, err)
	}
	return err
}
