//go:build ignore

// Writes problems as JSON lines, of all levels in turn, with what is right by our program, for scripts of
// this folder that work it out by others:
//
//	go run conformance/rows.go -of code -count 600          // programs: statement, kind, level, tests and solution
//	go run conformance/rows.go -of service_desk -count 600  // problems of the scenario: record and what is right
//	go run conformance/rows.go -of tables -count 1000       // statements of the scenario: tables and what they give
package main

import (
	"bufio"
	"errors"
	"flag"
	"log"
	"os"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/tables"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/tasks/codetask"
)

// A kind has a number of levels, and writes what a problem gives.
type kind struct {
	levels int
	write  func(d quintain.Draw, row func(any) error) error
}

var kinds = map[string]kind{
	"code": {codetask.Levels, func(d quintain.Draw, row func(any) error) error {
		p, err := codetask.New(d)
		if err != nil {
			return err
		}
		return row(p)
	}},
	"service_desk": {6, func(d quintain.Draw, row func(any) error) error {
		c, err := toolbox.NewCase(d.Level, d.Index)
		if err != nil {
			return err
		}
		return row(c)
	}},
	"tables": {7, func(d quintain.Draw, row func(any) error) error {
		return tables.Samples(d.Level, d.Index, func(s tables.Sample) error { return row(s) })
	}},
}

var errEnough = errors.New("enough")

func main() {
	name := flag.String("of", "", "code, service_desk or tables")
	count := flag.Int("count", 600, "lines")
	seed := flag.Uint64("seed", 1, "seed, of code")
	flag.Parse()
	of, known := kinds[*name]
	if !known {
		log.Fatalf("-of is %q, want code, service_desk or tables", *name)
	}
	out := bufio.NewWriter(os.Stdout)
	row := func(v any) error {
		if *count--; *count < 0 {
			return errEnough
		}
		return strictjson.WriteLegible(out, v)
	}
	var err error
	for n := 0; err == nil; n++ {
		err = of.write(quintain.Draw{Seed: *seed, Level: n % of.levels, Index: n / of.levels}, row)
	}
	if err != errEnough {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
