package codegrade

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// steps is how many steps of counting a reference machine makes in a second.
const steps = 2.5e7

// count counts a few times, and prints the steps in a second of the fastest.
const count = `
import time
def count(n):
    start, i = time.process_time(), 0
    while i < n:
        i += 1
    return n / (time.process_time() - start)
print(max(count(400_000) for _ in range(8)))
`

// Speed measures how fast Python counts in the sandbox, relative to a reference machine: 0.5 is half
// as fast.
func (g *Grader) Speed(ctx context.Context) (float64, error) {
	g.open()
	got, err := g.run(ctx, sandbox.Job{Argv: pythonArgv("-c", count), Limits: sandbox.Limits{CPU: time.Minute}})
	if err != nil {
		return 0, fmt.Errorf("the speed of Python: %w", err)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(string(got.Stdout)), 64)
	if err != nil || !(n > steps/1000 && n < steps*1000) {
		return 0, fmt.Errorf("the speed of Python: its measurement ended by %s %d, and printed %q: %s", got.End, got.Code, shown(string(got.Stdout)), shown(lastLine(got.Stderr)))
	}
	g.speed.Store(math.Float64bits(n / steps))
	return n / steps, nil
}
