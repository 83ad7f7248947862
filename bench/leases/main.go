// Command leases measures how many leases a coordinator grants and takes back: a real one, over a
// real run and queue, on a port of this machine, with workers that play nothing. It prints each
// measurement as one line of JSON (docs/benchmarks.md).
//
//	go run ./bench/leases -nats nats://n0:4222,nats://n1:4222 -replicas 3
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "leases:", err)
		os.Exit(1)
	}
}

// measure prints what it measures, until a signal ends it.
func measure() error {
	load := Default()
	if err := load.Flags().Parse(os.Args[1:]); err != nil {
		os.Exit(2) // the flags have said why
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return load.Run(ctx, func(row any) error { return json.NewEncoder(os.Stdout).Encode(row) })
}
