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
