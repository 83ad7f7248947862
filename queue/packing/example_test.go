package packing_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/queue/packing"
)

// A group of seven sequences fits into no batch of eight. It does not stop others from
// being packed.
func Example() {
	plan := packing.Plan{BatchSize: 8, Queue: []packing.PlanGroup{{Sequences: 7}, {Sequences: 4}, {Sequences: 4}}}
	fmt.Println(plan.Pack())
	// Output: [1 2]
}
