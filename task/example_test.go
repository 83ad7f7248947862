package task_test

import (
	"fmt"
	"log"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// doubling are the parameters of a task.
type doubling struct {
	Max int `json:"max"` // largest number
}

func (d doubling) Check() error {
	if d.Max < 1 {
		return fmt.Errorf("max is %d, want 1 or more", d.Max)
	}
	return nil
}

// double is one problem.
type double struct {
	Number int `json:"number"`
}

func (d double) Prompt() string { return fmt.Sprintf("What is twice %d?", d.Number) }
func (d double) Solve() string  { return strconv.Itoa(2 * d.Number) }

func (d double) Score(answer string) quintain.Verdict { return task.MatchNumber(answer, d.Solve()) }

// A Spec describes a task: parameters for each level, and a function that makes an
// instance. Everything else about a problem follows from the instance.
func ExampleSpec() {
	spec := task.Spec[doubling, double]{
		Name: "doubling", Category: "arithmetic", Doc: "Double a number.", Source: "Our own.", Version: 1,
		Default: doubling{Max: 100}, Levels: []doubling{{Max: 10}, {Max: 1000}},
		Make: func(d doubling, r *rng.Rand) (double, error) { return double{r.Between(1, d.Max)}, nil },
	}
	doublings := spec.Task()
	p, err := doublings.Problem(quintain.Draw{Seed: 1, Level: 1, Index: 0})
	if err != nil {
		log.Fatal(err)
	}
	v, err := doublings.Grade(p, "12")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.ID(), v.Score)
	// Output: doubling.v1.s1.l1.0 0
}
