package rollout_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

// An Engine plays groups of episodes, and Rules turn them into training data.
func Example() {
	s, err := scenarios.All[1].Over(arithmetic.Tasks()[0], nil)
	if err != nil {
		log.Fatal(err)
	}
	mix, err := rollout.NewMix([]rollout.Stream{{Scenario: s, Seed: 1, Weight: 1}})
	if err != nil {
		log.Fatal(err)
	}
	left := 10 // groups
	engine := rollout.Engine{
		Policy: &script.Solver{Answer: script.NewBook(s).Answer, Accuracy: 0.5, Seed: 1},
		Size:   4, Parallel: 1,
		Next: func(context.Context) (rollout.Job, error) {
			if left--; left < 0 {
				return rollout.Job{}, io.EOF
			}
			return mix.Next()
		},
	}
	rules := rollout.DefaultRules()
	rules.Size = engine.Size
	kept, dropped := 0, map[rollout.Drop]int{}
	engine.Done = func(_ context.Context, r rollout.Result) error {
		j, err := rules.Judge(r)
		if j.Group != nil {
			kept++
		} else {
			dropped[j.Drop]++
		}
		mix.Done(r.Job, j.Scores)
		return err
	}
	if err := engine.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(kept+dropped[rollout.DropEqual], "groups, of", quintain.UTF8, "tokens")
	// Output: 10 groups, of utf-8 tokens
}
