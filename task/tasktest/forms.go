package tasktest

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/prove/replies"
	"github.com/quintain-rl/quintain/task"
)

// otherForms: a right answer in another form is right, unless the task refuses the form on
// purpose.
func otherForms(t testing.TB, of quintain.Task) {
	refuses := of.Info().Refuses
	seen, met, told := map[string]bool{}, map[string]bool{}, map[string]bool{}
	each(t, of, func(p quintain.Problem) {
		solution := solve(t, of, p)
		for _, r := range replies.Renderings() {
			text := r.Of(solution)
			if text == "" || text == solution {
				continue
			}
			seen[r.Name] = true
			v := grade(t, of, p, text)
			if v == quintain.Right() {
				continue
			}
			met[r.Name] = true
			if refuses[r.Name] == "" && !told[r.Name] {
				told[r.Name] = true
				t.Errorf("%s: the solution %s, %.100q, gets %+v; take it, or say in Refuses why not", p.ID(), r.Name, text, v)
			}
		}
	})
	for form := range refuses {
		if !met[form] && (seen[form] || Heavy) {
			t.Errorf("the task takes every solution %s; take it out of Refuses", form)
		}
	}
}

// wrongForms: a wrong answer in another form is wrong, too, unless the form makes the
// solution of it.
func wrongForms(t testing.TB, of quintain.Task) {
	for level := range of.Info().Levels {
		p := problem(t, of, quintain.Draw{Seed: 1, Level: level})
		right := solve(t, of, p)
		other := solve(t, of, problem(t, of, quintain.Draw{Seed: 1, Level: level, Index: 1}))
		for _, near := range task.Nears(right, other) {
			if near.Kind == "without space" || grade(t, of, p, near.Answer).Score == 1 {
				continue
			}
			for _, r := range replies.Renderings() {
				text := r.Of(near.Answer)
				if text != "" && !strings.Contains(text, right) && grade(t, of, p, text).Score == 1 {
					t.Errorf("%s: %.100q is wrong, but %s, %.100q, it is right", p.ID(), near.Answer, r.Name, text)
				}
			}
		}
	}
}
