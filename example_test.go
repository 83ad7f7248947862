package quintain_test

import (
	"fmt"
	"log"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/words"
)

// A draw names a problem. The problem holds everything needed to grade an answer.
func Example() {
	tasks, err := task.NewSet(words.Tasks())
	if err != nil {
		log.Fatal(err)
	}
	spell, err := tasks.Get("spell_backward")
	if err != nil {
		log.Fatal(err)
	}
	p, err := spell.Problem(quintain.Draw{Seed: 7, Level: 0, Index: 3})
	if err != nil {
		log.Fatal(err)
	}
	solution, err := spell.Solve(p)
	if err != nil {
		log.Fatal(err)
	}
	for _, answer := range []string{solution, "no idea"} {
		v, err := spell.Grade(p, answer)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Task, v.Score, v.Score < 1 && v.Reason != "")
	}
	// Output:
	// spell_backward 1 false
	// spell_backward 0 true
}
