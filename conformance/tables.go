//go:build ignore

// Writes statements of the scenario tables as JSON lines, each with its tables, their rows and the
// rows that our SQLite gives, until there are as many as the argument says. conformance/tables.py
// runs them again.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/scenarios/toolbox/desk"
)

var errEnough = errors.New("enough")

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := write(out, os.Args[1])
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(out *bufio.Writer, count string) error {
	left, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	const levels = 7
	for index := 0; left > 0; index++ {
		err := desk.Samples(index%levels, index/levels, func(s desk.Sample) error {
			if left--; left < 0 {
				return errEnough
			}
			return jsonform.WriteLegible(out, s)
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	return nil
}
