// Command hub puts a load on a running hub, ours or any with the API of Atropos, and prints its
// measurements as one line of JSON for each scenario:
//
//   - ingest: post groups, the next on each connection after the reply to the last
//   - polls: the same, while environments ask for their status, each ten times a second
//   - batch: post groups, then take them in batches, while another client polls /info
//   - backlog: post small groups, sixteen in a request, then take them in batches
//
// Each scenario begins with /reset_data, which deletes the groups of the hub. bench/hub.py runs it
// on two servers, side by side.
//
//	go run ./bench/hub -url http://127.0.0.1:8000 -scenario ingest
//	go run ./bench/hub -scenario ingest -form binary -connections 16
//	go run ./bench/hub -scenario batch -groups 320 -batch 256
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "hub:", err)
		os.Exit(1)
	}
}

// measure prints what it measures, until a signal ends it.
func measure() error {
	load := Default()
	f := load.Flags()
	names := f.String("scenario", strings.Join(Scenarios(), ","), "scenarios, separated by commas")
	_ = f.Parse(os.Args[1:]) // it ends the program
	scenarios := strings.Split(*names, ",")
	if err := load.Check(scenarios...); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, name := range scenarios {
		row, err := load.Run(ctx, name)
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(row)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
