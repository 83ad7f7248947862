//go:build heavy

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain lets the test binary be the second process of a measurement.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "leases" && os.Args[2] == "-at" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// smallLeases returns a load that takes a moment.
func smallLeases(t *testing.T) LeaseLoad {
	l := DefaultLeases()
	l.Askers, l.Workers, l.Time, l.Store.Data = []int{3, 8}, 20, 200*time.Millisecond, t.TempDir()
	return l
}

// rows runs a load and returns its measurements.
func rows(t *testing.T, l LeaseLoad) (all []any) {
	t.Helper()
	err := l.Run(t.Context(), func(row any) error {
		all = append(all, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestALoadCountsWhatItFinishes(t *testing.T) {
	l := smallLeases(t)
	l.Most, l.Open, l.Workers = 2, 1500, 0
	all := rows(t, l)
	l.Equal = true
	for i, row := range append(all, rows(t, l)...) {
		r := row.(*Leases)
		if r.Askers != l.Askers[i%2] || r.Kept != (i < 2) || r.Leases < 1 || r.PerS <= 0 || r.Ask.P50 <= 0 || r.Finish.P99 < r.Finish.P50 || r.Store != "files" || r.Open != 1500 || r.Body < 1 {
			t.Errorf("%+v", *r)
		}
		if most := float64(r.Leases) / l.Time.Seconds(); r.PerS > most {
			t.Errorf("%v leases a second, but %d in %v", r.PerS, r.Leases, l.Time)
		}
	}
}

func TestIdleWorkersBeatAndWait(t *testing.T) {
	l := smallLeases(t)
	l.Askers, l.Beat = nil, 10*time.Millisecond
	all := rows(t, l)
	r := all[0].(*Idle)
	if len(all) != 1 || r.Workers != 20 || r.Beats < 1 || r.Polls > 1 {
		t.Errorf("%+v, want beats of 20 workers, and no answer to their polls", *r)
	}
}

func TestASignalEndsALoad(t *testing.T) {
	l := smallLeases(t)
	l.Time = time.Hour
	ctx, stop := context.WithCancel(t.Context())
	after := time.AfterFunc(100*time.Millisecond, stop)
	defer after.Stop()
	if err := l.Run(ctx, func(any) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestInvalidLoads(t *testing.T) {
	for want, change := range map[string]func(*LeaseLoad){
		"askers: is 0":     func(l *LeaseLoad) { l.Askers = []int{64, 0} },
		"most: is 0":       func(l *LeaseLoad) { l.Most = 0 },
		"open: is -1":      func(l *LeaseLoad) { l.Open = -1 },
		"group-size: is 1": func(l *LeaseLoad) { l.Size = 1 },
		"tokens: is 3":     func(l *LeaseLoad) { l.Tokens = 3 },
		"workers: is -1":   func(l *LeaseLoad) { l.Workers = -1 },
		"replicas: is 0":   func(l *LeaseLoad) { l.Store.Replicas = 0 },
		"time: is 0s":      func(l *LeaseLoad) { l.Time = 0 },
		"beat: is 0s":      func(l *LeaseLoad) { l.Beat = 0 },
		"choose one":       func(l *LeaseLoad) { l.Store.Data, l.Store.NATS = "here", "nats://there" },
	} {
		l := DefaultLeases()
		change(&l)
		if err := l.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	l := DefaultLeases()
	if err := l.Flags().Parse([]string{"--askers", "1, 2"}); err != nil || l.Askers[1] != 2 {
		t.Errorf("%v, error %v", l.Askers, err)
	}
	flags := l.Flags()
	flags.SetOutput(io.Discard)
	if err := flags.Parse([]string{"--askers", "x"}); err == nil {
		t.Error("a word is taken for a number")
	}
}

// BenchmarkLeases is for profiles: go test ./bench/load -run xxx -bench . -benchtime 1x -cpuprofile FILE.
func BenchmarkLeases(b *testing.B) {
	l := DefaultLeases()
	l.Workers = 0
	for b.Loop() {
		if err := l.Run(b.Context(), func(row any) error {
			r := row.(*Leases)
			b.ReportMetric(r.PerS, fmt.Sprintf("leases/s-%d", r.Askers))
			b.ReportMetric(r.CPU, fmt.Sprintf("ms/lease-%d", r.Askers))
			b.ReportMetric(r.Ask.P99, fmt.Sprintf("ask-p99-ms-%d", r.Askers))
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdle is for profiles, too.
func BenchmarkIdle(b *testing.B) {
	l := DefaultLeases()
	l.Askers = nil
	for b.Loop() {
		if err := l.Run(b.Context(), func(row any) error {
			b.ReportMetric(row.(*Idle).CPU, "ms/worker-s")
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}
