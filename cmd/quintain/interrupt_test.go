package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/quintain-rl/quintain/hub/host"
)

func TestAttend(t *testing.T) {
	t.Parallel()
	signals, released := make(chan os.Signal, 2), 0
	failed := errors.New("failed")
	err := attend(t.Context(), func() (<-chan os.Signal, func()) { return signals, func() { released++ } }, func(ctx context.Context, cut <-chan struct{}) error {
		signals <- os.Interrupt
		<-ctx.Done()
		select {
		case <-cut:
			t.Error("one signal cuts")
		default:
		}
		if cause := context.Cause(ctx); !errors.Is(cause, errInterrupted) {
			t.Errorf("the context ended by %v", cause)
		}
		signals <- os.Interrupt
		<-cut
		return failed
	})
	if !errors.Is(err, failed) || released != 2 {
		t.Errorf("error %v, released %d times, want it at the second signal and at the end", err, released)
	}
}

func TestAttendWithoutSignals(t *testing.T) {
	t.Parallel()
	var during error
	err := attend(t.Context(), nil, func(ctx context.Context, _ <-chan struct{}) error {
		during = ctx.Err()
		return nil
	})
	if err != nil || during != nil {
		t.Errorf("error %v, the context's %v", err, during)
	}
}

func TestStoppedEarly(t *testing.T) {
	ended, end := context.WithCancelCause(t.Context())
	end(errInterrupted)
	wrapped := fmt.Errorf("record of the run: %w", errInterrupted)
	for _, test := range []struct {
		why  string
		ctx  context.Context
		err  error
		want bool
	}{
		{"it is open", ended, nil, false},
		{"the signal ended the opening", ended, wrapped, true},
		{"the disk is full beside it", ended, os.ErrPermission, false},
		{"nobody ended it", t.Context(), wrapped, false},
	} {
		if got := stoppedEarly(test.ctx, test.err); errors.Is(got, host.ErrStopped) != test.want || !errors.Is(got, test.err) {
			t.Errorf("%s: %v", test.why, got)
		}
	}
}
