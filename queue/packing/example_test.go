package packing_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/queue/packing"
)

// A group of seven sequences makes no batch of exactly eight with the others. As the oldest
// it goes first, and the batch is smaller.
func Example() {
	queue := []packing.PlanGroup{{Sequences: 7}, {Sequences: 4}, {Sequences: 4}}
	fmt.Println(packing.Plan{BatchSize: 8, Queue: queue}.Pack())
	fmt.Println(packing.Plan{BatchSize: 8, MaxBatch: 12, Queue: queue}.Pack())
	// Output:
	// [0]
	// [0 1]
}
