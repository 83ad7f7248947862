package scenario_test

import (
	"context"
	"fmt"
	"log"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
)

// curt holds the settings of a scenario that asks only for the answer.
type curt struct{ Please bool }

func (c *curt) Declare(d *settings.Section) { d.Bool(&c.Please, "please", "ask politely") }

func (c *curt) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	system := "Answer between <answer> and </answer>, and say nothing else."
	if c.Please {
		system = "Please a" + system[1:]
	}
	return scenario.OneTurn{System: system, Extract: answer.Tagged}.Env(t, p), nil
}

// A Spec is a scenario for any task. Its settings make the episodes.
func ExampleSpec() {
	spec := scenario.Spec{
		Name: "curt", Doc: "Ask only for the answer.", Source: "Our own.", Version: 1,
		New: func() scenario.Play { return new(curt) },
	}
	s, err := spec.Over(arithmetic.Tasks()[0], []byte(`{"please":true}`))
	if err != nil {
		log.Fatal(err)
	}
	p, err := s.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	e, err := s.Env(p)
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	talk, err := e.Open(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	step, err := e.Step(context.Background(), quintain.Reply{Text: "I do not know."})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(talk[0].Content)
	fmt.Println(step.Reward, step.Why, step.End)
	// Output:
	// Please answer between <answer> and </answer>, and say nothing else.
	// 0 there is no <answer>…</answer> outside the thinking terminated
}
