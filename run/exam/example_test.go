package exam_test

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

// A policy that is always right is examined with ten held-out problems of one task.
func Example() {
	spec, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := spec.Over(arithmetic.Tasks()[0], nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	how := exam.Defaults()
	how.Problems = 10
	sets, err := exam.NewSets(context.Background(), []rollout.Stream{{Scenario: s, Weight: 1}}, how)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := exam.Exam{Sets: sets, Policy: &script.Solver{Answer: script.NewBook(s).Answer, Accuracy: 1}, Parallel: 4}
	report, err := e.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Rows[0].Scored, "problems scored, mean", *report.Mean)
	// Output: 10 problems scored, mean 1
}
