// Command openenv opens sessions with a running OpenEnv server, ours or any other with the
// environment reasoning_gym_env, plays episodes in all sessions at once, and prints its
// measurements as one line of JSON.
//
//	quintain serve --max-connections 20000 &
//	go run ./bench/openenv -sessions 16384
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
		fmt.Fprintln(os.Stderr, "openenv:", err)
		os.Exit(1)
	}
}

// measure prints what it measures, until a signal ends it.
func measure() error {
	load := Default()
	_ = load.Flags().Parse(os.Args[1:]) // it ends the program
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	row, err := load.Run(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(row)
}
