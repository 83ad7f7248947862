package words

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestLetterCountingScore(t *testing.T) {
	item := letterCountingItem{SpanLength: 3, TargetLetter: "e", Span: []string{"Every", "evening", "bees"}}
	tasktest.Nears(t, letterCounting.Scorer(item), []tasktest.Near{
		{"6", 1, "a capital counts"},
		{"5", 0, ""},
		{"7", 0, ""},
		{"six", 0, "a number was asked for"},
		{"06", 1, "another spelling"},
		{"6.0", 1, "another spelling"},
		{"16", 0, ""},
		{" 6", 1, "another spelling"},
		{"The letter occurs 6 times", 1. / 25, ""},
	})
	none := letterCountingItem{SpanLength: 1, TargetLetter: "z", Span: []string{"Foxes"}}
	tasktest.Nears(t, letterCounting.Scorer(none), []tasktest.Near{
		{"0", 1, "a letter need not be there"},
		{"1", 0, ""},
		{"10", 0, ""},
	})
	for _, letter := range []string{"", "ab"} {
		if task.Check(letterCountingItem{TargetLetter: letter}) == nil {
			t.Errorf("the letter %q is accepted", letter)
		}
	}
}

var letterCountingRE = regexp.MustCompile(`(?s)letter "(.)".*?\n\n(.*)\n\n`)

// The second solver removes the letter from the prompt and compares lengths.
func TestLetterCountingSecond(t *testing.T) {
	tasktest.Second(t, letterCounting.Task(), 1200, func(item letterCountingItem, prompt, got string) error {
		asked := letterCountingRE.FindStringSubmatch(prompt)
		if asked == nil {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		without := regexp.MustCompile("(?i)"+asked[1]).ReplaceAllString(asked[2], "")
		if want := fmt.Sprint(len(asked[2]) - len(without)); got != want || len(strings.Split(asked[2], " ")) != item.SpanLength {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

func TestLetterCountingKeys(t *testing.T) {
	tasktest.Variant(t, letterCounting.Task(), "the words in another order", func(l *letterCountingItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, l.Span)
		return nil
	})
	tasktest.Variant(t, letterCounting.Task(), "in capitals", func(l *letterCountingItem, _ *rng.Rand) func(string) string {
		for i, word := range l.Span {
			l.Span[i] = strings.ToUpper(word)
		}
		return nil
	})
	tasktest.Other(t, letterCounting.Task(), "another word", func(l *letterCountingItem) { l.Span[0] += "s" })
}
