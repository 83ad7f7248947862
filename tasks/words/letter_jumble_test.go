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

func TestLetterJumbleScore(t *testing.T) {
	item := letterJumbleItem{
		NumWords: 5, CorruptionLevel: 0.5,
		ScrambledWords: []string{"ehT", "cat", "tass", "no", "htta"}, OriginalWords: []string{"The", "cat", "sats", "no", "that"},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"The cat sats no that", 1, ""},
		{"\nTHE  CAT SATS\nno that ", 1, "case and space are free"},
		{"The cat sats no htta", 2. / 3, "two of the three that are not given"},
		{"The cat tass no htta", 1. / 3, ""},
		{"The cat sats on that", 2. / 3, "one that was right is spoiled"},
		{"The cat sats no", 2. / 3, "one is missing"},
		{"The cat sats no that cat", 0, "one too many, where reasoning-gym pays all"},
		{"ehT cat tass no htta", 0, "the question itself, where it pays 2/5"},
		{"cat sats no that The", 0, "in another order"},
		{"The, cat, sats, no, that", 0, "commas spoil all but the last"},
	})
	for _, bad := range []letterJumbleItem{
		{},
		{OriginalWords: []string{"a"}},
		{OriginalWords: []string{"ab"}, ScrambledWords: []string{"ac"}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	other := letterJumbleItem{OriginalWords: []string{"Steal", "act"}, ScrambledWords: []string{"Elats", "act"}}
	tasktest.Nears(t, other.Score, []tasktest.Near{
		{"steal act", 1, ""},
		{"least act", 1, "another word of the letters, in an entry of reasoning-gym"},
		{"lates act", 0, "no word"},
		{"steal cat", 0, "that was right already"},
	})
	whole := letterJumbleItem{OriginalWords: []string{"is"}, ScrambledWords: []string{"is"}}
	tasktest.Nears(t, whole.Score, []tasktest.Near{{"is", 1, "an entry with nothing to do"}, {"si", 0, ""}, {"is it", 0, ""}})
}

// The second solver looks up each word of the prompt among all known words: a known word
// stays, and for any other there is exactly one word with the same letters.
func TestLetterJumbleSecond(t *testing.T) {
	byLetters := map[string][]string{}
	for letters := lexicon.MinLetters; letters <= lexicon.MaxLetters; letters++ {
		for i := range lexicon.Known(letters).Len() {
			word := lexicon.Known(letters).At(i)
			byLetters[letterCounts(word)] = append(byLetters[letterCounts(word)], word)
		}
	}
	changed, words := 0, 0
	check := func(item letterJumbleItem, prompt, got string) error {
		asked, answers := strings.Split(strings.Split(prompt, "\n\n")[1], " "), strings.Split(got, " ")
		if len(asked) != len(answers) || len(asked) != item.NumWords {
			return fmt.Errorf("%d words for %d", len(answers), len(asked))
		}
		now := 0
		for i, word := range asked {
			lower, answer := strings.ToLower(word), strings.ToLower(answers[i])
			of := byLetters[letterCounts(lower)]
			if letterCounts(lower) != letterCounts(answer) {
				return fmt.Errorf("%s for %s", answer, word)
			}
			if lower == answer {
				continue
			}
			now++
			if len(of) != 1 || of[0] != answer {
				return fmt.Errorf("%s for %s, want one of %q", answer, word, of)
			}
		}
		changed, words = changed+now, words+len(asked)
		if 2*now <= len(asked)-1 {
			return fmt.Errorf("%d of %d words are mixed up", now, len(asked))
		}
		return nil
	}
	tasktest.Every(t, letterJumble.Task(), tasktest.Count(1200, 200), check)
	for _, params := range []string{`{}`, `{"min_word_len":1,"max_word_len":3,"min_words":1,"max_words":2}`, `{"min_corruption_level":0,"max_corruption_level":0}`} {
		tasktest.Every(t, tasktest.With(t, letterJumble.Task(), params), tasktest.Count(300, 60), check)
	}
	if changed*10 < words*8 {
		t.Errorf("of %d words %d are mixed up", words, changed)
	}
}

func letterCounts(word string) string {
	var n [26]byte
	for _, c := range []byte(word) {
		n[c-'a']++
	}
	return string(n[:])
}

// A higher level moves more letters.
func TestJumbledLetters(t *testing.T) {
	moved := func(params string) (n int) {
		tasktest.Every(t, tasktest.With(t, letterJumble.Task(), params), 200, func(item letterJumbleItem, _, _ string) error {
			for i, word := range item.OriginalWords {
				n += len(word) - samePlaces(strings.Split(word, ""), strings.Split(item.ScrambledWords[i], ""))
			}
			return nil
		})
		return n
	}
	low := moved(`{"min_corruption_level":0.2,"max_corruption_level":0.2,"min_word_len":8}`)
	high := moved(`{"min_corruption_level":0.9,"max_corruption_level":0.9,"min_word_len":8}`)
	if high < 3*low {
		t.Errorf("%d letters are moved at 0.9, and %d at 0.2", high, low)
	}
}

func TestLetterJumbleKeys(t *testing.T) {
	tasktest.Variant(t, letterJumble.Task(), "the letters mixed up in another way", func(l *letterJumbleItem, r *rng.Rand) func(string) string {
		for i, word := range l.OriginalWords {
			if l.ScrambledWords[i] != word {
				l.ScrambledWords[i] = jumbled(word, 1, r)
			}
		}
		return nil
	})
	tasktest.Same(t, letterJumble.Task(), "how the letters of a word are mixed up is free", func(l *letterJumbleItem) {
		for i, word := range l.ScrambledWords {
			letters := []byte(word)
			slices.Reverse(letters)
			if word != l.OriginalWords[i] && string(letters) != l.OriginalWords[i] {
				l.ScrambledWords[i] = string(letters)
			}
		}
	})
	tasktest.Other(t, letterJumble.Task(), "a word that is put right needs no thought", func(l *letterJumbleItem) { l.ScrambledWords[0] = l.OriginalWords[0] })
}
