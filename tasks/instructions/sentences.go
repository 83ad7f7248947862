package instructions

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// Words that may start or end every sentence.
var (
	starters = strings.Fields("again already always here maybe next now often perhaps sometimes somewhere soon suddenly then there today")
	enders   = strings.Fields("again alone everywhere forever here now outside sometimes still there together today tonight")
)

// sentenceKinds say how sentences and paragraphs begin, go on and end.
var sentenceKinds = []kind{
	{
		name: "sentence_length", tier: 2, takes: sentenceWords, counts: ofWords | ofSentences,
		says: []string{"Every sentence has exactly %n words.", "Each of the sentences consists of exactly %n words."},
		draw: numbers(4, 11),
		check: func(r rule, p *prose) string {
			return eachSentence(p, func(i int) string { return lengthFault(p, i, r.N) })
		},
		plan: func(r rule, d *draft) { d.length = func(int) int { return r.N } },
	},
	{
		name: "growing_sentences", tier: 3, takes: sentenceWords, counts: ofWords | ofSentences,
		says: []string{"The first sentence has %n words, and every further one has exactly one word more than the sentence before it.", "Begin with a sentence of %n words, and let each next sentence be one word longer than the last."},
		draw: numbers(3, 6),
		check: func(r rule, p *prose) string {
			return eachSentence(p, func(i int) string { return lengthFault(p, i, r.N+i) })
		},
		plan: func(r rule, d *draft) { d.length = func(i int) int { return r.N + i } },
	},
	{
		name: "acrostic_paragraphs", tier: 2, words: 1, takes: shape | starts, counts: ofParagraphs,
		says: []string{"The first letters of the paragraphs, in order, spell %w, and there are no other paragraphs.", "There is one paragraph for each letter of %w, in that order, and each starts with its letter, small or capital."},
		draw: oneOf(acrostics, 1, 1),
		check: func(r rule, p *prose) string {
			for i := range min(len(p.paragraphs), len(r.Words[0])) {
				if words := readProse(p.paragraphs[i]).lower; len(words) == 0 || !startsWith(words[0], r.Words[0][i]) {
					return fmt.Sprintf("paragraph %d does not start with %q", i+1, r.Words[0][i:i+1])
				}
			}
			return differs("paragraphs", len(p.paragraphs), len(r.Words[0]))
		},
		plan: func(r rule, d *draft) { d.paragraphs, d.paragraphInitials = len(r.Words[0]), r.Words[0] },
	},
	{
		name: "acrostic_sentences", tier: 2, words: 1, takes: sentenceCount | starts, counts: ofSentences,
		says: []string{"The first letters of the sentences, in order, spell %w, and there are no other sentences.", "There is one sentence for each letter of %w, in that order, and each starts with its letter, small or capital."},
		draw: oneOf(acrostics, 1, 1),
		check: func(r rule, p *prose) string {
			for i := range min(len(p.sentences), len(r.Words[0])) {
				if !startsWith(p.sentences[i].first(), r.Words[0][i]) {
					return fmt.Sprintf("sentence %d does not start with %q", i+1, r.Words[0][i:i+1])
				}
			}
			return differs("sentences", len(p.sentences), len(r.Words[0]))
		},
		plan: func(r rule, d *draft) {
			d.count = len(r.Words[0])
			for i := range d.count {
				d.initials[i] = r.Words[0][i]
			}
		},
	},
	{
		name: "first_of_paragraph", tier: 1, words: 1, takes: shape | starts, counts: ofParagraphs,
		says: []string{"There are %n paragraphs, and number %m starts with the word %w.", "Write %n paragraphs, the one with number %m beginning with the word %w."},
		draw: func(r *rng.Rand) rule {
			n := r.Between(2, 5)
			return rule{N: n, M: r.Between(1, n), Words: []string{rng.Pick(r, starters)}}
		},
		check: func(r rule, p *prose) string {
			if why := differs("paragraphs", len(p.paragraphs), r.N); why != "" || r.M < 1 || r.M > r.N {
				return why
			}
			if words := readProse(p.paragraphs[r.M-1]).lower; len(words) == 0 || words[0] != r.Words[0] {
				return fmt.Sprintf("paragraph %d does not start with %q", r.M, r.Words[0])
			}
			return ""
		},
		plan: func(r rule, d *draft) { d.paragraphs, d.paragraphFirsts = r.N, map[int]string{r.M - 1: r.Words[0]} },
	},
	{
		name: "start_alike", tier: 1, words: 1, takes: starts, refuses: head, counts: ofSentences,
		says: []string{"Every sentence starts with the word %w.", "Let each sentence begin with the word %w."},
		draw: oneOf(starters, 1, 1),
		check: func(r rule, p *prose) string {
			return eachSentence(p, func(i int) string { return wordFault(p.sentences[i].first(), r.Words[0], "start") })
		},
		plan: func(r rule, d *draft) { d.opening = r.Words[0] },
	},
	{
		name: "end_alike", tier: 2, words: 1, takes: ends, counts: ofSentences,
		says: []string{"The last word of every sentence is %w.", "Let each sentence end with the word %w."},
		draw: oneOf(enders, 1, 1),
		check: func(r rule, p *prose) string {
			return eachSentence(p, func(i int) string { return wordFault(p.sentences[i].last(), r.Words[0], "end") })
		},
		plan: func(r rule, d *draft) { d.closing = r.Words[0] },
	},
	{
		name: "different_starts", tier: 2, takes: starts, counts: ofSentences,
		says: []string{"There are at least %n sentences, and no two of them start with the same letter.", "Write %n or more sentences, each of which starts with another letter than all the rest."},
		draw: numbers(4, 8),
		check: func(r rule, p *prose) string {
			seen := map[byte]bool{}
			for _, s := range p.sentences {
				if c := s.first()[0]; seen[c] {
					return fmt.Sprintf("two sentences start with %q", s.first()[:1])
				}
				seen[s.first()[0]] = true
			}
			return tooFew("sentences", len(p.sentences), r.N)
		},
		plan: func(r rule, d *draft) { d.fewest = max(d.fewest, r.N) },
		step: func(_ rule, d *draft, word string) bool {
			return d.at > 0 || strings.IndexByte(d.began, word[0]) < 0
		},
	},
	{
		name: "rising_starts", tier: 3, takes: starts, counts: ofSentences,
		says: []string{"There are at least %n sentences, and the first letter of each comes later in the alphabet than that of the sentence before.", "Write %n or more sentences whose first letters stand in alphabetical order, none of them twice."},
		draw: numbers(4, 7),
		check: func(r rule, p *prose) string {
			for i := 1; i < len(p.sentences); i++ {
				if p.sentences[i].first()[0] <= p.sentences[i-1].first()[0] {
					return fmt.Sprintf("the first letter of sentence %d does not come after that of the one before", i+1)
				}
			}
			return tooFew("sentences", len(p.sentences), r.N)
		},
		plan: func(r rule, d *draft) { d.fewest = max(d.fewest, r.N) },
		step: func(_ rule, d *draft, word string) bool {
			return d.at > 0 || d.began == "" || word[0] > d.began[len(d.began)-1] && word[0] <= d.began[len(d.began)-1]+4
		},
	},
	{
		name: "chain_letters", tier: 3, takes: starts, counts: ofSentences,
		says: []string{"There are at least %n sentences, and each of them but the first starts with the letter that ends the sentence before it.", "Write %n or more sentences. The last letter of each is the first letter of the next one, small or capital."},
		draw: numbers(4, 7),
		check: func(r rule, p *prose) string {
			for i := 1; i < len(p.sentences); i++ {
				if last := p.sentences[i-1].last(); p.sentences[i].first()[0] != last[len(last)-1] {
					return fmt.Sprintf("sentence %d does not start with the last letter of the one before", i+1)
				}
			}
			return tooFew("sentences", len(p.sentences), r.N)
		},
		plan: func(r rule, d *draft) { d.fewest = max(d.fewest, r.N) },
		step: func(_ rule, d *draft, word string) bool {
			last := d.last()
			return d.at > 0 || last == "" || word[0] == last[len(last)-1]
		},
	},
	{
		name: "chain_words", tier: 3, takes: starts, counts: ofSentences,
		says: []string{"There are at least %n sentences, and each of them but the first starts with the last word of the sentence before it.", "Write %n or more sentences. The word that ends a sentence is also the first word of the next one."},
		draw: numbers(4, 7),
		check: func(r rule, p *prose) string {
			for i := 1; i < len(p.sentences); i++ {
				if p.sentences[i].first() != p.sentences[i-1].last() {
					return fmt.Sprintf("sentence %d does not start with the last word of the one before", i+1)
				}
			}
			return tooFew("sentences", len(p.sentences), r.N)
		},
		plan: func(r rule, d *draft) { d.fewest, d.chained = max(d.fewest, r.N), true },
	},
	{
		name: "frame", tier: 2, words: 1, takes: ends, refuses: head | tail | starts, counts: ofWords,
		says: []string{"The first and the last word of the text are both %w.", "Begin and end the text with the same word: %w"},
		draw: oneOf(frequented, 1, 1),
		check: func(r rule, p *prose) string {
			return firstFault(wordFault(p.lower[0], r.Words[0], "start"), wordFault(p.lower[len(p.lower)-1], r.Words[0], "end"))
		},
		plan: func(r rule, d *draft) { d.firsts[0], d.final = r.Words[0], r.Words[0] },
	},
	{
		name: "alternate_marks", tier: 2, takes: marks, counts: ofSentences,
		says: []string{"There are at least %n sentences, which end in turn with a full stop and an exclamation mark; the first ends with a full stop.", "Write %n or more sentences: the first, third, fifth and so on end with \".\", the others with \"!\"."},
		draw: numbers(3, 7),
		check: func(r rule, p *prose) string {
			for i, s := range p.sentences {
				if s.mark != ".!"[i%2] {
					return fmt.Sprintf("sentence %d does not end with %q", i+1, ".!"[i%2:i%2+1])
				}
			}
			return tooFew("sentences", len(p.sentences), r.N)
		},
		plan: func(r rule, d *draft) {
			d.fewest, d.mark = max(d.fewest, r.N), func(i int) string { return ".!"[i%2 : i%2+1] }
		},
	},
	{
		name: "question_count", tier: 1, takes: marks, counts: ofSentences,
		says: []string{"Exactly %n sentences end with a question mark.", "The text has exactly %n questions, each of which ends with a question mark."},
		draw: numbers(2, 4),
		check: func(r rule, p *prose) string {
			n := 0
			for _, s := range p.sentences {
				if s.mark == '?' {
					n++
				}
			}
			return differs("questions", n, r.N)
		},
		plan: func(r rule, d *draft) {
			d.fewest, d.mark = max(d.fewest, r.N), func(i int) string { return map[bool]string{true: "?", false: "."}[i < r.N] }
		},
	},
	{
		name: "growing_words", tier: 3, takes: order, refuses: sentenceWords, counts: ofWords | ofSentences,
		says: []string{"Within every sentence, no word is shorter than the word before it.", "In each sentence, words never get shorter from left to right."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			return eachPair(p, func(before, word string) bool { return letters(word) >= letters(before) }, "is shorter than the word before it")
		},
		plan: func(_ rule, d *draft) { d.length, d.late = func(i int) int { return 5 + i%2 }, true },
		step: func(_ rule, d *draft, word string) bool { return d.at == 0 || letters(word) >= letters(d.last()) },
		likes: func(_ rule, d *draft, word string) bool {
			return d.at == 0 && len(word) < 4 || d.at > 0 && len(word) <= len(d.last())+1
		},
	},
	{
		name: "alternate_lengths", tier: 3, takes: order, counts: ofWords | ofSentences,
		says: []string{"Within every sentence, words with an odd and an even number of letters alternate.", "In each sentence, of any two words next to each other one has an odd number of letters and the other an even number."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			return eachPair(p, func(before, word string) bool { return letters(word)%2 != letters(before)%2 }, "and the word before it have both an odd or both an even number of letters")
		},
		step: func(_ rule, d *draft, word string) bool { return d.at == 0 || letters(word)%2 != letters(d.last())%2 },
	},
	{
		name: "alternate_initials", tier: 3, takes: order, counts: ofWords | ofSentences,
		says: []string{"Within every sentence, words that start with a vowel (a, e, i, o or u) and words that do not alternate.", "In each sentence, of any two words next to each other exactly one starts with a, e, i, o or u."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			return eachPair(p, func(before, word string) bool { return isVowel(before[0]) != isVowel(word[0]) }, "and the word before it both start with a vowel, or neither does")
		},
		step: func(_ rule, d *draft, word string) bool { return d.at == 0 || isVowel(word[0]) != isVowel(d.last()[0]) },
	},
}

// eachSentence returns the first fault of a sentence, by its index.
func eachSentence(p *prose, fault func(i int) string) string {
	for i := range p.sentences {
		if why := fault(i); why != "" {
			return fmt.Sprintf("sentence %d %s", i+1, why)
		}
	}
	return ""
}

// lengthFault says that sentence i has another number of words.
func lengthFault(p *prose, i, want int) string {
	if n := len(p.sentences[i].words); n != want {
		return fmt.Sprintf("has %d words, want %d", n, want)
	}
	return ""
}

// wordFault says that a word is not as wanted.
func wordFault(word, want, verb string) string {
	if word == want {
		return ""
	}
	return "does not " + verb + " with " + strconv.Quote(want)
}

// firstFault returns the first fault of a text.
func firstFault(faults ...string) string {
	for _, why := range faults {
		if why != "" {
			return "the text " + why
		}
	}
	return ""
}

// eachPair names the first word that may not follow the word before it in its sentence.
func eachPair(p *prose, fits func(before, word string) bool, fault string) string {
	for _, s := range p.sentences {
		for i := 1; i < len(s.words); i++ {
			if !fits(s.words[i-1], s.words[i]) {
				return fmt.Sprintf("%q %s", s.words[i], fault)
			}
		}
	}
	return ""
}
