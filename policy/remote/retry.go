package remote

import (
	"context"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

// A Retry repeats attempts after temporary faults. Many goroutines may use it.
type Retry struct {
	cfg     Config
	backoff pause.Backoff
}

// NewRetry returns a Retry with the Retries, Backoff, MaxBackoff, Told and Stop of cfg.
func NewRetry(cfg Config) *Retry {
	cfg = cfg.withDefaults()
	return &Retry{cfg, pause.Backoff{First: 2 * cfg.Backoff, Most: cfg.MaxBackoff, Jitter: true}}
}

// Do calls try until it returns nil, a permanent fault, or a fault after the last retry.
// The error is the last fault, with the number of attempts, [Stopped] if only Config.Stop
// ended it, or the cause of ctx if ctx ended before try returned nil.
func (r *Retry) Do(ctx context.Context, try func() *Error) error {
	for attempt := 1; ; attempt++ {
		fault := try()
		if fault == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fault.Attempts = attempt
		if !fault.again(r.cfg.Retries) {
			return fault
		}
		if r.cfg.Told != nil {
			r.cfg.Told(fault, attempt)
		}
		if stopped, err := r.pause(ctx, attempt, fault.after); err != nil {
			return err
		} else if stopped {
			return Stopped(fault)
		}
	}
}

// pause waits before retry i. It returns early if Config.Stop is closed, or with the cause
// of ctx.
func (r *Retry) pause(ctx context.Context, i int, after time.Duration) (stopped bool, err error) {
	timer := time.NewTimer(r.backoff.After(i) + min(after, r.cfg.MaxBackoff))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-r.cfg.Stop:
		return true, nil
	case <-timer.C:
		return false, nil
	}
}

// Backoff returns the longest pause before retry i, from 1 on.
func (r *Retry) Backoff(i int) time.Duration {
	longest := r.backoff
	longest.Jitter = false
	return longest.After(i)
}
