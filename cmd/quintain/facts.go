package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

// A fact is what was measured of a task. TestTasksDocIsFresh writes them.
type fact struct {
	Name    string      `json:"name"`
	Version int         `json:"version"` // of the task when it was measured
	Credit  task.Credit `json:"credit"`
	Levels  []levelFact `json:"levels"`
}

// A levelFact is what was measured of one level.
type levelFact struct {
	GuessRate float64 `json:"guess_rate"`
	task.Space
}

//go:embed facts.json
var factsJSON []byte

// facts returns what was measured, by the task's name.
var facts = sync.OnceValues(func() (map[string]fact, error) {
	var list []fact
	if err := json.Unmarshal(factsJSON, &list); err != nil {
		return nil, fmt.Errorf("facts.json: %w", err)
	}
	byName := make(map[string]fact, len(list))
	for _, f := range list {
		byName[f.Name] = f
	}
	return byName, nil
})

// known reports whether f was measured on the task as it is now.
func (f fact) known(info quintain.Info) bool {
	return f.Version == info.Version && len(f.Levels) == len(info.Levels)
}

// scoringWords are what --scoring may name, and what each says of a task.
var scoringWords = []struct{ word, says string }{
	{"one", "one answer is right, however it is spelled"},
	{"many", "many answers are right: the scorer checks what it is given"},
	{string(task.Whole), "an answer is right or earns nothing"},
	{string(task.Contained), "a longer text that contains the solution earns its share of the length"},
	{string(task.Parts), "an answer of which a part is right, or that is close, earns part of the score"},
}

// scoring is how a task scores, in two of the scoringWords.
func scoring(info quintain.Info, f fact) string {
	answers, credit := "one", f.Credit
	if info.Many {
		answers = "many"
	}
	if !f.known(info) {
		credit = "unknown"
	}
	return answers + ", " + string(credit)
}

// explain tells in a sentence what scoring says in words.
func explain(scoring string) string {
	var all []string
	for _, w := range scoringWords {
		if slices.Contains(strings.Split(scoring, ", "), w.word) {
			all = append(all, w.says)
		}
	}
	return strings.Join(all, "; ") + "."
}

// mostGuess is the largest guess rate of any level.
func (f fact) mostGuess() float64 {
	most := 0.
	for _, l := range f.Levels {
		most = max(most, l.GuessRate)
	}
	return most
}

// roughly writes the size of a problem space: two digits of an estimate, and ≥
// before a bound.
func roughly(s task.Space) string {
	digits := fmt.Sprintf("%.0f", s.Problems)
	if len(digits) > 4 {
		digits = fmt.Sprintf("%.1e", s.Problems)
		digits = strings.Replace(digits, "e+0", "e", 1)
	}
	if s.AtLeast {
		return "≥ " + digits
	}
	return digits
}
