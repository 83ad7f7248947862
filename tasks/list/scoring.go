package list

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

// A Scoring is a word for how a task scores. Each task has two: the first says whether one
// or many answers are right, the second which answers earn partial credit.
type Scoring struct{ Word, Doc string }

// Scorings lists the words with their meanings.
var Scorings = []Scoring{
	{"one", "one answer is right, in any spelling"},
	{"many", "many answers are right: the scorer checks each answer"},
	{string(task.Whole), "a wrong answer earns nothing"},
	{string(task.Contained), "a sentence that states the solution and nothing else earns its share of the length"},
	{string(task.Parts), "a partly right or close answer earns partial credit"},
}

// Scoring returns the words for the task that info describes. The second is "unknown"
// unless f was measured on the current version of the task.
func (f Facts) Scoring(info quintain.Info) []string {
	words := []string{"one", "unknown"}
	if info.Many {
		words[0] = "many"
	}
	if f.of(info) {
		words[1] = string(f.Credit)
	}
	return words
}

// ExplainScoring returns a sentence with the meanings of words.
func ExplainScoring(words []string) string {
	var docs []string
	for _, s := range Scorings {
		if slices.Contains(words, s.Word) {
			docs = append(docs, s.Doc)
		}
	}
	return strings.Join(docs, "; ") + "."
}
