// Command load puts a load on a server or a part of the program, and measures it; fleet plays a
// fleet of workers in virtual time. It prints JSON, and tables for people where its flags say so.
//
//	go run ./bench/load hub -scenario ingest
//	go run ./bench/load hub -help
//
// The function that measures says what each is for.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := measure(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// measure prints what the measurement of args[0] finds, by the flags behind it.
func measure(ctx context.Context, args []string) error {
	loads := map[string]func(ctx context.Context, args []string) error{
		"fleet": measureFleet, "hub": measureHub, "leases": measureLeases,
		"openenv": measureOpenEnv, "policy": measurePolicy, "sandbox": measureSandbox,
	}
	names := strings.Join(slices.Sorted(maps.Keys(loads)), ", ")
	if len(args) == 0 {
		return fmt.Errorf("say what to measure: %s", names)
	}
	load, ok := loads[args[0]]
	if !ok {
		return fmt.Errorf("there is no %q: want one of %s", args[0], names)
	}
	return load(ctx, args[1:])
}
