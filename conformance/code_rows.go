//go:build ignore

// Draws problems of package codetask: a line of JSON for each, with its statement, kind, level, tests
// and solution. conformance/code_verdicts.py, conformance/verl_codes.py and bench/sandbox.py have
// graders judge them.
//
//	go run conformance/code_rows.go -count 600
package main

import (
	"flag"
	"log"
	"os"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/tasks/codetask"
)

func main() {
	count := flag.Int("count", 600, "problems, of all levels in turn")
	seed := flag.Uint64("seed", 1, "seed")
	flag.Parse()
	for n := range *count {
		p, err := codetask.New(quintain.Draw{Seed: *seed, Level: n % codetask.Levels, Index: n / codetask.Levels})
		if err != nil {
			log.Fatal(err)
		}
		if err := jsonform.WriteLine(os.Stdout, p); err != nil {
			log.Fatal(err)
		}
	}
}
