//go:build heavy

package tasktest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A flawed item has a flaw found in graders of the field: its scorer, or its choice of
// problems, pays for answers that solve nothing.
type flawedItem struct {
	Flaw   string  `json:"flaw"`
	Number int     `json:"number"`
	Value  float64 `json:"value"`
	Board  string  `json:"board"`
	Yes    bool    `json:"yes"`
}

func makeFlawed(p flawedParams, r *rng.Rand) (flawedItem, error) {
	item := flawedItem{Flaw: p.Flaw, Number: r.Between(1000, 9999), Value: r.Float(), Yes: r.Chance(0.7)}
	for i := range 16 {
		item.Board += []string{". ", "x ", ". ", ". "}[r.Between(0, 3)]
		if i%4 == 3 {
			item.Board = strings.TrimSpace(item.Board) + "\n"
		}
	}
	return item, nil
}

func (f flawedItem) Prompt() string {
	return fmt.Sprintf("What becomes of %d, of %.3f and of this board?\n\n%s\nAnswer, for example 12.\n", f.Number, 1+f.Value, f.Board)
}

func (f flawedItem) Solve() string {
	switch f.Flaw {
	case "mostly yes":
		return map[bool]string{true: "Yes", false: "No"}[f.Yes]
	case "cells":
		return strings.TrimSpace(f.Board)
	case "prefix", "nan":
		return strconv.FormatFloat(f.Value, 'f', 6, 64)
	}
	return strconv.Itoa(f.Number * 7919)
}

func (f flawedItem) Score(text string) quintain.Verdict {
	want, credit := f.Solve(), 0.
	switch {
	case text == "":
		return quintain.Malformed("the answer is empty")
	case text == want:
		return quintain.Right()
	case f.Flaw == "any text":
		return quintain.Right()
	case f.Flaw == "cells":
		for i := range min(len(text), len(want)) {
			if text[i] == want[i] && want[i] > ' ' {
				credit += 1. / 17
			}
		}
	case f.Flaw == "prefix":
		same := 0
		for same < min(len(text), len(want)) && text[same] == want[same] {
			same++
		}
		credit = float64(same) / float64(len(want))
	case f.Flaw == "nan":
		if v, err := strconv.ParseFloat(text, 64); err == nil && !(math.Abs(v-f.Value) > 0.001) {
			return quintain.Right()
		}
	case f.Flaw == "repeated" && text == strconv.Itoa(f.Number), f.Flaw == "longest line" && strings.HasPrefix(text, "What becomes"):
		credit = 0.5
	case f.Flaw == "hidden" && strings.Contains(text, strconv.Itoa(f.Number)) && strings.Contains(text, "*0"):
		credit = 0.5
	case f.Flaw == "lists" && strings.Count(text, "\n") > 20:
		credit = 0.9
	}
	if credit > 0 && credit < 1 {
		return quintain.Partial(credit, "part of it")
	}
	return quintain.Wrong("want " + want)
}

// Every flaw is found, by the strategy that exploits it.
func TestBlindAnswersFindFlaws(t *testing.T) {
	for flaw, tells := range map[string]string{
		"none":         "",
		"any text":     "the guess rate is 1.000",
		"mostly yes":   "the guess rate is 0.69",
		"cells":        "filling the board with symbol 1 earns 0.7",
		"prefix":       `answering "0." to all earns`,
		"nan":          `answering "nan" to all earns 1.000`,
		"repeated":     "copying number 1 earns 0.500",
		"longest line": "copying line 1 earns 0.500",
		"hidden":       "hiding the last number as hexadecimal earns 0.500",
		"lists":        `joining 32 solutions of others by "\n" earns 0.900`,
	} {
		of := task.Spec[flawedParams, flawedItem]{Name: "flawed", Levels: []flawedParams{{flaw}}, Make: makeFlawed}
		r := &recorder{TB: t}
		blindAnswers(r, of.Task())
		all := strings.Join(r.faults, "\n")
		if tells == "" && all != "" || !strings.Contains(all, tells) {
			t.Errorf("%s: the suite tells %.2000q, want %q", flaw, all, tells)
		}
	}
}
