package instructions

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// letterKinds count letters, and say which words may have.
var letterKinds = []kind{
	{
		name: "letter_at_least", tier: 1, words: 1,
		says: []string{"The letter %w occurs at least %n times, small or capital.", "Use the letter %w %n times or more; capitals count too."},
		draw: letterOf("bcdfghklmpuvwy", 6, 15),
		check: func(r rule, p *prose) string {
			return tooFew("letters "+r.Words[0], countLetter(p.raw, r.letter()), r.N)
		},
		likes: func(r rule, _ *draft, word string) bool { return strings.IndexByte(word, r.letter()) >= 0 },
	},
	{
		name: "letter_at_most", tier: 3, words: 1,
		says: []string{"The letter %w occurs at most %n times, small and capital together.", "Use the letter %w no more than %n times; capitals count too."},
		draw: letterOf("adehilnortu", 2, 7),
		check: func(r rule, p *prose) string {
			if n := countLetter(p.raw, r.letter()); n > r.N {
				return fmt.Sprintf("the letter %s occurs %d times, want %d at most", r.Words[0], n, r.N)
			}
			return ""
		},
		likes: func(r rule, _ *draft, word string) bool { return strings.IndexByte(word, r.letter()) < 0 },
	},
	{
		name: "lipogram", tier: 2, words: 1,
		says: []string{"The letter %w does not occur, neither small nor capital.", "Do without the letter %w altogether."},
		draw: letterOf("abcdefghiklmnoprtuwy", 1, 1),
		check: func(r rule, p *prose) string {
			return differs("letters "+r.Words[0], countLetter(p.raw, r.letter()), 0)
		},
		word: func(r rule, word string) bool { return strings.IndexByte(word, r.letter()) < 0 },
	},
	{
		name: "longest_word", tier: 2, counts: ofWords,
		says: []string{"No word has more than %n letters.", "Use only words of at most %n letters."},
		draw: numbers(6, 8),
		check: func(r rule, p *prose) string {
			for _, word := range p.words {
				if n := letters(word); n > r.N {
					return fmt.Sprintf("%q has %d letters, want %d at most", word, n, r.N)
				}
			}
			return ""
		},
		word: func(r rule, word string) bool { return letters(word) <= r.N },
	},
	{
		name: "shortest_word", tier: 2, counts: ofWords,
		says: []string{"Every word has at least %n letters.", "Use no word of fewer than %n letters."},
		draw: numbers(3, 5),
		check: func(r rule, p *prose) string {
			for _, word := range p.words {
				if n := letters(word); n < r.N {
					return fmt.Sprintf("%q has %d letters, want %d or more", word, n, r.N)
				}
			}
			return ""
		},
		word: func(r rule, word string) bool { return letters(word) >= r.N },
	},
	{
		name: "initial_count", tier: 3, words: 1, counts: ofWords,
		says: []string{"Exactly %n words start with the letter %w, small or capital.", "The number of words that start with %w or its capital is exactly %n."},
		draw: letterOf("abcdefghklmnoprstw", 4, 9),
		check: func(r rule, p *prose) string {
			return differs("words that start with "+r.Words[0], initialCount(p.lower, r.letter()), r.N)
		},
		step: func(r rule, d *draft, word string) bool {
			return !startsWith(word, r.letter()) || initialCount(d.said, r.letter())+initialCount(d.must, r.letter()) < r.N
		},
		likes: func(r rule, _ *draft, word string) bool { return startsWith(word, r.letter()) },
	},
	{
		name: "no_initials", tier: 2, words: 2, counts: ofWords,
		says: []string{"No word starts with one of the letters %l, small or capital.", "Use only words that do not start with any of the letters %l."},
		draw: func(r *rng.Rand) rule {
			return someOf(strings.Split("abcdefghilmnoprstw", ""), 3, 4)(r)
		},
		check: func(r rule, p *prose) string {
			for _, word := range p.lower {
				if initialIn(r, word) {
					return fmt.Sprintf("a word starts with %q", word[:1])
				}
			}
			return ""
		},
		word: func(r rule, word string) bool { return !initialIn(r, word) },
	},
}

// initialCount counts the words that start with a letter.
func initialCount(words []string, letter byte) (n int) {
	for _, word := range words {
		if startsWith(word, letter) {
			n++
		}
	}
	return n
}

// initialIn reports whether a word starts with one of the letters of a rule.
func initialIn(r rule, word string) bool {
	for _, letter := range r.Words {
		if strings.HasPrefix(word, letter) {
			return true
		}
	}
	return false
}
