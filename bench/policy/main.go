// Command policy asks an inference server for many replies at once, by tokens, and prints the
// measurement as one line of JSON. With -fake it starts quintain policy fake as a second process,
// with replies of a known duration: any time beyond that is the latency that client, network and
// fake server add together.
//
//	go run ./bench/policy -fake bin/quintain -streams 10000
//	go run ./bench/policy -url http://127.0.0.1:8001 -model my-model -streams 256
//	go run ./bench/policy -url http://gpu1:8001,http://gpu2:8001 -streams 512
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
		fmt.Fprintln(os.Stderr, "policy:", err)
		os.Exit(1)
	}
}

// measure prints what it measures, until a signal ends it.
func measure() error {
	m := Default()
	_ = m.Flags().Parse(os.Args[1:]) // it ends the program
	if err := m.Check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	row, err := m.Run(ctx, os.Stderr)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(row)
}
