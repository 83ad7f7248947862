package instructions

import (
	"slices"
	"strings"
)

// A class of words.
type class int

const (
	adjective class = iota
	noun
	verb
	preposition
)

// classWords returns the words of a class.
func classWords(c class) []string {
	switch c {
	case adjective:
		return adjectives
	case noun:
		return nouns
	case verb:
		return verbs
	}
	return prepositions
}

// pattern returns the classes of a sentence of n words, such as: old gardens rest near quiet
// rivers.
func pattern(n int) []class {
	list := make([]class, 0, n+2)
	if n%2 == 1 && n > 1 {
		list = append(list, adjective)
	}
	list = append(list, noun, verb)
	for len(list) < n {
		if n-len(list) >= 6 {
			list = append(list, preposition, adjective, noun, preposition, adjective, noun)
			continue
		}
		list = append(list, preposition, noun)
	}
	return list[:n]
}

// sentence chooses the words of sentence i. It returns nil if it finds none.
func (d *draft) sentence(i, n int, begins map[int]int, last bool) []string {
	first, final := d.fixed(i, begins), d.closing
	if last && d.final != "" {
		final = d.final
	}
	classes := pattern(n - min(n, countOf(first)+countOf(final)))
	if first != "" {
		classes = append([]class{noun}, classes...)
	}
	if final != "" {
		classes = append(classes, noun)
	}
	begun := len(d.said)
	d.of = len(classes)
	for d.at = 0; d.at < d.of; d.at++ {
		word := d.forced[len(d.said)+len(strings.Fields(d.openingText))]
		switch {
		case word != "":
		case d.at == 0 && first != "":
			word = first
		case d.at == d.of-1 && final != "":
			word = final
		default:
			word = d.choose(classes[d.at], d.letterFor(i, begins))
		}
		if word == "" {
			return nil
		}
		d.say(word)
	}
	return d.said[begun:len(d.said):len(d.said)]
}

// countOf returns how many words a word is: none if it is empty.
func countOf(word string) int {
	if word == "" {
		return 0
	}
	return 1
}

// fixed returns the first word of sentence i, if a rule gives it.
func (d *draft) fixed(i int, begins map[int]int) string {
	if word := d.firsts[i]; word != "" {
		return word
	}
	if paragraph, ok := begins[i]; ok && d.paragraphFirsts[paragraph] != "" {
		return d.paragraphFirsts[paragraph]
	}
	if d.chained && i > 0 {
		return d.last()
	}
	return d.opening
}

// letterFor returns the letter that the next word must start with, or 0.
func (d *draft) letterFor(i int, begins map[int]int) byte {
	if d.at > 0 {
		return 0
	}
	if paragraph, ok := begins[i]; ok && paragraph < len(d.paragraphInitials) {
		return d.paragraphInitials[paragraph]
	}
	return d.initials[i]
}

// say adds a word.
func (d *draft) say(word string) {
	if d.at == 0 {
		d.began += word[:1]
	}
	d.said = append(d.said, word)
	d.counts[word]++
}

// choose returns the next word: one that must occur, or one of the class, or any other.
func (d *draft) choose(c class, letter byte) string {
	const subject = 1 // the last place of the noun that a verb follows: words of must have no plural
	if c == noun && (d.at > subject || d.of <= subject+2) && (!d.late || d.at == d.of-1) {
		for i, word := range d.must {
			if early := word == d.second && slices.Contains(d.must, d.first); !early && (letter == 0 || word[0] == letter) && d.next(word) {
				d.must = append(d.must[:i:i], d.must[i+1:]...)
				return word
			}
		}
	}
	if word := d.pick(classWords(c), letter); word != "" {
		return word
	}
	return d.pick(everyWord, letter)
}

// pick returns the next fitting word of a list, and of the first few the most welcome one.
func (d *draft) pick(list []string, letter byte) (best string) {
	const step, enough = 37, 8
	d.turn += step
	liked, seen := -1, 0
	for i := range list {
		word := list[(i+d.turn)%len(list)]
		if letter != 0 && word[0] != letter || d.closed[word] || word == d.last() || !d.next(word) {
			continue
		}
		if n := d.likes(word); n > liked {
			best, liked = word, n
		}
		if seen++; liked == d.likers || seen > enough && liked > 0 || seen > 3*enough {
			break
		}
	}
	return best
}

// dress writes the words of a sentence, with the signs that rules ask for.
func (d *draft) dress(words []string) string {
	const apart = 2 // words from one dressed word to the next
	dressed := make([]string, len(words))
	for i, word := range words {
		if i == 0 || d.titled {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		switch {
		case i > 0 && i < len(words)-1 && i%apart == 1 && len(d.wraps) > 0:
			word = d.wraps[0].open + word + d.wraps[0].shut
			d.wraps = d.wraps[1:]
		case i > 0 && d.capitals > 0 && letters(word) > 1 && word[0] >= 'a':
			word = strings.ToUpper(word)
			d.capitals--
		}
		dressed[i] = word
	}
	return strings.Join(dressed, " ")
}
