package languages

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestStringSynthesisScore(t *testing.T) {
	item := stringSynthesisItem{InitialBlocks: [3]int{4, 2, 5}, Solution: []int{2, 0, 1, 1, 0, 0, 1, 1, 0}, MaxIterations: 1000}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, stringSynthesis.Scorer(item), []tasktest.Near{
		{"2 0 1 1 0 0 1 1 0", 1, ""},
		{"2 0 1 1 0 0 1 1 0\n", 17. / 18, "reasoning-gym pays for a text that contains the answer"},
		{"2 0 1 2 0 1 0 0 0", 0, "before the fifth rule"},
		{"2 0 1 1 0 0 1 1", 0, "one number is missing"},
		{"201100110", 0, "no spaces"},
		{"4 2 5 0 0 0 0 0 0", 0, "the start"},
	})
	tasktest.RefusedRecords(t, stringSynthesis.Task(), []string{
		`{"initial_blocks":[4,2,5],"solution":[2,0,1,1,0,0,1,1,1],"max_iterations":1000}`,
		`{"initial_blocks":[4,2,5],"solution":[2,0,1,1,0,0,1,1,0],"max_iterations":2}`,
		`{"initial_blocks":[4,2,5],"solution":[2,0,1,1,0,0]}`,
		`{"initial_blocks":[4,2,-5],"solution":[2,0,1,1,0,0,1,1,0]}`,
		`{"initial_blocks":[4,2,5],"solution":[2,0,1,1,0,0,1,1,0],"phrasing":99}`,
	})
}

const blockKinds = "[A] [B] [C] {A} {B} {C} (A) (B) (C)"

func TestStringSynthesisSecond(t *testing.T) {
	check := func(item stringSynthesisItem, prompt, got string) error {
		if want := replayed(prompt, blockKinds, 10_000); got != want || got == replayed(prompt, blockKinds, 0) {
			return fmt.Errorf("solution %s, want %s, and not the start", got, want)
		}
		return drawn(item.Rules)
	}
	tasktest.Second(t, stringSynthesis.Task(), 1000, check)
	tasktest.Second(t, tasktest.With(t, stringSynthesis.Task(), `{}`), 300, check)
	tasktest.Second(t, tasktest.With(t, stringSynthesis.Task(), `{"max_initial_blocks":1}`), 100, check)
}

func TestStringSynthesisKeys(t *testing.T) {
	tasktest.Variant(t, stringSynthesis.Task(), "kinds exchanged", func(s *stringSynthesisItem, _ *rng.Rand) func(string) string {
		for _, pair := range [][2]int{{0, 2}, {1, 2}, {3, 5}, {6, 7}} {
			i, k := pair[0], pair[1]
			for at := range s.Rules {
				s.Rules[at][i], s.Rules[at][k] = s.Rules[at][k], s.Rules[at][i]
			}
			s.Solution[i], s.Solution[k] = s.Solution[k], s.Solution[i]
			if k < len(s.InitialBlocks) {
				s.InitialBlocks[i], s.InitialBlocks[k] = s.InitialBlocks[k], s.InitialBlocks[i]
			}
		}
		return func(string) string { return s.Solve() }
	})
	tasktest.Other(t, stringSynthesis.Task(), "another limit", func(s *stringSynthesisItem) { s.MaxIterations++ })
}
