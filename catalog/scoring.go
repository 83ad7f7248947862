package catalog

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

// A Scoring tells in a word how a task scores. Each task has two of them: how many
// answers are right, and what earns part of the score.
type Scoring struct{ Word, Doc string }

// Scorings lists the words, with what each of them says.
var Scorings = []Scoring{
	{"one", "one answer is right, however it is spelled"},
	{"many", "many answers are right: the scorer checks what it is given"},
	{string(task.Whole), "an answer is right or earns nothing"},
	{string(task.Contained), "a longer text that contains the solution earns its share of the length"},
	{string(task.Parts), "an answer of which a part is right, or that is close, earns part of the score"},
}

// Scoring returns the words for the task that info describes. The second is "unknown" if f
// was not measured on the task as it is now.
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

// ExplainScoring says in a sentence what the words for a task mean.
func ExplainScoring(words []string) string {
	var docs []string
	for _, s := range Scorings {
		if slices.Contains(words, s.Word) {
			docs = append(docs, s.Doc)
		}
	}
	return strings.Join(docs, "; ") + "."
}
