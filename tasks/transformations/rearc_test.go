package transformations

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestRearcScore(t *testing.T) {
	tasktest.Nears(t, rearcItem{Output: board{{1, 0, 3}, {4, 5, 6}}}.Score, []tasktest.Near{
		{"1 0 3\n4 5 6", 1, ""}, {"103\n456", 1, "without spaces"}, {"[[1, 0, 3], [4, 5, 6]]", 1, "as a list"}, {" [1,0,3],\n [4,5,6]\n", 1, "as lists"}, {"Shape: 2x3\n1 0 3\n4 5 6", 1, "a line that others leave out too"},
		{"1 0 3\n\n4 5 6\n", 1, "with an empty line"}, {"1 0 3 4 5 6", 0, "in one line"}, {"1 0 3", 0, "a row is missing"}, {"1 0 3\n4 5 6\n0 0 0", 0, "a row too many"}, {"1 0 3 0\n4 5 6 0", 0, "a column too many"},
		{"1 0 3\n4 5 7", 0, "others pay 0.05"}, {"1 0 3\n4 5", 0, ""}, {"1 4\n0 5\n3 6", 0, "columns as rows"}, {"10 3\n4 56", 1, "digits stand for themselves"}, {"1 0 3\n4 5 -6", 0, ""}, {"", 0, "nothing"}, {"[]", 0, ""},
	})
}

func TestRearcParams(t *testing.T) {
	tasktest.Refused(t, rearc.Task(), map[string]string{
		`{"min_examples":1}`: "min_examples", `{"max_examples":2}`: "max_examples", `{"max_examples":11}`: "max_examples", `{"diff_lb":-0.1}`: "diff_lb", `{"diff_ub":1.1}`: "diff_ub", `{"diff_lb":0.3}`: "diff_lb",
		`{"max_tier":0}`: "max_tier", `{"max_tier":4}`: "max_tier", `{"rng_difficulty_ranges":[]}`: "rng_difficulty", `{"rng_difficulty_ranges":[[0.5,0.4],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1]]}`: "rng_difficulty_ranges",
		`{"pso_difficulty_weights":[1]}`: "pso_difficulty", `{"pso_difficulty_weights":[1,1,1,1,1,1,1]}`: "pso_difficulty_weights", `{"pso_difficulty_ranges":[[0,2],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1]]}`: "pso_difficulty_ranges",
	})
	const pair = `"input":[[1,2]],"output":[[2,1]],`
	tasktest.RefusedRecords(t, rearc.Task(), []string{
		`{}`, `{"input":[[1]],"output":[[1,2],[1]]}`, `{"input":[[1]],"output":[[10]]}`, `{"input":[[]],"output":[[1]]}`, `{"input":[[-1]],"output":[[1]]}`,
		`{` + pair + `"task_id":"unheard_of","examples":[{` + strings.TrimSuffix(pair, ",") + `}]}`,
		`{` + pair + `"task_id":"mirror_sideways","examples":[{"input":[[1,2]],"output":[[1,2]]}]}`,
		`{` + pair + `"task_id":"mirror_sideways","phrasing":7,"examples":[{` + strings.TrimSuffix(pair, ",") + `}]}`,
		`{` + pair + `"task_id":"turn_half","examples":[{"input":[[1],[2,3]],"output":[[1,2]]}]}`,
	})
}

// The key does not depend on the order of the examples or the wording.
func TestRearcKeys(t *testing.T) {
	tasktest.Same(t, rearc.Task(), "the order of the examples", func(record *rearcItem) { slices.Reverse(record.Examples) })
	tasktest.Same(t, rearc.Task(), "the wording", func(record *rearcItem) { record.Phrasing = (record.Phrasing + 1) % len(gridPhrasings) })
	tasktest.Variant(t, rearc.Task(), "other colors", func(record *rearcItem, r *rng.Rand) func(string) string {
		if record.TaskID == "next_color" || record.TaskID == "previous_color" {
			return nil // in the order of their digits
		}
		colors := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		rng.Shuffle(r, colors[1:])
		for _, e := range append(record.Examples, gridPair{record.Input, record.Output}) {
			for _, row := range slices.Concat(e.Input, e.Output) {
				for j, c := range row {
					row[j] = colors[c]
				}
			}
		}
		return func(string) string { return grid.Ints(record.Output) }
	})
	item := tasktest.Made[rearcItem](t, rearc.Task(), 2, 0)
	for side := range canon.Sides {
		seen := rearcItem{Input: canon.Seen(item.Input, side)}
		for _, e := range item.Examples {
			seen.Examples = append(seen.Examples, gridPair{canon.Seen(e.Input, side), canon.Seen(e.Output, side)})
		}
		if seen.Canonical() != item.Canonical() {
			t.Errorf("another key from side %d", side)
		}
	}
	tasktest.Other(t, rearc.Task(), "fewer examples", func(record *rearcItem) { record.Examples = record.Examples[1:] })
}

// verified checks the pairs of a problem against its rule's verifier. Paint stands for one
// color in all of them.
func verified(item rearcItem) error {
	verifier := verifiers()[item.TaskID]
	if verifier == nil {
		return fmt.Errorf("%s has no verifier", item.TaskID)
	}
	brush := ""
	for _, e := range append(slices.Clone(item.Examples), gridPair{item.Input, item.Output}) {
		got, want := verifier(textOf(e.Input)), textOf(e.Output)
		for i, s := range got {
			for j := range s {
				if s[j] == 'P' && brush == "" && i < len(want) && j < len(want[i]) {
					brush = want[i][j : j+1]
				}
			}
		}
		if got = replaced(got, "P", brush); brush == "0" || !slices.Equal(got, want) {
			return fmt.Errorf("%s of\n%s\nis\n%s\nverified as\n%s", item.TaskID, grid.Ints(e.Input), strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
	}
	return nil
}

func TestRearcSecond(t *testing.T) {
	tasktest.Second(t, rearc.Task(), 1000, func(problem rearcItem, _, got string) error {
		if want := grid.Ints(problem.Output); got != want {
			return fmt.Errorf("got %q, want %q", got, want)
		}
		return verified(problem)
	})
}

// Every rule of the catalogue has a verifier, a suitable scene, and examples that tell it
// from all others, at each level of its tier; at the first of them, unless the tests are heavy.
func TestRearcRules(t *testing.T) {
	all := rules()
	if len(all) != len(verifiers()) || len(all) < 150 {
		t.Errorf("there are %d rules and %d verifiers", len(all), len(verifiers()))
	}
	for i := range all {
		for level, p := range rearc.Levels {
			if all[i].tier > p.MaxTier {
				continue
			}
			if item, ok := problemOf(&all[i], p); !ok {
				t.Errorf("%s: no problem found at level %d", all[i].name, level)
			} else if err := verified(item); err != nil {
				t.Error(err)
			}
			if !tasktest.Heavy {
				break
			}
		}
	}
}

// problemOf makes a problem of one rule.
func problemOf(rule *rule, p rearcParams) (item rearcItem, ok bool) {
	r := rng.New(1, "problem", rule.name)
	for range 100 {
		item = rearcItem{TaskID: rule.name, Examples: make([]gridPair, p.MinExamples)}
		if item.draw(rule, p.painter(r)) && !item.doubtful() {
			return item, true
		}
	}
	return item, false
}

// No two rules have the same name, or the same effect on the pictures made for one of them.
func TestRearcRulesDiffer(t *testing.T) {
	all := rules()
	seen := map[string]bool{}
	for i := range all {
		if seen[all[i].name] {
			t.Errorf("%s is there twice", all[i].name)
		}
		seen[all[i].name] = true
		p := rearc.Levels[3].painter(rng.New(2, "differ", all[i].name))
		same := slices.Repeat([]bool{true}, len(all))
		for range 60 {
			in := &picture{board: all[i].scene(p)}
			out := all[i].apply(in)
			for j := range all {
				if out != nil && same[j] {
					got := all[j].apply(in)
					same[j] = got != nil && grid.Equal(got, out)
				}
			}
		}
		for j := range all {
			if same[j] && j != i {
				t.Errorf("%s has the same effect as %s", all[j].name, all[i].name)
			}
		}
	}
}

// The examples decide: every rule that fits them, with any color for paint, has the same
// answer.
func TestRearcExamplesDecide(t *testing.T) {
	for level, p := range rearc.Levels {
		for i := range tasktest.Count(40, 8) {
			item, err := makeRearc(p, rng.New(uint64(i), "decide"))
			if err != nil {
				t.Fatal(err)
			}
			fitting := 0
			for j := range rules() {
				for brush := range 10 {
					got, fits := paintedWith(&rules()[j], item, brush)
					if fits && got != nil && !grid.Equal(got, item.Output) {
						t.Errorf("level %d: %s also fits\n%s", level, rules()[j].name, item.Prompt())
					}
					fitting += task.Bit(fits)
				}
			}
			if fitting == 0 {
				t.Errorf("level %d: no rule fits\n%s", level, item.Prompt())
			}
		}
	}
}

// paintedWith reports whether a rule that paints with a color fits the examples, and
// returns its answer to the question.
func paintedWith(rule *rule, item rearcItem, brush int) (answer board, fits bool) {
	apply := func(b board) board {
		out := rule.apply(&picture{board: b})
		if out == nil {
			return nil
		}
		return each(out, func(c int) int { return pick(c == paint, brush, c) })
	}
	for _, e := range item.Examples {
		if out := apply(e.Input); out == nil || !grid.Equal(out, e.Output) {
			return nil, false
		}
	}
	return apply(item.Input), true
}

// A rule that fits the examples but gives another answer makes a question doubtful, and so
// does a color that the examples do not show.
func TestRearcDoubtful(t *testing.T) {
	mirror := gridPair{board{{1, 1}, {2, 2}}, board{{2, 2}, {1, 1}}}
	for _, test := range []struct {
		input, output board
		want          bool
		why           string
	}{
		{board{{1, 1}, {3, 3}}, board{{3, 3}, {1, 1}}, false, "turned or mirrored, this is the same"},
		{board{{1, 2}, {3, 3}}, board{{3, 3}, {1, 2}}, true, "turned by a half, it is another"},
	} {
		item := rearcItem{Examples: []gridPair{mirror, mirror}, Input: test.input, Output: test.output}
		if got := item.doubtful(); got != test.want {
			t.Errorf("%v is doubtful: %v, want %v: %s", test.input, got, test.want, test.why)
		}
	}
}
