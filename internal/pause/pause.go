// Package pause waits.
package pause

import (
	"context"
	"time"
)

// For waits for d, or until ctx ends, and reports whether d has passed. Many goroutines may
// call it.
func For(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
