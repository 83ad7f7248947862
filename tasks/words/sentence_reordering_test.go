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

func TestSentenceReorderingScore(t *testing.T) {
	sentence := "The old owl, it seems, hunts quietly."
	item := sentenceReorderingItem{WordCount: 7, Answer: &sentence, Shuffled: "owl, hunts it The quietly. seems, old"}
	if err := task.Check(item); err != nil {
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
		{" ", 0, "space"},
	})
	several := "The old owl, it seems, hunts quietly.\nThe calm baker waited.\nAfter the tide turned, the nurse laughed."
	lines := sentenceReorderingItem{WordCount: 18, Answer: &several, Shuffled: "owl, hunts it The quietly. seems, old\nwaited. baker The calm\ntide nurse turned, the After laughed. the"}
	if err := task.Check(lines); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, lines.Score, []tasktest.Near{
		{several, 1, ""},
		{strings.ReplaceAll(several, "\n", " "), 1, "space is free, also between sentences"},
		{"The old owl, it seems, quietly. hunts\nThe calm baker waited.\nAfter the tide turned, the nurse laughed.", 5. / 7, "two exchanged words of a sentence, as of one alone"},
		{"The old owl, it seems, hunts quietly.\nThe calm baker waited.\nAfter the tide turned, the laughed. nurse", 5. / 7, "of the last sentence"},
		{"The old owl, it seems, hunts quietly.\nThe baker calm waited.\nAfter the tide turned, the nurse laughed.", 0, "of a short one"},
		{"The old baker it seems, hunts quietly.\nThe calm owl, waited.\nAfter the tide turned, the nurse laughed.", 0, "words of different sentences"},
		{"The old owl, it seems, quietly. hunts\nThe calm baker waited.\nAfter the tide turned, the laughed. nurse", 0, "two in each of two"},
		{"The calm baker waited.\nThe old owl, it seems, hunts quietly.\nAfter the tide turned, the nurse laughed.", 0, "another order of sentences"},
		{"The old owl, it seems, hunts quietly.\nThe calm baker waited.", 0, "a sentence is missing"},
		{sentence, 0, "so are two"},
		{lines.Shuffled, 0, "the question itself"},
	})
	entry := sentenceReorderingItem{WordCount: 7, Answer: &sentence}
	if err := task.Check(entry); err != nil {
		t.Errorf("an entry without the shuffled words: %v", err)
	}
	blank := " "
	for _, bad := range []sentenceReorderingItem{
		{WordCount: 7},
		{Answer: &blank},
		{WordCount: 7, Answer: &sentence, Shuffled: "owl, hunts it The quietly. seems, young"},
		{WordCount: 7, Answer: &sentence, Shuffled: "owl, hunts it The\nquietly. seems, old"},
		{WordCount: 18, Answer: &several, Shuffled: "waited. baker The calm\nowl, hunts it The quietly. seems, old\ntide nurse turned, the After laughed. the"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The second solver builds all sentences from the words of each line of the prompt, and
// finds only one.
func TestSentenceReorderingSecond(t *testing.T) {
	tasktest.Second(t, sentenceReordering.Task(), 1500, func(item sentenceReorderingItem, prompt, got string) error {
		lines := strings.Split(prompt, "\n")
		question, lines := lines[0], lines[1:len(lines)-1]
		if len(lines) == 0 {
			at := max(strings.LastIndex(question, ": "), strings.LastIndex(question, "? "))
			lines = []string{question[at+len(": "):]}
		}
		total, solution := 0, strings.Split(got, "\n")
		for i, line := range lines {
			words := strings.Split(line, " ")
			if of := sentencesOf(words); len(solution) != len(lines) || len(of) != 1 || of[0] != solution[i] {
				return fmt.Errorf("%q are the words of %q, and the solution is %s", words, of, got)
			}
			total += len(words)
		}
		if v := item.Score(strings.Join(lines, "\n")); v.Score > 0 || total != item.WordCount {
			return fmt.Errorf("the question itself, of %d words, gets %+v", total, v)
		}
		return nil
	})
}

// There are thousands of sentences at each level.
func TestSentenceReorderingVariety(t *testing.T) {
	draws, fewest := tasktest.Count(3000, 300), tasktest.Count(2000, 250)
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
	tasktest.Variant(t, sentenceReordering.Task(), "the words in another order", func(s *sentenceReorderingItem, r *rng.Rand) func(string) string {
		lines := strings.Split(s.Shuffled, "\n")
		for i, line := range lines {
			words := strings.Fields(line)
			rng.Shuffle(r, words)
			lines[i] = strings.Join(words, " ")
		}
		s.Shuffled = strings.Join(lines, "\n")
		return nil
	})
	tasktest.Same(t, sentenceReordering.Task(), "how the words are shuffled is free", func(s *sentenceReorderingItem) {
		lines := strings.Split(s.Shuffled, "\n")
		for i, line := range lines {
			words := strings.Fields(line)
			slices.Reverse(words)
			lines[i] = strings.Join(words, " ")
		}
		s.Shuffled = strings.Join(lines, "\n")
	})
}
