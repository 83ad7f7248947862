package languages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestABScore(t *testing.T) {
	answer, empty := "#A #A #B A# B# A#", ""
	item := abItem{Program: "#A #A A# #B B# A# B# A# #A #B", Answer: &answer}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"#A #A #B A# B# A#", 1, ""},
		{"#A #A #B A# B# A#\n", 0, "reasoning-gym takes the very text alone"},
		{"#A #A #B A# A# B#", 0, "two are swapped"},
		{"#A #A #B A# B#", 0, "one is missing"},
		{"#A#A#BA#B#A#", 0, "no spaces"},
		{"The answer is #A #A #B A# B# A#", 0, ""},
		{"#A #A A# #B B# A# B# A# #A #B", 0, "the program itself"},
	})
	tasktest.Nears(t, abItem{Answer: &empty}.Score, []tasktest.Near{
		{"", 1, "some entries of reasoning-gym end as nothing"},
		{" ", 0, ""},
	})
	for _, bad := range []string{
		`{}`,
		`{"program":"A# #A"}`,
		`{"program":"A# #A A#","answer":"#A"}`,
		`{"program":"A# #C","answer":"A# #C"}`,
		`{"answer":"A#","phrasing":99}`,
		`{"answer":"A#","letters":"A"}`,
		`{"answer":"A#","letters":"AA"}`,
		`{"answer":"A#","letters":"ab"}`,
		`{"program":"A# #B","answer":"#B A#","crossed":true}`,
	} {
		if _, err := ab.Task().Grade(quintain.Problem{Task: "ab", Instance: quintain.RawRecord([]byte(bad))}, "A#"); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// The second solver reads the prompt and applies the rules, one by one, at the first pair.
func TestABSecond(t *testing.T) {
	tasktest.Second(t, ab.Task(), 1200, func(_ abItem, prompt, got string) error {
		rules := map[string][]string{}
		for line := range strings.Lines(strings.Split(prompt, "\n\n")[1] + "\n") {
			facing, after, _ := strings.Cut(strings.TrimSpace(line), " → ")
			rules[facing] = strings.Fields(strings.Replace(after, "nothing", "", 1))
		}
		if len(rules) != 4 {
			return fmt.Errorf("the rules are %q", rules)
		}
		text := strings.Split(prompt, "\n\n")[3]
		row := strings.Split(text, " ")
		for i := 0; i+1 < len(row); {
			after, facing := rules[row[i]+" "+row[i+1]]
			if !facing {
				i++
				continue
			}
			row, i = slices.Replace(row, i, i+2, after...), max(i-1, 0)
		}
		if want := strings.Join(row, " "); got != want || got == "" || got == text {
			return fmt.Errorf("solution %q, want %q", got, want)
		}
		return nil
	})
}

// Few programs of two tokens change and leave something.
func TestABOfTwoTokens(t *testing.T) {
	seen := map[string]bool{}
	tasktest.Every(t, tasktest.With(t, ab.Task(), `{"length":2}`), 100, func(item abItem, _, got string) error {
		seen[fmt.Sprint(item.Crossed, " ", strings.NewReplacer(item.Letters[:1], "x", item.Letters[1:], "y").Replace(item.Program+" = "+got))] = true
		return nil
	})
	if len(seen) != 4 || !seen["false x# #y = #y x#"] || !seen["false y# #x = #x y#"] || !seen["true x# #x = #x x#"] || !seen["true y# #y = #y y#"] {
		t.Errorf("got %v", seen)
	}
	if end := rewriteAB(nil, []abToken{1, 2, 2}, false); string(abItem{}.appendText(nil, end)) != "#B #B A#" {
		t.Errorf("A# #B #B ends as %v", end)
	}
}

func TestABKeys(t *testing.T) {
	tasktest.Translated(t, ab.Task(), func(solution string, from, to abItem) string {
		if unlettered(from.Program) != unlettered(to.Program) {
			from.Program, solution = turned(from.Program), turned(solution)
		}
		var pairs []string
		for i := range from.Program {
			pairs = append(pairs, from.Program[i:i+1], to.Program[i:i+1])
		}
		return strings.NewReplacer(pairs...).Replace(solution)
	})
	tasktest.Variant(t, ab.Task(), "other letters", func(a *abItem, r *rng.Rand) func(string) string {
		letters := rng.Sample(r, strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ", ""), 2)
		names := strings.NewReplacer(a.Letters[:1], letters[0], a.Letters[1:], letters[1])
		answer := names.Replace(*a.Answer)
		a.Program, a.Letters, a.Answer = names.Replace(a.Program), strings.Join(letters, ""), &answer
		return names.Replace
	})
	tasktest.Variant(t, ab.Task(), "in a mirror", func(a *abItem, _ *rng.Rand) func(string) string {
		answer := turned(*a.Answer)
		a.Program, a.Answer = turned(a.Program), &answer
		return turned
	})
	tasktest.Other(t, ab.Task(), "other rules", func(a *abItem) {
		if !strings.ContainsAny(a.Program, a.Letters[:1]) || !strings.ContainsAny(a.Program, a.Letters[1:]) {
			a.Program += " " + a.Letters[:1] + "#"
			answer := strings.TrimSpace(*a.Answer + " " + a.Letters[:1] + "#")
			a.Answer = &answer
		}
	})
}

// turned returns a row in a mirror.
func turned(row string) string {
	b := []byte(row)
	slices.Reverse(b)
	return string(b)
}
