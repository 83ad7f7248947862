// Command sandbox measures what the sandbox of this machine costs: it starts an interpreter that
// does nothing, in turn plainly, in the sandbox, and forked by a zygote, and prints a table, or with -json all
// times, which bench/sandbox.py compares.
//
//	go run ./bench/sandbox -times 500
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
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
}

// measure prints what it measures, until a signal ends it.
func measure() error {
	load := Default()
	_ = load.Flags().Parse(os.Args[1:]) // it ends the program
	if err := load.Check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	row, err := load.Run(ctx)
	if err != nil {
		return err
	}
	if load.JSON {
		return json.NewEncoder(os.Stdout).Encode(row)
	}
	return row.show(os.Stdout)
}
