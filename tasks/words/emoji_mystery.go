package words

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// emojiMystery asks for a text hidden in invisible characters.
var emojiMystery = task.Spec[emojiParams, emojiItem]{
	Name:     "emoji_mystery",
	Category: "games",
	Doc:      "Decode a text from the variation selectors of Unicode after an emoji, one for each byte.",
	Source:   "Smuggling of bytes in variation selectors, P. Butler (2025), with words of package lexicon; the settings are those of reasoning-gym.",
	Version:  1,
	Default:  emojiParams{MinWords: 3, MaxWords: 35},
	Levels: []emojiParams{
		{MinWords: 1, MaxWords: 1},
		{MinWords: 2, MaxWords: 3},
		{MinWords: 4, MaxWords: 7},
		{MinWords: 10, MaxWords: 15},
		{MinWords: 25, MaxWords: 35},
		{MinWords: 60, MaxWords: 80},
	},
	Make: makeEmoji,
}

// emojiParams are the settings of one difficulty.
type emojiParams struct {
	MinWords int `json:"min_words_in_sentence" want:"1 to 1000"`
	MaxWords int `json:"max_words_in_sentence" want:"min_words_in_sentence to 1000"`
}

// emojiItem is one hidden text.
type emojiItem struct {
	Emoji    string `json:"emoji"`
	NumWords int    `json:"num_words_in_sentence"`
	Sentence string `json:"sentence,omitempty" want:"1 to 100000"` // the text; entries of reasoning-gym have it only in the question
	Phrasing int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// emojis carry the hidden texts.
var emojis = [...]string{"😀", "😎", "🤔", "😴", "🙃", "🐙", "🦊", "🐢", "🌵", "🍄", "🍋", "🚀", "🎈", "🔑", "🧩", "🎲", "⏳", "🌙", "🔥", "🪁"}

// makeEmoji draws random words, against guesses, and writes them like a sentence.
func makeEmoji(p emojiParams, r *rng.Rand) (emojiItem, error) {
	item := emojiItem{Emoji: rng.Pick(r, emojis[:]), NumWords: r.Between(p.MinWords, p.MaxWords), Phrasing: r.Between(0, len(emojiPhrasings)-1)}
	const longest = 9 // limit of letters in a word
	b := make([]byte, 0, 8*item.NumWords)
	for i := range item.NumWords {
		words := lexicon.Common(r.Between(lexicon.MinLetters, longest))
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, words.At(r.Between(0, words.Len()-1))...)
	}
	b[0] -= 'a' - 'A'
	item.Sentence = string(append(b, '.'))
	return item, nil
}

// The variation selectors: 16, and 240 more.
const (
	selectors     = '\uFE00'
	moreSelectors = '\U000E0100'
	fewSelectors  = 16
)

// hide writes the bytes of a text as variation selectors.
func hide(text string) string {
	b := make([]byte, 0, 4*len(text))
	for _, c := range []byte(text) {
		if c < fewSelectors {
			b = utf8.AppendRune(b, selectors+rune(c))
			continue
		}
		b = utf8.AppendRune(b, moreSelectors+rune(c)-fewSelectors)
	}
	return string(b)
}

// reveal returns the text hidden by hide, or "" if there is none.
func reveal(text string) string {
	var b []byte
	for _, r := range text {
		switch {
		case r >= selectors && r < selectors+fewSelectors:
			b = append(b, byte(r-selectors))
		case r >= moreSelectors && r < moreSelectors+256-fewSelectors:
			b = append(b, byte(r-moreSelectors+fewSelectors))
		}
	}
	return string(b)
}

// emojiPhrasings are the wordings of the question, around the emoji.
var emojiPhrasings = [][2]string{
	{"A secret text has been hidden behind an emoji. Every byte of the text became a character that is not displayed: the bytes 0 to 15 became the characters U+FE00 to U+FE0F, and the bytes 16 to 255 became U+E0100 to U+E01EF, in this order. Here is the emoji with what follows it:\n\n",
		"\n\nWhat does the text say? Answer with the text alone, including capitals, spaces and punctuation."},
	{"", "\n\nYou see one emoji, but it comes with a trail of variation selectors, which have no shape of their own. They spell a message: take the code point of each; if it is 0xE0100 or more, subtract 0xE00F0, else subtract 0xFE00; read the results as ASCII codes. Reply with the message exactly as it was written, and with nothing else."},
	{"Decode this: ", "\n\nHow it was made: a sentence was turned into bytes (UTF-8). A byte b below 16 is the code point 65024 + b, any other byte b is the code point 917744 + b. These code points are variation selectors, which most programs do not show. They stand after the emoji. Write the sentence, and make sure that every letter and the full stop are right. Write no other text."},
	{"Here is a function that hides text:\n\n    hide(byte) = chr(0xFE00 + byte)          if byte < 16\n                 chr(0xE0100 + byte - 16)    otherwise\n\nIt was used for each byte of a short English text, and its output was put after an emoji. This is the result:\n\n",
		"\n\nUndo it. Your answer is the original text, character by character."},
	{"Invisible characters can carry a message. In the following line, each of the characters after the emoji stands for one character of a text: U+E0151 for \"a\", U+E0152 for \"b\", and so on through the whole of ASCII, with U+E0110 for a space.\n\n",
		"\n\nWhich text is it? Give it in full and as it is, with its capital letter and its full stop, and leave out any explanation."},
	{"I have received an emoji from a friend who likes riddles: ", "\n\nThere is more in it than meets the eye. My friend says: \"Look at the variation selectors. Number them from 0 to 255, first the sixteen from U+FE00 on, then those from U+E0100 on. Each number is a byte of what I want to tell you.\" What does my friend tell me? Quote it word for word, without quotation marks, and add nothing."},
}

func (e emojiItem) Prompt() string {
	words := emojiPhrasings[e.Phrasing]
	return words[0] + e.Emoji + hide(e.Sentence) + words[1]
}

func (e *emojiItem) Complete(question string) {
	if e.Sentence == "" {
		e.Sentence = strings.TrimPrefix(reveal(question), reveal(e.Emoji))
	}
}

// Canonical implements [task.Canonicalizer]. The emoji does not matter.
func (e emojiItem) Canonical() string { return e.Sentence }

// Check refuses a record without a text.
func (e emojiItem) Check() error {
	if !utf8.ValidString(e.Sentence) {
		return errors.New("sentence is not UTF-8")
	}
	return nil
}

func (e emojiItem) Solve() string { return e.Sentence }

// Score implements [task.Scorer]. Every character counts, except for space around the
// text.
func (e emojiItem) Score(text string) quintain.Verdict {
	text = answer.Trim(text)
	switch text {
	case "":
		return quintain.Malformed("the answer is empty")
	case answer.Trim(e.Sentence):
		return quintain.Right()
	}
	return quintain.Wrong(fmt.Sprintf("want %q", e.Sentence))
}
