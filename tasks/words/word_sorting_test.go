package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestWordSortingScore(t *testing.T) {
	words := []string{"fig", "ant", "Zoo", "figs", "bee"}
	item := wordSortingItem{
		OriginalWords: words, TransformedWords: words, SortedWords: []string{"Zoo", "ant", "bee", "fig", "figs"},
		Direction: "ascending", NumWords: 5, WordLength: 4,
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"Zoo, ant, bee, fig, figs", 1, ""},
		{" Zoo,ant ,\nbee,fig,  figs\n", 1, "space is free"},
		{"Zoo, ant, bee, figs, fig", 3. / 5, "two exchanged"},
		{"Zoo, ant, bee, fig", 4. / 5, "one is missing"},
		{"Zoo, ant, bee, fig, figs, ape", 0, "one too many, where reasoning-gym pays all"},
		{"zoo, ant, bee, fig, figs", 4. / 5, "a word is spelled in another way"},
		{"Zoo, ant", 0, "two of five"},
		{"ant, bee, fig, figs, Zoo", 0, "case left out of account"},
		{"figs, fig, bee, ant, Zoo", 0, "backwards"},
		{"fig, ant, Zoo, figs, bee", 0, "the question itself, where reasoning-gym pays 0.2 for any order"},
		{"Zoo ant bee fig figs", 0, "no commas"},
	})
	for _, bad := range []wordSortingItem{
		{Direction: "ascending"},
		{TransformedWords: []string{"a"}, SortedWords: []string{"a"}, Direction: "up"},
		{TransformedWords: []string{"a", "b"}, SortedWords: []string{"a", "b"}, Direction: "descending"},
		{TransformedWords: []string{"a"}, SortedWords: []string{"b"}, Direction: "ascending"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The second way takes the least of the words of the prompt again and again.
func TestWordSortingSecond(t *testing.T) {
	check := func(item wordSortingItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, "\n")
		start, list, _ := strings.Cut(question, ": ")
		words := strings.Split(list, ", ")
		longest, want := 0, ""
		for left := words; len(left) > 0; {
			least := 0
			for i, word := range left {
				if before(word, left[least]) {
					least = i
				}
				longest = max(longest, len(word))
			}
			if strings.Contains(start, " ascending ") {
				want += ", " + left[least]
			} else {
				want = ", " + left[least] + want
			}
			left = append(append([]string{}, left[:least]...), left[least+1:]...)
		}
		if ", "+got != want || len(words) != item.NumWords || longest != item.WordLength {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		if v := item.Score(list); v.Score > 0 {
			return fmt.Errorf("the question itself gets %+v", v)
		}
		return nil
	}
	tasktest.Second(t, wordSorting.Task(), 1200, check)
	for _, name := range []string{"lowercase", "uppercase", "original", "randomcase"} {
		tasktest.Second(t, tasktest.With(t, wordSorting.Task(), `{"transformation":"`+name+`"}`), 300, func(item wordSortingItem, prompt, got string) error {
			for _, word := range item.TransformedWords {
				if name == "lowercase" && word != strings.ToLower(word) || name == "uppercase" && word != strings.ToUpper(word) {
					return fmt.Errorf("%s is not in %s", word, name)
				}
			}
			return check(item, prompt, got)
		})
	}
}

// before compares two words letter by letter.
func before(a, b string) bool {
	for i := range len(a) {
		if i == len(b) || a[i] > b[i] {
			return false
		}
		if a[i] < b[i] {
			return true
		}
	}
	return len(a) < len(b)
}

func TestWordSortingKeys(t *testing.T) {
	tasktest.Variant(t, wordSorting.Task(), "the words in another order", func(w *wordSortingItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, w.TransformedWords)
		return nil
	})
	reversed := func(answer string) string {
		words := strings.Split(answer, ", ")
		slices.Reverse(words)
		return strings.Join(words, ", ")
	}
	tasktest.Variant(t, wordSorting.Task(), "in the other direction", func(w *wordSortingItem, _ *rng.Rand) func(string) string {
		if slices.Reverse(w.SortedWords); w.Direction == ascending {
			w.Direction = descending
		} else {
			w.Direction = ascending
		}
		return reversed
	})
	tasktest.Same(t, wordSorting.Task(), "the question asks for the order", func(w *wordSortingItem) {
		slices.Reverse(w.OriginalWords)
		slices.Reverse(w.TransformedWords)
	})
}
