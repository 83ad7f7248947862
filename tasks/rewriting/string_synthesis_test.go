package rewriting

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestStringSynthesisScore(t *testing.T) {
	item := stringSynthesisItem{InitialBlocks: [3]int{4, 2, 5}, Solution: []int{2, 0, 1, 1, 0, 0, 1, 1, 0}, MaxIterations: 1000}
	if err := item.Check(); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"2 0 1 1 0 0 1 1 0", 1, ""},
		{"2 0 1 1 0 0 1 1 0\n", 17. / 18, "reasoning-gym pays for a text that contains the answer"},
		{"2 0 1 2 0 1 0 0 0", 0, "before the fifth rule"},
		{"2 0 1 1 0 0 1 1", 0, "one number is missing"},
		{"201100110", 0, "no spaces"},
		{"4 2 5 0 0 0 0 0 0", 0, "the start"},
		{"", 0, "nothing"},
	})
	tasktest.RefusedRecords(t, stringSynthesis, []string{
		`{"initial_blocks":[4,2,5],"solution":[2,0,1,1,0,0,1,1,1],"max_iterations":1000}`,
		`{"initial_blocks":[4,2,5],"solution":[2,0,1,1,0,0,1,1,0],"max_iterations":2}`,
		`{"initial_blocks":[4,2,5],"solution":[2,0,1,1,0,0]}`,
		`{"initial_blocks":[4,2,-5],"solution":[2,0,1,1,0,0,1,1,0]}`,
		`{"initial_blocks":[4,2,5],"solution":[2,0,1,1,0,0,1,1,0],"phrasing":3}`,
	})
}

func TestStringSynthesisParams(t *testing.T) {
	tasktest.Refused(t, stringSynthesis, map[string]string{
		`{"min_initial_blocks":-1}`:    "min_initial_blocks",
		`{"min_initial_blocks":6}`:     "max_initial_blocks",
		`{"max_initial_blocks":0}`:     "max_initial_blocks",
		`{"max_initial_blocks":10001}`: "max_initial_blocks",
		`{"max_iterations":0}`:         "max_iterations",
		`{"max_iterations":100001}`:    "max_iterations",
	})
}

// The second way reads start and rules out of the prompt, and keeps the blocks one
// by one in a bag of words.
func TestStringSynthesisSecond(t *testing.T) {
	check := func(_ stringSynthesisItem, prompt, got string) error {
		a, b, c := asked(prompt)
		bag := map[string]int{"[A]": a, "[B]": b, "[C]": c}
		rules := strings.Split(strings.Split(prompt, "\n\n")[1], "\n")
		for range 1000 {
			if !applyFirst(bag, rules) {
				break
			}
		}
		var want []string
		for kind := range strings.FieldsSeq("[A] [B] [C] {A} {B} {C} (A) (B) (C)") {
			want = append(want, fmt.Sprint(bag[kind]))
		}
		if got != strings.Join(want, " ") || strings.HasSuffix(got, " 0 0 0 0 0 0") {
			return fmt.Errorf("solution %s, want %v", got, want)
		}
		return nil
	}
	tasktest.Second(t, stringSynthesis, 1000, check)
	tasktest.Second(t, tasktest.With(t, stringSynthesis, `{}`), 300, check)
	tasktest.Second(t, tasktest.With(t, stringSynthesis, `{"max_initial_blocks":1}`), 50, check)
}

// applyFirst applies the first of the rules that the bag has the blocks for.
func applyFirst(bag map[string]int, rules []string) bool {
	for _, rule := range rules {
		_, rule, _ = strings.Cut(rule, ". ")
		from, to, _ := strings.Cut(rule, " → ")
		need := map[string]int{}
		for kind := range strings.SplitSeq(from, " + ") {
			need[kind]++
		}
		enough := true
		for kind, n := range need {
			enough = enough && bag[kind] >= n
		}
		if !enough {
			continue
		}
		for kind, n := range need {
			bag[kind] -= n
		}
		for kind := range strings.SplitSeq(to, " + ") {
			bag[kind]++
		}
		return true
	}
	return false
}
