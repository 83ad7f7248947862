package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// letterCounting asks for the number of times that a letter occurs.
var letterCounting = task.Spec[letterCountingParams, letterCountingItem]{
	Name:     "letter_counting",
	Category: "algorithmic",
	Doc:      "Count how often a letter occurs in a text.",
	Source:   "Sentences of package lexicon; the settings are those of reasoning-gym.",
	Version:  4,
	Default:  letterCountingParams{MinWords: 5, MaxWords: 15},
	Levels: []letterCountingParams{
		{MinWords: 3, MaxWords: 5},
		{MinWords: 5, MaxWords: 9},
		{MinWords: 10, MaxWords: 19},
		{MinWords: 20, MaxWords: 40},
		{MinWords: 50, MaxWords: 80},
		{MinWords: 120, MaxWords: 180},
	},
	Make: makeLetterCounting,
	Ask: []string{
		"How many times does the letter \"{target_letter}\" occur in this text?\n\n{span: }",
		"Count the letter \"{target_letter}\" in the text below.\n\n{span: }",
		"How often does the letter \"{target_letter}\" appear in the following words?\n\n{span: }",
		"In the text below, each letter \"{target_letter}\" is underlined. How many letters are underlined?\n\n{span: }",
		"A printer needs a piece of type for each letter \"{target_letter}\" of this text. How many pieces is that?\n\n{span: }",
		"Go through this text and make a mark for each letter \"{target_letter}\". How many marks are there in the end?\n\n{span: }",
	},
	Form:  "\n\nCapital and small letters count alike. Answer with one whole number.",
	Short: "count {target_letter}: {span: }",
	Match: task.MatchNumber,
}

// letterCountingParams are the settings of one difficulty.
type letterCountingParams struct {
	MinWords int `json:"min_words" want:"1 or more"` // of the text
	MaxWords int `json:"max_words" want:"min_words to 1000"`
}

// letterCountingItem is one text and a letter.
type letterCountingItem struct {
	SpanLength   int      `json:"span_length"`   // number of words
	TargetLetter string   `json:"target_letter"` // one letter; case is ignored
	Span         []string `json:"span"`          // the words
	Phrasing     int      `json:"phrasing,omitempty"`
}

// makeLetterCounting draws a text, and a letter from one of its words. So frequent letters
// come up more often, and small counts are a poor guess. One problem in twelve takes any
// letter, even a missing one.
func makeLetterCounting(p letterCountingParams, r *rng.Rand) (letterCountingItem, error) {
	span := prose().span(r.Between(p.MinWords, p.MaxWords), r)
	letters := rng.Pick(r, span)
	if r.Chance(1. / 12) {
		letters = "abcdefghijklmnopqrstuvwxyz"
	}
	at := r.Between(0, len(letters)-1)
	return letterCountingItem{
		SpanLength:   len(span),
		TargetLetter: strings.ToLower(letters[at : at+1]),
		Span:         span,
		Phrasing:     r.Between(0, 5),
	}, nil
}

// Canonical implements [task.Canonicalizer]. The order of the words does not matter, nor does
// case.
func (l letterCountingItem) Canonical() string {
	words := strings.Fields(strings.ToLower(strings.Join(l.Span, " ")))
	slices.Sort(words)
	return strings.ToLower(l.TargetLetter) + ": " + strings.Join(words, " ")
}

// Check refuses a record unless it asks for exactly one letter.
func (l letterCountingItem) Check() error {
	if utf8.RuneCountInString(l.TargetLetter) != 1 {
		return fmt.Errorf("target_letter is %q, want one letter", l.TargetLetter)
	}
	return nil
}

func (l letterCountingItem) Solve() string {
	letter, n := strings.ToLower(l.TargetLetter), 0
	for _, word := range l.Span {
		n += countLetter(word, letter)
	}
	return strconv.Itoa(n)
}

// countLetter counts a small letter in word, ignoring case.
func countLetter(word, letter string) (n int) {
	small := letter[0]
	if len(letter) > 1 || small < 'a' || small > 'z' {
		return strings.Count(strings.ToLower(word), letter)
	}
	for _, c := range []byte(word) {
		if c|0x20 == small {
			n++
		} else if c >= utf8.RuneSelf { // such as the Kelvin sign, whose lower case is k
			return strings.Count(strings.ToLower(word), letter)
		}
	}
	return n
}
