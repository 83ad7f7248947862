package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestWordSequenceReversalScore(t *testing.T) {
	item := wordSequenceReversalItem{NumWords: 3, Words: []string{"pear", "The", "fig"}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, wordSequenceReversal.Scorer(item), []tasktest.Near{
		{"fig, The, pear", 1, ""},
		{"fig, The, pear.", 14. / 15, "reasoning-gym pays for a text that contains the answer"},
		{"Reversed: fig, The, pear", 0, ""},
		{"fig,The,pear", 0, "no spaces"},
		{"fig, the, pear", 0, "another spelling"},
		{"pear, The, fig", 0, "the question itself"},
		{"The, fig, pear", 0, "another order"},
		{"gif, ehT, raep", 0, "the words themselves reversed"},
		{"fig, The", 0, "a word is missing"},
	})
	for _, bad := range []wordSequenceReversalItem{{}, {Words: []string{""}}} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The second solver removes the words of the prompt from the right.
func TestWordSequenceReversalSecond(t *testing.T) {
	tasktest.Second(t, wordSequenceReversal.Task(), 1200, func(item wordSequenceReversalItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, "\n")
		list := question[strings.LastIndexAny(question, ":?")+2:]
		rest, want, n := list, "", 0
		for at := 0; at >= 0; n++ {
			at = strings.LastIndex(rest, ", ")
			word := rest[max(0, at+len(", ")):]
			if at < 0 {
				word = rest
			}
			if _, found := lexicon.Common(len(word)).Find(strings.ToLower(word)); !found {
				return fmt.Errorf("%q is not a common word", word)
			}
			want += word + ", "
			rest = rest[:max(0, at)]
		}
		if got+", " != want || got == list || n != item.NumWords {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

func TestWordSequenceReversalKeys(t *testing.T) {
	tasktest.Variant(t, wordSequenceReversal.Task(), "the list reversed", func(w *wordSequenceReversalItem, _ *rng.Rand) func(string) string {
		list := strings.Join(w.Words, ", ")
		slices.Reverse(w.Words)
		return func(string) string { return list }
	})
	tasktest.Other(t, wordSequenceReversal.Task(), "the question asks for the order", func(w *wordSequenceReversalItem) {
		if last := len(w.Words) - 1; last > 1 && w.Words[last] != w.Words[last-1] && w.Words[0] != w.Words[1] {
			w.Words[last], w.Words[last-1] = w.Words[last-1], w.Words[last]
		}
	})
}
