//go:build ignore

// Writes problems of write_program with their tests and solutions, a JSON object a line:
// go run conformance/code_rows.go COUNT. They go through the levels in turn.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/codetask"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	to := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(to)
	for i := range count {
		p, err := codetask.New(quintain.Draw{Seed: 1, Level: i % codetask.Levels, Index: i / codetask.Levels})
		if err != nil {
			return err
		}
		if err := lines.Encode(p); err != nil {
			return err
		}
	}
	return to.Flush()
}
