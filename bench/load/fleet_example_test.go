package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// How much do short freezes cost, if leases expire after three seconds?
func Example() {
	c := DefaultFleet()
	c.Workers, c.Time = 20, time.Hour
	c.FreezeEvery, c.FreezeTime = 5*time.Minute, 10*time.Second
	for _, c.LeaseTime = range []time.Duration{3 * time.Second, 15 * time.Second} {
		c.Beat = c.LeaseTime / 3
		r, err := Run(context.Background(), c)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		fmt.Printf("%v: %.2f of the slots in use, %.1f %% of the work fenced\n", c.LeaseTime, r.SlotsInUse, 100*r.Fenced)
	}
	// Output:
	// 3s: 0.89 of the slots in use, 21.5 % of the work fenced
	// 15s: 0.89 of the slots in use, 8.4 % of the work fenced
}
