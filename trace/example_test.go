package trace_test

import (
	"fmt"
	"os"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/trace"
)

// A group without a right answer is written, and found by the reason for its drop.
func Example() {
	folder, err := os.MkdirTemp("", "trace")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	w, err := trace.NewWriter(folder, trace.Head{Run: "example", Program: "example"}, trace.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	p := quintain.Problem{Task: "countdown", Scenario: "reasoning_gym.v2", Version: 2, Seed: 1, Instance: quintain.NewRecord(24)}
	err = w.Write(&trace.Record{
		Problem: p, Drop: "equal_scores", Time: time.Unix(1_700_000_000, 0),
		Episodes: []quintain.Trajectory{{Problem: p, Outcome: quintain.ModelFailed}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	r, err := trace.Open(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range r.Find(trace.Query{Task: "countdown", Drop: "equal_scores"}) {
		fmt.Println(e.Group)
	}
	// Output: reasoning_gym.v2/countdown.v2.s1.l0.0
}
