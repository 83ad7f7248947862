package instructions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// frequented are words to be used several times.
var frequented = strings.Fields("animals birds books children colors days doors faces friends hands homes houses lights minds names nights people places roads rooms sounds stars streets trees voices walls windows words worlds years")

// wordingKinds say which words occur, and which do not.
var wordingKinds = []kind{
	{
		name: "keywords", tier: 1, words: 2,
		says:  []string{"The words %l also occur.", "Also use the words %l."},
		draw:  someOf(frequented, 2, 4),
		check: missing,
		plan:  func(r rule, d *draft) { d.must = append(d.must, r.Words...) },
	},
	{
		name: "keywords_once", tier: 2, words: 2, takes: repeats,
		says: []string{"Each of the words %l occurs exactly once.", "Use each of the words %l once and only once."},
		draw: someOf(frequented, 2, 4),
		check: func(r rule, p *prose) string {
			for _, word := range r.Words {
				if n := p.count(word); n != 1 {
					return fmt.Sprintf("%q occurs %d times, want once", word, n)
				}
			}
			return ""
		},
		plan: func(r rule, d *draft) {
			d.must = append(d.must, r.Words...)
			d.close(r.Words)
		},
	},
	{
		name: "forbidden_words", tier: 1, words: 2,
		says: []string{"None of the words %l occurs.", "Avoid the words %l."},
		draw: someOf(frequentWords, 3, 6),
		check: func(r rule, p *prose) string {
			for _, word := range r.Words {
				if p.place(word) >= 0 {
					return fmt.Sprintf("%q occurs", word)
				}
			}
			return ""
		},
		word: func(r rule, word string) bool { return !slices.Contains(r.Words, word) },
	},
	{
		name: "all_different", tier: 3, takes: repeats, counts: ofWords,
		says: []string{"No word occurs more than once, whether with a capital letter or without.", "Use every word once at most; \"The\" and \"the\" are the same word."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			seen := make(map[string]bool, len(p.lower))
			for _, word := range p.lower {
				if seen[word] {
					return fmt.Sprintf("%q occurs more than once", word)
				}
				seen[word] = true
			}
			return ""
		},
		step: func(_ rule, d *draft, word string) bool { return d.counts[word] == 0 },
	},
	{
		name: "word_at", tier: 3, words: 1, refuses: head, counts: ofWords,
		says: []string{"Word number %n of the text is %w.", "Count the words from the beginning: number %n is %w."},
		draw: oneOf(frequented, 6, 25),
		check: func(r rule, p *prose) string {
			if len(p.lower) < r.N || p.lower[r.N-1] != r.Words[0] {
				return fmt.Sprintf("word %d is not %q", r.N, r.Words[0])
			}
			return ""
		},
		plan: func(r rule, d *draft) { d.forced[r.N-1] = r.Words[0] },
	},
	{
		name: "lower_case", tier: 1, takes: letterCase,
		says: []string{"There are no capital letters.", "Write all of it in lower case."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			if i := strings.IndexFunc(p.raw, unicode15.IsUpper); i >= 0 {
				return "there is a capital letter"
			}
			return ""
		},
		plan: func(_ rule, d *draft) { d.finish = append(d.finish, strings.ToLower) },
	},
	{
		name: "upper_case", tier: 1, takes: letterCase,
		says: []string{"All letters are capitals.", "Write everything in capital letters."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			if p.raw != strings.ToUpper(p.raw) {
				return "there is a small letter"
			}
			return ""
		},
		plan: func(_ rule, d *draft) { d.finish = append(d.finish, strings.ToUpper) },
	},
	{
		name: "capital_words", tier: 2, takes: letterCase,
		says: []string{"Exactly %n words of two or more letters are written in capitals only.", "Write exactly %n words in all capitals, each of two or more letters."},
		draw: numbers(2, 6),
		check: func(r rule, p *prose) string {
			n := 0
			for _, word := range p.words {
				if letters(word) > 1 && word == strings.ToUpper(word) && word != strings.ToLower(word) {
					n++
				}
			}
			return differs("words in capitals only", n, r.N)
		},
		plan: func(r rule, d *draft) { d.capitals = r.N },
	},
	{
		name: "capital_initials", tier: 2, takes: letterCase,
		says: []string{"Every word starts with a capital letter or a digit.", "Start each word with a capital letter; only numbers may stand as they are."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			for _, word := range p.words {
				_, size := utf8.DecodeRuneInString(word)
				if strings.ToUpper(word[:size]) != word[:size] {
					return fmt.Sprintf("%q does not start with a capital letter", word)
				}
			}
			return ""
		},
		plan: func(_ rule, d *draft) { d.titled = true },
	},
}

// missing names a word of the rule that does not occur.
func missing(r rule, p *prose) string {
	for _, word := range r.Words {
		if p.place(word) < 0 {
			return strconv.Quote(word) + " does not occur"
		}
	}
	return ""
}
