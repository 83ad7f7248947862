// Command fleet plays a fleet of workers in virtual time: an owner of a run that grants leases of
// draws, workers that play them on inference servers, and a trainer that steps. Workers die
// and freeze, and the owner fails; the rules of leases are the real ones, and the simulation
// audits them as it goes: if a draw is lost or counts twice, it ends with status 1. It prints a
// line for each number of workers.
//
//	go run ./bench/fleet -workers 10,100,1000,10000 -seed 1
//	go run ./bench/fleet -slots 128 -deaths 1h -lease-time 1m -json
//
// It reads no clock and starts no goroutine: times are whole milliseconds and chance comes
// from the seed, so the same flags give the same output.
//
// Requests take no time. The owner's answer is lost only if the owner fails right after it
// accepted a group; the worker then sends the group again. Instances are replaced by others
// on the same server, which serves the weights of its last version or a later one.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// measure prints what it measures, until a signal ends it.
func measure() error {
	b := NewBench()
	_ = b.Flags().Parse(os.Args[1:]) // it ends the program
	if err := b.Check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return b.Run(ctx, os.Stdout)
}
