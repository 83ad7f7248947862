package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// ErrBroken says that a simulation broke an invariant.
var ErrBroken = errors.New("the simulation broke an invariant")

// A Bench simulates fleets of several sizes.
type Bench struct {
	Fleet Config // its Workers are not used
	Sizes []int  // numbers of workers
	JSON  bool   // print a JSON object a line
}

// NewBench returns a bench of the default fleet.
func NewBench() *Bench { return &Bench{Fleet: DefaultFleet(), Sizes: []int{DefaultFleet().Workers}} }

// Check reports the first invalid field, by the name of its flag.
func (b *Bench) Check() error {
	for _, b.Fleet.Workers = range b.Sizes {
		if err := b.Fleet.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Run prints a line for each size, as soon as it is known. It ends with [ErrBroken] if an
// invariant was broken.
func (b *Bench) Run(ctx context.Context, out io.Writer) error { return b.runWith(ctx, out, fenced) }

// runWith is Run by a rule.
func (b *Bench) runWith(ctx context.Context, out io.Writer, r rule) error {
	var broken error
	if !b.JSON {
		fmt.Fprintln(out, "workers  slots in use  trainer busy  episodes/s  of ideal  lost work  fenced  wait, s  requests/s  draws lost  twice")
	}
	for _, b.Fleet.Workers = range b.Sizes {
		report, err := runWith(ctx, b.Fleet, r)
		if err != nil {
			return err
		}
		if v := report.Violations; v != (Violations{}) {
			broken = fmt.Errorf("%w: %+v with %d workers", ErrBroken, v, report.Workers)
		}
		if err := b.print(out, report); err != nil {
			return err
		}
	}
	return broken
}

// print prints a line.
func (b *Bench) print(out io.Writer, r Report) error {
	if b.JSON {
		return json.NewEncoder(out).Encode(r)
	}
	_, err := fmt.Fprintf(out, "%7d  %12.3f  %12.3f  %10.0f  %8.0f  %7.2f %%  %4.2f %%  %7.1f  %10.0f  %10d  %5d\n",
		r.Workers, r.SlotsInUse, r.TrainerBusy, r.Episodes, r.Ideal, 100*r.Lost, 100*r.Fenced, r.Wait, r.Requests,
		r.Violations.Lost, r.Violations.Held+r.Violations.Twice)
	return err
}

// Flags returns the flags that set b.
func (b *Bench) Flags() *flag.FlagSet {
	f, c := flag.NewFlagSet("fleet", flag.ExitOnError), &b.Fleet
	f.Var((*numbersValue)(&b.Sizes), "workers", "numbers of workers, separated by commas")
	f.Uint64Var(&c.Seed, "seed", c.Seed, "of all chance")
	f.DurationVar(&c.Time, "time", c.Time, "to simulate, of which the first sixth is not measured")
	f.IntVar(&c.Slots, "slots", c.Slots, "episodes that a worker plays at once")
	f.IntVar(&c.GroupSize, "group-size", c.GroupSize, "episodes of a group")
	f.IntVar(&c.Prefetch, "prefetch", c.Prefetch, "leases that a worker holds beyond those that it plays")
	f.IntVar(&c.MaxLag, "max-lag", c.MaxLag, "steps of the trainer, after which a group is dropped as stale")
	f.IntVar(&c.Batch, "batch", c.Batch, "episodes of a step; 0: as many as there are slots")
	f.DurationVar(&c.Median, "median", c.Median, "of the length of an episode")
	f.Float64Var(&c.Sigma, "sigma", c.Sigma, "of the logarithm of the length")
	f.Float64Var(&c.Load, "load", c.Load, "duration of a step, relative to the time in which a fleet without faults plays a batch")
	f.DurationVar(&c.Sync, "sync", c.Sync, "mean time until a server has new weights")
	f.DurationVar(&c.LeaseTime, "lease-time", c.LeaseTime, "after the last beat of a worker, its leases expire")
	f.DurationVar(&c.Beat, "beat", c.Beat, "time between two beats of a worker")
	f.DurationVar(&c.Journal, "journal", c.Journal, "time between two times that a worker tells what it has played of a lease, with which others go on; 0: never")
	f.DurationVar(&c.DeathEvery, "deaths", c.DeathEvery, "mean time until a worker dies; 0: never")
	f.DurationVar(&c.ReplaceAfter, "replace-after", c.ReplaceAfter, "mean time until another stands in for it")
	f.DurationVar(&c.FreezeEvery, "freezes", c.FreezeEvery, "mean time between freezes of a worker; 0: never")
	f.DurationVar(&c.FreezeTime, "freeze-time", c.FreezeTime, "mean length of a freeze")
	f.DurationVar(&c.OutageEvery, "outages", c.OutageEvery, "mean time between outages of the owner; 0: never")
	f.DurationVar(&c.OutageTime, "outage-time", c.OutageTime, "length of an outage")
	f.BoolVar(&b.JSON, "json", b.JSON, "print a JSON object a line, with more figures")
	return f
}

// numbersValue is a [flag.Value] of numbers with commas between them.
type numbersValue []int

// String implements [flag.Value].
func (v *numbersValue) String() string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]int(*v))), ","), "[]")
}

// Set implements [flag.Value].
func (v *numbersValue) Set(text string) error {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return fmt.Errorf("%q is no number", word)
		}
		all = append(all, n)
	}
	*v = all
	return nil
}

// measureFleet plays a fleet of workers in virtual time: an owner of a run that grants leases of
// draws, workers that play them on inference servers, and a trainer that steps. Workers die
// and freeze, and the owner fails; the rules of leases are the real ones, and the simulation
// audits them as it goes: a draw that is lost or counts twice is an error. It prints a line for
// each number of workers.
//
//	go run ./bench/load fleet -workers 10,100,1000,10000 -seed 1
//	go run ./bench/load fleet -slots 128 -deaths 1h -lease-time 1m -json
//
// It reads no clock and starts no goroutine: times are whole milliseconds and chance comes
// from the seed, so the same flags give the same output.
//
// Requests take no time. The owner's answer is lost only if the owner fails right after it
// accepted a group; the worker then sends the group again. Instances are replaced by others
// on the same server, which serves the weights of its last version or a later one.
func measureFleet(ctx context.Context, args []string) error {
	b := NewBench()
	_ = b.Flags().Parse(args) // it ends the program
	if err := b.Check(); err != nil {
		return err
	}
	return b.Run(ctx, os.Stdout)
}
