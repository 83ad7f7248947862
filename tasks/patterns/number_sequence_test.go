package patterns

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNumberSequenceScore(t *testing.T) {
	item := numberSequenceItem{Rule: "1*previous + 0*before + 3 + 0*position", Complexity: 1, Sequence: []int64{993, 996, 999, 1002}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, numberSequence.Scorer(item), []tasktest.Near{
		{"1002", 1, ""},
		{"1,002", 1, "thousands separated"},
		{"1002.0", 1, "the same value"},
		{"-1002", 0, "the other sign"},
		{"11002", 0, "a digit too many"},
		{"999", 0, "the last term shown"},
		{"1005", 0, "a term too far"},
	})
	tasktest.RefusedRecords(t, numberSequence.Task(), []string{
		`{"sequence":[]}`,
		`{"sequence":[1]}`,
		`{"sequence":[1,2,3],"phrasing":6}`,
	})
}

var termsRE = regexp.MustCompile(`(?m)(-?\d+(?:, -?\d+){3,})|^\d+: (-?\d+)$`)

// The second solver reads the terms of the prompt and tries all small whole numbers as a, b
// and d; c follows from the first term with a rule. All that agree with the terms have the
// same next one.
func TestNumberSequenceSecond(t *testing.T) {
	tasktest.Second(t, numberSequence.Task(), 1200, func(_ numberSequenceItem, prompt, got string) error {
		var terms []int64
		for _, found := range termsRE.FindAllStringSubmatch(prompt, -1) {
			for _, text := range strings.Split(found[1]+found[2], ", ") {
				term, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					return err
				}
				terms = append(terms, term)
			}
		}
		next := nextTerms(terms, strings.Contains(prompt, " d"))
		if len(next) != 1 || next[got] == 0 {
			return fmt.Errorf("terms %v, next ones %v, solution %s", terms, next, got)
		}
		return nil
	})
}

// nextTerms counts the rules that agree with terms, by their next term. Whole rules have b
// and d too.
func nextTerms(terms []int64, whole bool) map[string]int {
	const most = 22
	next := map[string]int{}
	n := len(terms)
	for a := int64(-most); a <= most; a++ {
		if !whole {
			c := terms[1] - a*terms[0]
			if fitsFrom(1, terms, [4]int64{a, 0, c, 0}) {
				next[fmt.Sprint(a*terms[n-1]+c)]++
			}
			continue
		}
		for b := int64(-most); b <= most; b++ {
			for d := int64(-3 * most); d <= 3*most; d++ {
				c := terms[2] - a*terms[1] - b*terms[0] - 3*d
				if fitsFrom(2, terms, [4]int64{a, b, c, d}) {
					next[fmt.Sprint(a*terms[n-1]+b*terms[n-2]+c+d*int64(n+1))]++
				}
			}
		}
	}
	return next
}

// fitsFrom reports whether a rule makes the terms from index first on.
func fitsFrom(first int, terms []int64, rule [4]int64) bool {
	for i := first; i < len(terms); i++ {
		want := rule[0]*terms[i-1] + rule[2] + rule[3]*int64(i+1)
		if rule[1] != 0 {
			want += rule[1] * terms[i-2]
		}
		if terms[i] != want {
			return false
		}
	}
	return true
}

func TestNumberSequenceKeys(t *testing.T) {
	tasktest.Variant(t, numberSequence.Task(), "all terms with the other sign", func(s *numberSequenceItem, _ *rng.Rand) func(string) string {
		for i := range s.Sequence {
			s.Sequence[i] = -s.Sequence[i]
		}
		return func(string) string { return s.Solve() }
	})
	tasktest.Same(t, numberSequence.Task(), "the rule is not part of the question", func(s *numberSequenceItem) { s.Rule = "another" })
	tasktest.Other(t, numberSequence.Task(), "other terms ask for another one", func(s *numberSequenceItem) { s.Sequence[0]++ })
}
