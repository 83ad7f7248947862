package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSentenceReorderingScore(t *testing.T) {
	sentence := "The old owl, it seems, hunts quietly."
	item := sentenceReorderingItem{WordCount: 7, Answer: &sentence, Shuffled: "owl, hunts it The quietly. seems, old"}
	if err := item.Check(); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"The old owl, it seems, hunts quietly.", 1, ""},
		{" the OLD owl,  it seems,\nhunts quietly. ", 1, "case and space are free"},
		{"The old owl, it seems, quietly. hunts", 5. / 7, "two exchanged"},
		{"The old owl, it hunts seems, quietly.", 5. / 7, "two others"},
		{"The owl, it seems, old hunts quietly.", 0, "one word far from its place"},
		{"The old owl, it it seems, quietly.", 0, "one word twice"},
		{"The old owl it seems hunts quietly", 0, "without punctuation"},
		{"It seems, the old owl, hunts quietly.", 0, "two of seven"},
		{"The old owl, it seems, hunts", 0, "a word is missing, where reasoning-gym pays 0.05"},
		{"The old owl, it seems, hunts quietly. Yes.", 0, "a word too many, where it pays as much"},
		{"owl, hunts it The quietly. seems, old", 0, "the question itself"},
		{"Theoldowl,itseems,huntsquietly.", 0, "no spaces"},
		{"I do not know.", 0, ""},
		{" ", 0, "space"},
		{"", 0, "nothing"},
	})
	entry := sentenceReorderingItem{WordCount: 7, Answer: &sentence}
	if err := entry.Check(); err != nil {
		t.Errorf("an entry without the shuffled words: %v", err)
	}
	blank := " "
	for _, bad := range []sentenceReorderingItem{
		{WordCount: 7},
		{Answer: &blank},
		{WordCount: 7, Answer: &sentence, Shuffled: "owl, hunts it The quietly. seems, young"},
		{WordCount: 7, Answer: &sentence, Phrasing: 99},
	} {
		if bad.Check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestSentenceReorderingParams(t *testing.T) {
	tasktest.Refused(t, sentenceReordering.Task(), map[string]string{
		`{"min_words_in_sentence":2}`:  "min_words_in_sentence",
		`{"min_words_in_sentence":21}`: "max_words_in_sentence",
		`{"max_words_in_sentence":26}`: "max_words_in_sentence",
	})
}

// The second solver builds all sentences from the words of the prompt, and finds only one.
func TestSentenceReorderingSecond(t *testing.T) {
	tasktest.Second(t, sentenceReordering.Task(), 1500, func(item sentenceReorderingItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, "\n")
		_, list, found := strings.Cut(question, ": ")
		if !found {
			_, list, _ = strings.Cut(question, " read? ")
		}
		words := strings.Split(list, " ")
		if of := sentencesOf(words); len(of) != 1 || of[0] != got || len(words) != item.WordCount {
			return fmt.Errorf("%q are the words of %q, and the solution is %s", words, of, got)
		}
		if v := item.Score(list); v.Score > 0 {
			return fmt.Errorf("the question itself gets %+v", v)
		}
		return nil
	})
}

// There are thousands of sentences at each level.
func TestSentenceReorderingVariety(t *testing.T) {
	const draws, fewest = 3000, 2000
	for level := range sentenceReordering.Task().Info().Levels {
		seen := map[string]bool{}
		for i := range draws {
			seen[*tasktest.Made[sentenceReorderingItem](t, sentenceReordering.Task(), level, i).Answer] = true
		}
		if len(seen) < fewest {
			t.Errorf("level %d: %d different sentences in %d, want %d", level, len(seen), draws, fewest)
		}
	}
}

func TestSentenceReorderingKeys(t *testing.T) {
	tasktest.Same(t, sentenceReordering.Task(), "how the words are shuffled is free", func(s *sentenceReorderingItem) {
		words := strings.Fields(s.Shuffled)
		slices.Reverse(words)
		s.Shuffled = strings.Join(words, " ")
	})
}
