package packing_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/queue/packing"
)

// A group of seven sequences fits no batch of eight here. It does not block others.
func Example() {
	plan := packing.Plan{BatchSize: 8, Queue: []packing.PlanGroup{{Sequences: 7}, {Sequences: 4}, {Sequences: 4}}}
	fmt.Println(plan.Pack())
	// Output: [1 2]
}
