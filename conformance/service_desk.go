//go:build ignore

// Writes problems of the scenario service_desk as JSON lines, each with its record and what is right,
// as many as the argument says. conformance/service_desk.py works them out again.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/scenarios/toolbox/desk"
)

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
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	const levels = 6
	for index := range n {
		c, err := desk.NewCase(index%levels, index/levels)
		if err != nil {
			return err
		}
		if err := jsonform.WriteLegible(out, c); err != nil {
			return err
		}
	}
	return nil
}
