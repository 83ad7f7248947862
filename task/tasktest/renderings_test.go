package tasktest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A formed task has a flaw in reading other forms.
type formedItem struct {
	Flaw   string `json:"flaw"`
	Number int    `json:"number"`
}

func makeFormed(p flawedParams, r *rng.Rand) (formedItem, error) {
	return formedItem{p.Flaw, r.Between(1000, 9999)}, nil
}

func (f formedItem) Prompt() string { return "What comes next to " + strconv.Itoa(f.Number) + "?" }

func (f formedItem) Solve() string {
	if f.Flaw == "words" {
		return "row " + strconv.Itoa(f.Number) + "!"
	}
	return strconv.Itoa(f.Number)
}

func (f formedItem) Score(text string) quintain.Verdict {
	if f.Flaw == "loose" && strings.Contains(text, "answer is") {
		return quintain.Right()
	}
	if text != f.Solve() {
		return quintain.Wrong("want " + f.Solve())
	}
	return quintain.Right()
}

func TestFormsFindFlaws(t *testing.T) {
	for _, test := range []struct{ flaw, refuses, tells, why string }{
		{"none", "", "", "the reader takes all forms"},
		{"none", "in bold", "the task takes every solution in bold; take it out of Refuses", ""},
		{"words", "", "", "an exclamation mark ends a sentence"},
		{"loose", "", "but in a sentence", "any sentence"},
	} {
		of := task.Spec[flawedParams, formedItem]{Name: "formed", Levels: []flawedParams{{test.flaw}}, Make: makeFormed}
		if test.refuses != "" {
			of.Refuses = map[string]string{test.refuses: "A reason."}
		}
		r := &recorder{TB: t}
		otherForms(r, of.Task())
		wrongForms(r, of.Task())
		all := strings.Join(r.faults, "\n")
		if test.tells == "" && all != "" || !strings.Contains(all, test.tells) {
			t.Errorf("%s: the suite tells %.2000q, want %q (%s)", test.flaw, all, test.tells, test.why)
		}
	}
}

func TestRenderings(t *testing.T) {
	want := map[string][2]string{ // of a solution
		"in bold":                             {"x**2 + 1", "**x**2 + 1**"},
		"in italics":                          {"No", "*No*"},
		"in quotes":                           {"No", `"No"`},
		"in a box":                            {`{"a": 1}`, `\boxed{{"a": 1}}`},
		"in a box, as a text":                 {"No", `\boxed{\text{No}}`},
		"in a box, with its braces escaped":   {`{"a": 1}`, `\boxed{\{"a": 1\}}`},
		"with a full stop":                    {"No", "No."},
		"in a sentence":                       {"No", "The answer is No."},
		"after the word answer":               {"No", "**Answer:** No"},
		"in a sentence, in a box":             {"No", `The final answer is $\boxed{No}$.`},
		"with separators of thousands within": {"1234 + 5i", "1,234 + 5i"},
		"as a decimal number":                 {"7", "7.0"},
		"with its value":                      {"6 * 4", "6 * 4 = 24"},
		"as a list of rows":                   {"1 2\n3 4", "[[1,2],[3,4]]"},
	}
	for _, r := range renderings {
		if test, listed := want[r.name]; listed {
			if got := r.of(test[0]); got != test[1] {
				t.Errorf("%s: %q, want %q", r.name, got, test[1])
			}
			delete(want, r.name)
		}
	}
	for name := range want {
		t.Errorf("there is no rendering %s", name)
	}
	for _, r := range renderings { // of texts without these forms
		for _, solution := range []string{"", "}{"} {
			if got := r.of(solution); strings.Contains(got, "boxed") {
				t.Errorf("%s: %q is written as %q", r.name, solution, got)
			}
		}
	}
}
