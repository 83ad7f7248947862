package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A LeaseLoad is the load on a coordinator.
type LeaseLoad struct {
	Askers  []int         // numbers of workers that take and finish leases, one measurement each
	Most    int           // leases that a worker asks for at once
	Open    int           // leases that others hold meanwhile
	Size    int           // episodes of a group
	Tokens  int           // sampled tokens of an episode
	Equal   bool          // all episodes have one score: the run keeps no group
	Workers int           // that only beat and wait; 0: they are not measured
	Beat    time.Duration // between two signs of life of these
	Time    time.Duration // of a measurement
	At      string        // address of a coordinator in another process: be its idle workers, and measure nothing; empty: measure
	Store   Store
}

// DefaultLeases returns the load of the figures in docs/benchmarks.md.
func DefaultLeases() LeaseLoad {
	return LeaseLoad{Askers: []int{64, 512}, Most: 1, Size: 8, Tokens: 64, Workers: 1000, Beat: 5 * time.Second, Time: 10 * time.Second, Store: Store{Replicas: 1}}
}

// Check reports the first invalid field, by the name of its flag.
func (l *LeaseLoad) Check() error {
	for _, n := range l.Askers {
		if n < 1 {
			return fmt.Errorf("askers: is %d, want 1 or more", n)
		}
	}
	for _, of := range []struct {
		name     string
		n, least int
	}{{"most", l.Most, 1}, {"open", l.Open, 0}, {"group-size", l.Size, 2}, {"tokens", l.Tokens, 16}, {"workers", l.Workers, 0}, {"replicas", l.Store.Replicas, 1}} {
		if of.n < of.least {
			return fmt.Errorf("%s: is %d, want %d or more", of.name, of.n, of.least)
		}
	}
	for name, d := range map[string]time.Duration{"time": l.Time, "beat": l.Beat} {
		if d <= 0 {
			return fmt.Errorf("%s: is %v, want more than 0", name, d)
		}
	}
	if l.Store.Data != "" && l.Store.NATS != "" {
		return errors.New("data: the groups are on a NATS server; choose one")
	}
	return nil
}

// Flags returns the flags that set l.
func (l *LeaseLoad) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("leases", flag.ContinueOnError)
	f.Func("askers", "numbers of workers that take and finish leases, separated by commas (default 64,512)", func(text string) (err error) {
		l.Askers, err = numbers(text)
		return err
	})
	f.IntVar(&l.Most, "most", l.Most, "leases that a worker asks for at once")
	f.IntVar(&l.Open, "open", l.Open, "leases that others hold meanwhile")
	f.IntVar(&l.Size, "group-size", l.Size, "episodes of a group")
	f.IntVar(&l.Tokens, "tokens", l.Tokens, "sampled tokens of an episode")
	f.BoolVar(&l.Equal, "equal-scores", l.Equal, "all episodes have the same score, so that the run keeps no group")
	f.IntVar(&l.Workers, "workers", l.Workers, "workers that only beat and wait; 0: leave them out")
	f.DurationVar(&l.Beat, "beat", l.Beat, "time between two signs of life of these")
	f.StringVar(&l.At, "at", l.At, "be the idle workers of the bench at this HOST:PORT, and measure nothing; the bench starts itself so")
	f.DurationVar(&l.Time, "time", l.Time, "duration of each measurement")
	f.StringVar(&l.Store.Data, "data", l.Store.Data, "folder for a new data folder, deleted in the end; empty: that of temporary files")
	f.StringVar(&l.Store.NATS, "nats", l.Store.NATS, "NATS server or cluster for new streams, deleted in the end; empty: files")
	f.IntVar(&l.Store.Replicas, "replicas", l.Store.Replicas, "copies in the cluster")
	return f
}

func numbers(text string) (all []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%q is no number", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// Run makes the measurements, and shows each as soon as it is known: a [Leases] or an [Idle]. For
// the latter it starts its own program with -at: then it shows a [Come] instead.
func (l *LeaseLoad) Run(ctx context.Context, show func(row any) error) error {
	if err := l.Check(); err != nil {
		return err
	}
	if l.At != "" {
		return l.idlers(ctx, show)
	}
	for _, n := range l.Askers {
		row, err := l.askers(ctx, n)
		if err != nil {
			return err
		}
		if err := show(row); err != nil {
			return err
		}
	}
	if l.Workers == 0 {
		return nil
	}
	row, err := l.idle(ctx)
	if err != nil {
		return err
	}
	return show(row)
}

// A span collects durations.
type span []time.Duration

// A LeaseLatency summarizes durations, in milliseconds.
type LeaseLatency struct {
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

func (s span) latency() (l LeaseLatency) {
	if len(s) == 0 {
		return l
	}
	slices.Sort(s)
	at := func(part float64) float64 {
		return float64(s[min(len(s)-1, int(part*float64(len(s))))].Microseconds()) / 1000
	}
	return LeaseLatency{at(0.5), at(0.99), at(1)}
}

// measureLeases measures how many leases a coordinator grants and takes back: a real one, over a
// real run and queue, on a port of this machine, with workers that play nothing. It prints each
// measurement as a line of JSON (docs/benchmarks.md).
//
//	go run ./bench/load leases -nats nats://n0:4222,nats://n1:4222 -replicas 3
func measureLeases(ctx context.Context, args []string) error {
	load := DefaultLeases()
	if err := load.Flags().Parse(args); err != nil {
		os.Exit(2) // the flags have said why
	}
	return load.Run(ctx, func(row any) error { return json.NewEncoder(os.Stdout).Encode(row) })
}
