// Package pause waits: for a time, or longer and longer between tries that fail.
package pause

import (
	"context"
	"time"
)

// For waits for d, or until ctx ends, and reports whether d has passed. It is safe for
// concurrent use.
func For(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
