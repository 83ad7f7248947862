package doctor_test

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain/internal/doctor"
)

func ExampleCheckData() {
	r, err := doctor.CheckData(context.Background(), "testdata/v0.1.0/hub")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("reads:", r.Reads)
	for _, p := range r.Parts {
		fmt.Println(p.Path, p.Format)
	}
	// Output:
	// reads: true
	// format.json 2
	// queue 3
	// queue 1 of hub-batch, 2 of hub-batches, 1 of hub-env, 2 of hub-run, 1 of hub-runs
	// runs/second 3
	// marks none
}
