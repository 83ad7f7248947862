package instructions

import (
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// A prose is a text as the instructions see it.
type prose struct {
	raw        string
	lines      []string // trimmed, without the empty ones
	paragraphs []string // parts between empty lines
	words      []string // without the punctuation around them
	lower      []string // the words in lower case
	sentences  []sentence
}

// A sentence ends with a full stop, an exclamation mark or a question mark, or with its line.
type sentence struct {
	words []string // in lower case
	mark  byte     // the sign at its end, 0 if there is none
}

func (s sentence) first() string { return s.words[0] }
func (s sentence) last() string  { return s.words[len(s.words)-1] }

// closers may stand after the sign that ends a sentence.
const closers = "\"')]*”’»"

// readProse divides a text into its parts.
func readProse(raw string) *prose {
	p := &prose{raw: raw}
	blank := true
	for line := range strings.Lines(raw) {
		line = answer.Trim(line)
		if line == "" {
			blank = true
			continue
		}
		p.lines = append(p.lines, line)
		if blank {
			p.paragraphs = append(p.paragraphs, line)
		} else {
			p.paragraphs[len(p.paragraphs)-1] += "\n" + line
		}
		blank = false
		p.readLine(line)
	}
	return p
}

// readLine adds the words and the sentences of a line.
func (p *prose) readLine(line string) {
	begun := len(p.words)
	end := func(mark byte) {
		if len(p.words) > begun {
			p.sentences = append(p.sentences, sentence{p.lower[begun:len(p.lower):len(p.lower)], mark})
			begun = len(p.words)
		}
	}
	for token := range strings.FieldsFuncSeq(line, separates) {
		if word := strings.TrimFunc(token, outside); word != "" {
			p.words = append(p.words, word)
			p.lower = append(p.lower, strings.ToLower(word))
		}
		token = strings.TrimRight(token, closers)
		if n := len(token); n > 0 && strings.IndexByte(".!?", token[n-1]) >= 0 {
			end(token[n-1])
		}
	}
	end(0)
}

// separates reports whether r stands between words: white space or a dash.
func separates(r rune) bool { return answer.Space(r) || r == '—' || r == '–' }

// outside reports whether r is part of a word only between letters or digits.
func outside(r rune) bool { return !unicode15.IsLetter(r) && !unicode15.IsDigit(r) }

// count returns how often a word, in lower case, occurs.
func (p *prose) count(word string) (n int) {
	for _, w := range p.lower {
		if w == word {
			n++
		}
	}
	return n
}

// place returns the index of the first such word, or -1.
func (p *prose) place(word string) int {
	for i, w := range p.lower {
		if w == word {
			return i
		}
	}
	return -1
}

// countLetter returns how often a letter from a to z occurs, in either case.
func countLetter(text string, letter byte) (n int) {
	for i := range len(text) {
		if text[i]|0x20 == letter {
			n++
		}
	}
	return n
}

// letters returns the length of a word.
func letters(word string) int { return utf8.RuneCountInString(word) }

// startsWith reports whether a word in lower case starts with a letter from a to z.
func startsWith(word string, letter byte) bool { return word != "" && word[0] == letter }

// isVowel reports whether c is one of a, e, i, o and u.
func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// enclosed counts the parts of a text between two signs, on one line and not empty. crossed
// reports a sign without its partner.
func enclosed(text string, open, shut byte) (n int, crossed bool) {
	start := -1
	for i := range len(text) {
		switch c := text[i]; {
		case start < 0 && c == open:
			start = i
		case start < 0 && c == shut, start >= 0 && c == '\n', start >= 0 && c == open && c != shut:
			return n, true
		case start >= 0 && c == shut:
			if answer.Trim(text[start+1:i]) == "" {
				return n, true
			}
			n, start = n+1, -1
		}
	}
	return n, start >= 0
}

// countNumbers counts the numbers in digits: 1,200 and 3.5 are one each.
func countNumbers(text string) (n int) {
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			continue
		}
		n++
		for i+1 < len(text) && (isDigit(text[i+1]) || strings.IndexByte(".,:", text[i+1]) >= 0 && i+2 < len(text) && isDigit(text[i+2])) {
			i++
		}
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
