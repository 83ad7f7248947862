package words

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSpellBackwardScore(t *testing.T) {
	item := spellBackwardItem{Word: "Snubby", WordLen: 6}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"ybbunS", 1, ""},
		{"YBBUNS", 1, "case is free"},
		{"ybbun", 5. / 6, "the last letter is missing"},
		{"ybbus", 0, "four in their places are two thirds"},
		{"ybbans", 5. / 6, "one letter is wrong"},
		{"ybaans", 0, "two are"},
		{"bbuns", 0, "the first is missing, so that none but one is in its place"},
		{"ybbunsx", 0.8, "a tail of one letter"},
		{"ybbuns ybbuns", 0, "the word twice"},
		{"ybbuns units", 0, "a tail as long as the word"},
		{" ybbuns", 0, "space moves every letter"},
		{"snubby", 0, "forward"},
		{"\xff\xff\xff\xff\xff\xff", 0, "no letters"},
	})
	short := spellBackwardItem{Word: "pan", WordLen: 3}
	tasktest.Nears(t, short.Score, []tasktest.Near{
		{"nap", 1, ""},
		{"nap.", 0, "a full stop, which is taken off before"},
	})
	accent := spellBackwardItem{Word: "café", WordLen: 4}
	tasktest.Nears(t, accent.Score, []tasktest.Near{
		{"éfac", 1, "a letter is a code point"},
		{"ÉFAC", 1, ""},
		{"efac", 3. / 4, ""},
	})
	if task.Check(spellBackwardItem{}) == nil {
		t.Error("a record without a word is accepted")
	}
}

// The second solver takes the word from the prompt and swaps its ends inward.
func TestSpellBackwardSecond(t *testing.T) {
	tasktest.Second(t, spellBackward.Task(), 1500, func(item spellBackwardItem, prompt, got string) error {
		word := strings.Split(prompt, `"`)[1]
		letters := strings.Split(word, "")
		for i, j := 0, len(letters)-1; i < j; i, j = i+1, j-1 {
			letters[i], letters[j] = letters[j], letters[i]
		}
		if want := strings.Join(letters, ""); got != want || item.WordLen != len(letters) {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		if _, found := lexicon.Common(len(word)).Find(word); !found && len(word) <= lexicon.MaxLetters {
			return fmt.Errorf("%q is not a common word", word)
		}
		return nil
	})
}

func TestSpellBackwardKeys(t *testing.T) {
	tasktest.Variant(t, spellBackward.Task(), "the word backward", func(s *spellBackwardItem, _ *rng.Rand) func(string) string {
		word := s.Word
		s.Word = s.Solve()
		return func(string) string { return word }
	})
	tasktest.Translated(t, spellBackward.Task(), func(solution string, from, to spellBackwardItem) string {
		if from.Word != to.Word {
			return from.Word
		}
		return solution
	})
}
