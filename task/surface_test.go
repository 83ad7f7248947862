package task_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A shallow task has answers that its surface gives away in one way, or in none.
type shallowParams struct {
	Flaw string `json:"flaw"`
}

func (shallowParams) Check() error { return nil }

type shallowItem struct {
	Text   string `json:"text"`
	Answer string `json:"answer"`
}

func (s shallowItem) Prompt() string                     { return s.Text }
func (s shallowItem) Solve() string                      { return s.Answer }
func (s shallowItem) Score(text string) quintain.Verdict { return task.Match(text, s.Answer) }

func makeShallow(p shallowParams, r *rng.Rand) (shallowItem, error) {
	a, b := r.Between(1000, 9999), r.Between(10, 99)
	item := shallowItem{Text: "What is " + strconv.Itoa(a) + " of " + strconv.Itoa(b) + "?", Answer: strconv.Itoa(a * a % 7919)}
	switch p.Flaw {
	case "constant":
		if r.Chance(0.6) {
			item.Answer = "6"
		}
	case "length":
		item.Text += strings.Repeat(" ", b%7)
		item.Answer = strconv.Itoa(b % 7)
	case "last number":
		item.Answer = strconv.Itoa(b * b)
	case "few problems":
		a %= 30
		item.Text, item.Answer = "What of "+strings.Repeat("ab", a)+strconv.Itoa(b), strconv.Itoa(a)
	case "places":
		c := []byte("xyz")
		if r.Chance(0.3) {
			c[r.Between(0, 2)] = 'a' + byte(b%20)
		}
		item.Answer = string(c)
	case "linear":
		item.Answer = strconv.Itoa(a*3 - 17*b + 5)
	case "largest less one":
		item.Answer = strconv.Itoa(a - 1)
	case "turned":
		c := strconv.Itoa(a)
		item.Text += "\n\n" + c[:1] + " " + c[1:2] + "\n" + c[2:3] + " " + c[3:] + "\n"
		item.Answer = c[2:3] + " " + c[:1] + "\n" + c[3:] + " " + c[1:2]
	case "remainder":
		item.Answer = []string{"A", "B", "C", "D"}[b%4]
	case "threshold":
		item.Answer = task.TrueOrFalse(a > 5000)
	}
	return item, nil
}

func TestSurfaceRate(t *testing.T) {
	for flaw, want := range map[string]struct {
		least, most float64
		guesser     string
	}{
		"none":             {0, 0.05, ""},
		"constant":         {0.5, 0.7, "one answer to all"},
		"length":           {0.99, 1, ""},
		"last number":      {0.9, 1, "prompts with the same number -1"},
		"few problems":     {0.99, 1, "prompts with the same length"},
		"threshold":        {0.9, 1, "a decision tree"},
		"linear":           {0.99, 1, "a linear function of the numbers"},
		"largest less one": {0.99, 1, ""},
		"turned":           {0.99, 1, "the board, turned once"},
		"remainder":        {0.99, 1, "prompts with the same text around the numbers and last number modulo 4"},
		"places":           {0.6, 0.8, "one answer to all"},
	} {
		of := task.Spec[shallowParams, shallowItem]{Name: "shallow", Levels: []shallowParams{{flaw}}, Make: makeShallow}
		got, err := task.SurfaceRate(of.Task(), 0, 400)
		if err != nil || got.Rate < want.least || got.Rate > want.most || want.guesser != "" && got.Guesser != want.guesser {
			t.Errorf("%s: %+v, error %v, want %+v", flaw, got, err, want)
		}
	}
}

func TestProgramRate(t *testing.T) {
	for flaw, want := range map[string]task.Surface{
		"turned":           {Rate: 1, Guesser: "the board, turned once"},
		"largest less one": {Rate: 1, Guesser: "the largest number -1"},
	} {
		of := task.Spec[shallowParams, shallowItem]{Name: "shallow", Levels: []shallowParams{{flaw}}, Make: makeShallow}
		if got, err := task.ProgramRate(of.Task(), 0, 100); got != want || err != nil {
			t.Errorf("%s: %+v, error %v, want %+v", flaw, got, err, want)
		}
	}
}
