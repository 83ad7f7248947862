package task_test

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A pairs task asks for a product of two numbers that nobody can guess.
type pairsParams struct {
	Most  int  `json:"most"`
	Class bool `json:"class"` // the key ignores the order of the numbers
}

func (pairsParams) Check() error { return nil }

type pairsItem struct {
	A, B, Phrasing int
	Class          bool
}

func makePairs(p pairsParams, r *rng.Rand) (pairsItem, error) {
	return pairsItem{r.Between(1, p.Most), r.Between(1, p.Most), r.Between(0, 1), p.Class}, nil
}

func (i pairsItem) Prompt() string {
	return fmt.Sprintf([]string{"What is %d times %d?", "Multiply %d and %d."}[i.Phrasing], i.A, i.B)
}
func (i pairsItem) Solve() string { return fmt.Sprint((i.A + 7919) * (i.B + 7919)) }
func (i pairsItem) Canonical() string {
	if i.Class {
		return fmt.Sprint(min(i.A, i.B), max(i.A, i.B))
	}
	return fmt.Sprint(i.A, i.B)
}
func (i pairsItem) Score(text string) quintain.Verdict { return task.MatchNumber(text, i.Solve()) }

func TestLearnedRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why         string
		params      pairsParams
		apart       bool
		least, most float64
	}{
		{"nobody has met most of a billion problems", pairsParams{Most: 30_000}, false, 0, 0.01},
		{"400 problems are soon known, in both wordings", pairsParams{Most: 20}, false, 0.85, 1},
		{"of held-out problems, the twins are known", pairsParams{Most: 20}, true, 0.35, 1},
		{"twins are held out together", pairsParams{Most: 20, Class: true}, true, 0, 0.05},
	} {
		of := (&task.Spec[pairsParams, pairsItem]{Name: "pairs", Levels: []pairsParams{c.params}, Make: makePairs}).Task()
		got, err := task.LearnedRate(of, 0, task.Lessons{Learned: 1000, Asked: 300, Apart: c.apart})
		if err != nil || got.Rate < c.least || got.Rate > c.most {
			t.Errorf("%s: %+v, error %v, want %v to %v", c.why, got, err, c.least, c.most)
		}
	}
}
