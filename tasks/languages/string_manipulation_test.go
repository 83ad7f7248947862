package languages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestStringManipulationScore(t *testing.T) {
	item := stringManipulationItem{
		String: "abbcca", Solution: "bccac", StringLength: 6, NumRules: 2,
		SelectedRules: ruleTexts([]int{0, 19}),
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, stringManipulation.Scorer(item), []tasktest.Near{
		{"bccac", 1, ""},
		{"bccac.", 5. / 6, "reasoning-gym pays for a text that contains the answer"},
		{"BCCAC", 0, ""},
		{"cbcca", 0, "after the first step"},
		{"bcca", 0, "a letter is missing"},
		{"abbcca", 0, "the string itself"},
	})
	theirs := stringManipulationItem{String: "bb", Solution: "", SelectedRules: []string{"Delete all."}}
	if err := task.Check(theirs); err != nil {
		t.Error(err)
	}
	tasktest.Nears(t, stringManipulation.Scorer(theirs), []tasktest.Near{{"", 0, "nothing is never right"}, {"bb", 0, ""}})
	for _, bad := range []stringManipulationItem{
		{String: "abc", Solution: "abc", SelectedRules: ruleTexts([]int{0})},
		{String: "abd", Solution: "abd", SelectedRules: ruleTexts([]int{1})},
		{String: strings.Repeat("a", 1001), Solution: "a"},
		{String: "", Solution: ""},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// Where a rule fits, it neither keeps, empties nor lengthens the string. Every rule fits
// some string of up to nine letters, except for two about longer ones.
func TestRewriteRules(t *testing.T) {
	fits := map[string]int{}
	var all func(text string)
	all = func(text string) {
		for _, rule := range rewriteRules {
			got, fit := rule.apply([]byte(text))
			if fit && (len(got) == 0 || len(got) > len(text) || string(got) == text) || !fit && string(got) != text {
				t.Fatalf("%s %q becomes %q, fits %t", rule.text, text, got, fit)
			}
			if fit {
				fits[rule.text]++
			}
		}
		if len(text) < 9 {
			for _, c := range "abc" {
				all(text + string(c))
			}
		}
	}
	all("a")
	all("b")
	all("c")
	all("abccbaabccb"[:9] + "cab")
	all("abcacbabcacba")
	if len(fits) != len(rewriteRules) {
		t.Errorf("%d rules of %d fit some string", len(fits), len(rewriteRules))
	}
}

var (
	rewriteStartRE = regexp.MustCompile(`begins with (\w+), (?:put (\w+)|drop|move)`)
	rewriteEndRE   = regexp.MustCompile(`ends in (\w+), (?:put (\w+)|drop|move)`)
	rewriteFirstRE = regexp.MustCompile(`If (\w+) occurs in the string, .*(?:put|into) (\w+)[ .]`)
)

// obey applies a rule by its words.
func obey(rule, s string) string {
	n := len(s)
	if found := rewriteStartRE.FindStringSubmatch(rule); found != nil {
		rest, fits := strings.CutPrefix(s, found[1])
		switch {
		case !fits:
			return s
		case found[2] != "":
			return found[2] + rest
		case strings.Contains(rule, "move its first letter to the end"):
			return s[1:] + s[:1]
		default:
			return s[1:]
		}
	}
	if found := rewriteEndRE.FindStringSubmatch(rule); found != nil {
		rest, fits := strings.CutSuffix(s, found[1])
		switch {
		case !fits:
			return s
		case found[2] != "":
			return rest + found[2]
		case strings.Contains(rule, "move its last letter to the front"):
			return s[n-1:] + s[:n-1]
		default:
			return s[:n-1]
		}
	}
	if found := rewriteFirstRE.FindStringSubmatch(rule); found != nil {
		return strings.Replace(s, found[1], found[2], 1)
	}
	switch {
	case strings.Contains(rule, "more letters b than c") && strings.Count(s, "b") > strings.Count(s, "c"):
		return strings.Replace(s, "b", "c", 1)
	case strings.Contains(rule, "even and more than 8") && n%2 == 0 && n > 8:
		return s[:n/2-1] + s[n/2+1:]
	case strings.Contains(rule, "more than 12 letters") && n > 12:
		return s[1:]
	case strings.Contains(rule, "the first is the same as the last") && n > 1 && s[0] == s[n-1]:
		return s[:n-1]
	}
	return s
}

// The second solver reads string and rules from the prompt, follows the words of the rules,
// and keeps every string that it has seen.
func TestStringManipulationSecond(t *testing.T) {
	again, n := 0, 0
	check := func(item stringManipulationItem, prompt, got string) error {
		paragraphs := strings.Split(prompt, "\n\n")
		rules := strings.Split(paragraphs[1], "\n")
		now := paragraphs[3]
		if len(now) != item.StringLength || len(rules) != item.NumRules {
			return fmt.Errorf("the prompt has %d letters and %d rules", len(now), len(rules))
		}
		seen := []string{now}
		for {
			next := now
			for i := 0; i < len(rules) && next == now; i++ {
				next = obey(rules[i], now)
			}
			if next == now {
				break
			}
			if slices.Contains(seen, next) {
				again++
				break
			}
			seen, now = append(seen, next), next
		}
		n++
		if got != now || len(seen) < 2 {
			return fmt.Errorf("solution %s, want %s", got, now)
		}
		return nil
	}
	tasktest.Every(t, stringManipulation.Task(), tasktest.Count(1200, 200), check)
	tasktest.Every(t, tasktest.With(t, stringManipulation.Task(), `{}`), tasktest.Count(300, 50), check)
	if again < n/100 {
		t.Errorf("%d of %d strings come up again", again, n)
	}
}

func TestStringManipulationKeys(t *testing.T) {
	tasktest.NoVariants(t, stringManipulation.Task(), "The 20 rules are fixed texts about a, b and c: with other names of the letters they would be rules that the task does not have. "+
		"Their order decides which applies, and most speak of one end of the string, so neither can be turned around.")
}
