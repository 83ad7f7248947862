package main

import (
	"context"
	"errors"
	"os"
	"testing"
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
