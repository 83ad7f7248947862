package languages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestStringInsertionScore(t *testing.T) {
	item := stringInsertionItem{String: "DABCDEABE", Solution: "DABCDAEABE", StringLength: 9}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"DABCDAEABE", 1, ""},
		{"dabcdaeabe", 0, "capitals were asked for"},
		{"DABCDEABE", 0, "the string itself"},
		{"DABCDAEABDE", 0, "DEAB begins in the pattern before"},
		{"DABCDAEABE.", 0, ""},
		{"It becomes DABCDAEABE", 0, ""},
		{`"DABCDAEABE"`, 0.1, "reasoning-gym evaluates it"},
		{"['DABCD', 'AEABE']", 0.1, ""},
		{" ('D','A', \"BCDAEABE\" , )\n", 0.1, ""},
		{"['DABCD' 'AEABE']", 0.1, ""},
		{"['DABCD', 'AEABE'", 0, "the bracket is open"},
		{"['DABCD', 'AEABE", 0, "a quotation mark is missing"},
		{"['DABCD', AEABE]", 0, ""},
		{"['DABCD', 'EABE']", 0, "the string itself"},
		{"['DABCDAEABE', 'E']", 0, "too long"},
		{"[['DABCDAEABE']]", 0, "a list in the list"},
		{"'DABCDA' + 'EABE'", 0, "a calculation; reasoning-gym evaluates it"},
		{"''", 0, ""},
	})
	for _, bad := range []stringInsertionItem{
		{String: "ABCD", Solution: "ABCD"},
		{String: "ABCX", Solution: "ABCX"},
		{String: "", Solution: ""},
		{String: "A", Solution: "A", Rules: []insertion{{"ABCD", "A"}}},
		{String: "A", Solution: "A", Rules: []insertion{{"ABCD", "A"}, {"ABCD", "B"}, {"BBBB", "A"}, {"CCCC", "A"}, {"DDDD", "A"}}},
		{String: "A", Solution: "A", Rules: []insertion{{"ABC", "A"}, {"ABCD", "B"}, {"BBBB", "A"}, {"CCCC", "A"}, {"DDDD", "A"}}},
		{String: "A", Solution: "A", Rules: []insertion{{"ABCX", "A"}, {"ABCD", "B"}, {"BBBB", "A"}, {"CCCC", "A"}, {"DDDD", "A"}}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The second solver reads rules and string from the prompt, and looks for the pattern that
// comes first.
func TestStringInsertionSecond(t *testing.T) {
	check := func(item stringInsertionItem, prompt, got string) error {
		paragraphs := strings.Split(prompt, "\n\n")
		want, rest := "", paragraphs[3]
		if len(rest) != item.StringLength || got == rest {
			return fmt.Errorf("the string is %s, the solution %s", rest, got)
		}
		for {
			first, letter := len(rest), ""
			for rule := range strings.Lines(paragraphs[1]) {
				words := strings.Fields(rule)
				if at := strings.Index(rest, words[1]); at >= 0 && at < first {
					first, letter = at, words[3]
				}
			}
			if letter == "" {
				break
			}
			want += rest[:first+4] + letter
			rest = rest[first+4:]
		}
		if want += rest; got != want {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	}
	tasktest.Second(t, stringInsertion.Task(), 1200, check)
	tasktest.Second(t, tasktest.With(t, stringInsertion.Task(), `{}`), 300, check)
}

func TestStringInsertionKeys(t *testing.T) {
	tasktest.Variant(t, stringInsertion.Task(), "other letters, and the rules in another order", func(s *stringInsertionItem, r *rng.Rand) func(string) string {
		var pairs []string
		for i, letter := range rng.Sample(r, strings.Split("ABCDE", ""), 5) {
			pairs = append(pairs, "ABCDE"[i:i+1], letter)
		}
		names := strings.NewReplacer(pairs...)
		rng.Shuffle(r, s.Rules)
		for i, rule := range s.Rules {
			s.Rules[i] = insertion{names.Replace(rule.Pattern), names.Replace(rule.Letter)}
		}
		s.String, s.Solution = names.Replace(s.String), names.Replace(s.Solution)
		return names.Replace
	})
	tasktest.Other(t, stringInsertion.Task(), "a letter more", func(s *stringInsertionItem) {
		s.String += "A"
		s.Solution = s.inserted(s.String)
	})
}
