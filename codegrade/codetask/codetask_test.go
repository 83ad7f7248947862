package codetask

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/quintain-rl/quintain"
)

var show = flag.String("show", "", "kind to print")

func TestShow(t *testing.T) {
	for level := range Levels {
		for _, k := range kinds[level] {
			for i := range 3 {
				p := k.problem(quintain.Draw{Seed: 1, Level: level, Index: i})
				if *show == k.name || *show == "all" && i == 0 {
					fmt.Fprintf(os.Stdout, "=== %s %v\n%s\n--- %d cases\n%s\n", k.name, p.drawn, p.Statement, len(p.Tests.Cases), p.Python)
				}
			}
		}
	}
}
