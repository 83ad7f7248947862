package instructions

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain/task/rng"
)

// countKinds count words, sentences, paragraphs and signs.
var countKinds = []kind{
	{
		name: "word_range", tier: 1, takes: wordCount, counts: ofWords,
		says: []string{"The text has %n to %m words.", "Write at least %n and at most %m words."},
		draw: func(r *rng.Rand) rule {
			n := r.Between(30, 90)
			return rule{N: n, M: n + r.Between(10, 20)}
		},
		check: func(r rule, p *prose) string {
			if n := len(p.words); n < r.N || n > r.M {
				return fmt.Sprintf("there are %d words, want %d to %d", n, r.N, r.M)
			}
			return ""
		},
		plan: func(r rule, d *draft) { d.least, d.most = r.N, r.M },
	},
	{
		name: "word_multiple", tier: 3, takes: wordCount, refuses: sentenceWords, counts: ofWords,
		says: []string{"The number of words is a multiple of %n.", "Count all words: their number must be divisible by %n."},
		draw: numbers(4, 12),
		check: func(r rule, p *prose) string {
			if len(p.words)%r.N != 0 {
				return fmt.Sprintf("there are %d words, want a multiple of %d", len(p.words), r.N)
			}
			return ""
		},
		plan: func(r rule, d *draft) { d.multiple = r.N },
	},
	{
		name: "sentence_count", tier: 1, takes: sentenceCount, counts: ofSentences,
		says:  []string{"The text has exactly %n sentences.", "Write exactly %n sentences, no more and no fewer."},
		draw:  numbers(3, 9),
		check: func(r rule, p *prose) string { return differs("sentences", len(p.sentences), r.N) },
		plan:  func(r rule, d *draft) { d.count = r.N },
	},
	{
		name: "paragraph_count", tier: 1, takes: shape, counts: ofParagraphs,
		says:  []string{"The text has exactly %n paragraphs.", "Divide the text into exactly %n paragraphs."},
		draw:  numbers(2, 5),
		check: func(r rule, p *prose) string { return differs("paragraphs", len(p.paragraphs), r.N) },
		plan:  func(r rule, d *draft) { d.paragraphs = r.N },
	},
	{
		name: "even_paragraphs", tier: 2, takes: shape | sentenceCount, counts: ofSentences | ofParagraphs,
		says: []string{"There are exactly %n paragraphs, and each of them has exactly %m sentences.", "Write %n paragraphs of %m sentences each."},
		draw: func(r *rng.Rand) rule { return rule{N: r.Between(2, 4), M: r.Between(2, 3)} },
		check: func(r rule, p *prose) string {
			for i, paragraph := range p.paragraphs {
				if n := len(readProse(paragraph).sentences); n != r.M {
					return fmt.Sprintf("paragraph %d has %d sentences, want %d", i+1, n, r.M)
				}
			}
			return differs("paragraphs", len(p.paragraphs), r.N)
		},
		plan: func(r rule, d *draft) { d.paragraphs, d.count = r.N, r.N*r.M },
	},
	{
		name: "number_count", tier: 2, takes: digits,
		says:  []string{"The text has exactly %n numbers in digits, such as 15 or 3.5.", "Exactly %n numbers occur, all of them written in digits."},
		draw:  numbers(2, 6),
		check: func(r rule, p *prose) string { return differs("numbers in digits", countNumbers(p.raw), r.N) },
		plan: func(r rule, d *draft) {
			for i := range r.N {
				d.must = append(d.must, strconv.Itoa((i*37+r.N*11)%97+2))
			}
		},
	},
	{
		name: "long_words", tier: 2, counts: ofWords,
		says: []string{"At least %n words have %m letters or more.", "Use %n or more words that are at least %m letters long."},
		draw: func(r *rng.Rand) rule { return rule{N: r.Between(4, 10), M: r.Between(7, 9)} },
		check: func(r rule, p *prose) string {
			n := 0
			for _, word := range p.words {
				if letters(word) >= r.M {
					n++
				}
			}
			return tooFew(fmt.Sprintf("words of %d letters or more", r.M), n, r.N)
		},
		likes: func(r rule, _ *draft, word string) bool { return len(word) >= r.M },
	},
	{
		name: "keyword_frequency", tier: 1, words: 1, takes: repeats,
		says: []string{"The word %w occurs exactly %n times.", "Use the word %w exactly %n times."},
		draw: oneOf(frequented, 2, 5),
		check: func(r rule, p *prose) string {
			return differs("times "+strconv.Quote(r.Words[0]), p.count(r.Words[0]), r.N)
		},
		plan: func(r rule, d *draft) {
			for range r.N {
				d.must = append(d.must, r.Words[0])
			}
			d.close(r.Words)
		},
	},
	{
		name: "semicolons", tier: 1,
		says:  []string{"The text has exactly %n semicolons.", "Use the semicolon exactly %n times."},
		draw:  numbers(2, 5),
		check: func(r rule, p *prose) string { return differs("semicolons", count(p.raw, ';'), r.N) },
		plan:  func(r rule, d *draft) { d.wrap(r.N, "", ";") },
	},
	{
		name: "comma_count", tier: 2, takes: commas,
		says:  []string{"The text has exactly %n commas.", "Use the comma exactly %n times."},
		draw:  numbers(3, 9),
		check: func(r rule, p *prose) string { return differs("commas", count(p.raw, ','), r.N) },
		plan:  func(r rule, d *draft) { d.wrap(r.N, "", ",") },
	},
	{
		name: "no_commas", tier: 1, takes: commas,
		says:  []string{"There is no comma in the text.", "Do not use any commas."},
		draw:  numbers(1, 1),
		check: func(_ rule, p *prose) string { return differs("commas", count(p.raw, ','), 0) },
	},
	{
		name: "parentheses", tier: 2,
		says: []string{"There are exactly %n remarks in round brackets.", "Put exactly %n parts of the text in round brackets, (like this)."},
		draw: numbers(2, 4),
		check: func(r rule, p *prose) string {
			n, crossed := enclosed(p.raw, '(', ')')
			if crossed {
				return "the round brackets do not match"
			}
			return differs("remarks in round brackets", n, r.N)
		},
		plan: func(r rule, d *draft) { d.wrap(r.N, "(", ")") },
	},
	{
		name: "placeholders", tier: 1,
		says: []string{"There are at least %n placeholders in square brackets, such as [name].", "Leave at least %n placeholders for the reader to fill in, each in square brackets, like [date]."},
		draw: numbers(2, 5),
		check: func(r rule, p *prose) string {
			n, crossed := enclosed(p.raw, '[', ']')
			if crossed {
				return "the square brackets do not match"
			}
			return tooFew("placeholders in square brackets", n, r.N)
		},
		plan: func(r rule, d *draft) { d.wrap(r.N, "[", "]") },
	},
	{
		name: "highlights", tier: 1, takes: stars,
		says: []string{"At least %n parts of the text stand between single asterisks, *like this*.", "Highlight at least %n words or phrases with one asterisk on each side, *like this*."},
		draw: numbers(2, 5),
		check: func(r rule, p *prose) string {
			n, crossed := enclosed(p.raw, '*', '*')
			if crossed {
				return "the asterisks do not match"
			}
			return tooFew("highlighted parts", n, r.N)
		},
		plan: func(r rule, d *draft) { d.wrap(r.N, "*", "*") },
	},
}

// count returns how often a sign occurs.
func count(text string, sign byte) (n int) {
	for i := range len(text) {
		if text[i] == sign {
			n++
		}
	}
	return n
}
