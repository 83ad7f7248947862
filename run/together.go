package run

import (
	"context"
	"errors"
	"sync"
)

// Together runs parts side by side until all have ended. The end of one ends the context
// of the others. The error joins their errors.
func Together(ctx context.Context, parts ...func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for i, part := range parts {
		all.Go(func() {
			defer stop()
			errs[i] = part(ctx)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// either returns a context that ends with the first of two, and with its cause.
func either(a, b context.Context) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(a)
	stop := context.AfterFunc(b, func() { cancel(context.Cause(b)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
