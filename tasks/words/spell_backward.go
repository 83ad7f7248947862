package words

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// spellBackward asks for a word spelled backward.
var spellBackward = task.Spec[spellBackwardParams, spellBackwardItem]{
	Name:     "spell_backward",
	Category: "algorithmic",
	Doc:      "Spell a word backward, or several that are joined. If more than two thirds of the letters are in place, they earn their share.",
	Source:   "Common English words of package lexicon, from SCOWL (its own permissive licence).",
	Version:  5,
	Default:  spellBackwardParams{MinWordLen: 3, MaxWordLen: 10},
	Levels: []spellBackwardParams{
		{MinWordLen: 3, MaxWordLen: 4},
		{MinWordLen: 5, MaxWordLen: 6},
		{MinWordLen: 7, MaxWordLen: 9},
		{MinWordLen: 10, MaxWordLen: 12},
		{MinWordLen: 15, MaxWordLen: 20},
		{MinWordLen: 30, MaxWordLen: 50},
		{MinWordLen: 80, MaxWordLen: 120},
		{MinWordLen: 200, MaxWordLen: 300},
	},
	Make: makeSpellBackward,
	Ask: []string{
		`Spell the word "{word}" backward.`,
		`Write "{word}" with its letters in reverse order.`,
		`What does the word "{word}" become when it is read from its last letter to its first?`,
		`Read "{word}" from right to left. What do you get?`,
		`If "{word}" is held up to a mirror, its letters appear in the opposite order. In which order?`,
		`Take the letters of "{word}" one by one from the end, and write them down as you go.`,
	},
	Form:  ` Answer with the reversed word alone, for example "enots" for "stone", without quotation marks.`,
	Short: "reverse {word}",
}

// spellBackwardParams are the settings of one difficulty.
type spellBackwardParams struct {
	MinWordLen int `json:"min_word_len" want:"1 to 1000"` // in letters
	MaxWordLen int `json:"max_word_len" want:"min_word_len to 1000 and at least 3"`
}

// spellBackwardItem is one word.
type spellBackwardItem struct {
	Word     string `json:"word" want:"1 or more"`
	WordLen  int    `json:"word_len"` // in letters
	Phrasing int    `json:"phrasing,omitempty"`
}

// makeSpellBackward draws a length and a word.
func makeSpellBackward(p spellBackwardParams, r *rng.Rand) (spellBackwardItem, error) {
	letters := r.Between(max(p.MinWordLen, lexicon.MinLetters), p.MaxWordLen)
	return spellBackwardItem{
		Word:     longWord(letters, r),
		WordLen:  letters,
		Phrasing: r.Between(0, 5),
	}, nil
}

// longWord draws a word, or joins several if none has that many letters.
func longWord(letters int, r *rng.Rand) string {
	text := make([]byte, 0, 64)
	for left := letters; left > 0; left = letters - len(text) {
		n := left
		if left > lexicon.MaxLetters {
			n = r.Between(lexicon.MinLetters, min(lexicon.MaxLetters, left-lexicon.MinLetters))
		}
		words := lexicon.Common(n)
		text = append(text, words.At(r.Between(0, words.Len()-1))...)
	}
	return string(text)
}

// Canonical implements [task.Canonicalizer]. A word and the same word backward are each the
// answer to the other.
func (s spellBackwardItem) Canonical() string { return min(s.Word, s.Solve()) }

func (s spellBackwardItem) Solve() string {
	reversed := make([]byte, 0, 32)
	for rest := s.Word; rest != ""; {
		letter, size := utf8.DecodeLastRuneInString(rest)
		reversed = utf8.AppendRune(reversed, letter)
		rest = rest[:len(rest)-size]
	}
	return string(reversed)
}

// Score implements [task.Scorer]. It ignores case. Letters in their places earn their
// share of the longer of the two texts, so that text after the word gains nothing. Up to
// two thirds, which another word may have by chance, earn nothing. As in reasoning-gym, the
// word with a tail earns 0.8 at most.
func (s spellBackwardItem) Score(answer string) quintain.Verdict {
	if answer == "" {
		return quintain.Malformed("the answer is empty")
	}
	want, got := strings.ToLower(s.Solve()), strings.ToLower(answer)
	if got == want {
		return quintain.Right()
	}
	if fault := beside([]string{got}, []string{want}); fault != "" {
		return quintain.Malformed(fault)
	}
	letters := utf8.RuneCountInString(want)
	long, same := max(letters, utf8.RuneCountInString(got)), 0
	for want != "" && got != "" {
		a, n := utf8.DecodeRuneInString(want)
		b, m := utf8.DecodeRuneInString(got)
		if a == b {
			same++
		}
		want, got = want[n:], got[m:]
	}
	reason := fmt.Sprintf("%d of %d letters are in their places", same, long)
	if 3*same <= 2*long {
		return quintain.Wrong(reason)
	}
	credit := float64(same) / float64(long)
	if same == letters {
		credit = min(credit, 0.8)
	}
	return quintain.Partial(credit, reason)
}
