package main

import (
	"context"
	"errors"
	"os"
	"sync"
)

// together runs parts side by side until all have ended. When one ends, the
// context of the others is done. The error joins all of theirs.
func together(ctx context.Context, parts ...func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Go(func() {
			defer stop()
			errs[i] = part(ctx)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// untilSignal runs work until it ends, or a signal comes and its context is done. It
// reports whether one came.
func untilSignal(ctx context.Context, signals <-chan os.Signal, work func(context.Context) error) (stopped bool, err error) {
	err = together(ctx, work, func(ctx context.Context) error {
		select {
		case <-signals:
			stopped = true
		case <-ctx.Done():
		}
		return nil
	})
	return stopped, err
}
