package list

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

// Composite is the name of the task that mixes others, as in reasoning-gym.
const Composite = "composite"

// A Filter selects tasks.
type Filter struct {
	Category  string  // empty: all
	Scoring   string  // words of [Scorings], separated by commas; all must hold; empty: any
	Levels    int     // least number of levels
	GuessRate float64 // highest guess rate of any level; 1: any
}

// An Entry is a task found by a filter.
type Entry struct {
	Info     quintain.Info
	Facts    Facts
	Measured bool // whether Facts are known for the current version of the task
}

// Of returns the entry of a task.
func Of(t quintain.Task) Entry {
	e := Entry{Info: t.Info()}
	e.Facts, e.Measured = FactsOf(e.Info)
	return e
}

// Find returns the matching ones of tasks, in their order. An invalid filter is a
// [*FilterError].
func (f Filter) Find(tasks []quintain.Task) (found []Entry, err error) {
	if err := f.check(tasks); err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if e := Of(t); f.passes(e) {
			found = append(found, e)
		}
	}
	return found, nil
}

// A FilterError reports an invalid field of a filter.
type FilterError struct {
	Field string // category, scoring, levels, or guess rate
	Why   string // its value, and the valid ones
}

// Error names the field.
func (e *FilterError) Error() string { return e.Field + " " + e.Why }

// check reports an invalid field.
func (f Filter) check(tasks []quintain.Task) error {
	fault := func(field, format string, args ...any) error {
		return &FilterError{field, fmt.Sprintf(format, args...)}
	}
	var categories, words []string
	for _, t := range tasks {
		category, _ := task.Head(t)
		categories = append(categories, category)
	}
	slices.Sort(categories)
	categories = slices.Compact(categories)
	for _, w := range Scorings {
		words = append(words, w.Word)
	}
	if f.Category != "" && !slices.Contains(categories, f.Category) {
		return fault("category", "is %q, want %s", f.Category, strings.Join(categories, ", "))
	}
	for _, word := range f.words() {
		if !slices.Contains(words, word) {
			return fault("scoring", "has %q, want %s", word, strings.Join(words, ", "))
		}
	}
	if f.Levels < 0 {
		return fault("levels", "is %d, want 0 or more", f.Levels)
	}
	if !(f.GuessRate >= 0 && f.GuessRate <= 1) {
		return fault("guess rate", "is %v, want 0 to 1", f.GuessRate)
	}
	return nil
}

// words returns the words of f.Scoring.
func (f Filter) words() []string {
	return strings.FieldsFunc(f.Scoring, func(r rune) bool { return r == ',' || r == ' ' })
}

// passes reports whether e matches. An unmeasured task fails any limit on the guess rate.
func (f Filter) passes(e Entry) bool {
	has := e.Facts.Scoring(e.Info)
	for _, word := range f.words() {
		if !slices.Contains(has, word) {
			return false
		}
	}
	return (f.Category == "" || e.Info.Category == f.Category) && len(e.Info.Levels) >= f.Levels &&
		(f.GuessRate == 1 || e.Measured && e.Facts.MostGuess() <= f.GuessRate)
}
