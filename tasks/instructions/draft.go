package instructions

import (
	"strings"
)

// A draft is a text of our own in the making: first the plan that the rules make together,
// then the words. What it writes must still be checked against the rules.
type draft struct {
	rules []obeyed

	least, most, extra int // words: of the whole text, and how many stand outside the sentences
	multiple           int // of words; 0: any number
	count, fewest      int // sentences; 0: any number
	paragraphs         int
	length             func(sentence int) int // words of a sentence; nil: any number

	firsts                   map[int]string // first words of sentences
	initials                 map[int]byte   // first letters of sentences
	paragraphFirsts          map[int]string
	paragraphInitials        string
	opening, closing, final  string         // first and last word of every sentence, and last of the text
	forced                   map[int]string // words by their number in the text
	must                     []string       // words still to be used, in this order if possible
	first, second            string         // words of must, to be used in this order
	closed                   map[string]bool
	late, chained, titled    bool // words of must at the ends of sentences; sentences linked by words; capital initials
	capitals                 int  // words to be written in capitals
	wraps                    []wrap
	mark                     func(sentence int) string
	heading                  func(paragraph int) string
	layout                   func(sentences []string) string
	finish                   []func(string) string
	openingText, closingText string

	likers int      // rules that welcome words
	turn   int      // moves on with each word, so that texts vary
	said   []string // all words so far
	counts map[string]int
	at, of int    // place in the sentence, and its length
	began  string // the first letters of the sentences
}

// An obeyed rule is a rule with its kind.
type obeyed struct {
	rule rule
	*kind
}

// A wrap is what stands around a word.
type wrap struct{ open, shut string }

// wrap plans n words with signs around them.
func (d *draft) wrap(n int, open, shut string) {
	for range n {
		d.wraps = append(d.wraps, wrap{open, shut})
	}
}

// close leaves words to must.
func (d *draft) close(words []string) {
	for _, word := range words {
		d.closed[word] = true
	}
}

// last returns the last word so far, or "".
func (d *draft) last() string {
	if len(d.said) == 0 {
		return ""
	}
	return d.said[len(d.said)-1]
}

// before puts a text in front of all.
func (d *draft) before(text, space string) {
	d.openingText = text + space
	d.extra += len(strings.Fields(text))
}

// after puts a text behind all.
func (d *draft) after(text, space string) {
	d.closingText = space + text
	d.extra += len(strings.Fields(text))
}

// any returns some word that may occur, for a title or a postscript.
func (d *draft) any() string {
	for range everyWord {
		d.turn += 11
		if word := nouns[d.turn%len(nouns)]; d.may(word) {
			return word
		}
	}
	return "none"
}

// may reports whether a word may occur at all.
func (d *draft) may(word string) bool {
	for _, r := range d.rules {
		if r.word != nil && !r.word(r.rule, word) {
			return false
		}
	}
	return true
}

// next reports whether a word may come next.
func (d *draft) next(word string) bool {
	if !d.may(word) {
		return false
	}
	for _, r := range d.rules {
		if r.step != nil && !r.step(r.rule, d, word) {
			return false
		}
	}
	return true
}

// likes counts the rules to which a word is welcome.
func (d *draft) likes(word string) (n int) {
	for _, r := range d.rules {
		if r.kind.likes != nil && r.kind.likes(r.rule, d, word) {
			n++
		}
	}
	return n
}

// write makes the text, or returns "" if the rules leave no way that it can find.
func (d *draft) write() string {
	lengths := d.lengths()
	begins := d.begins(len(lengths))
	var sentences []string
	for i, n := range lengths {
		words := d.sentence(i, n, begins, i == len(lengths)-1)
		if words == nil {
			return ""
		}
		sentences = append(sentences, d.dress(words)+d.mark(i))
	}
	if len(d.must) > 0 || len(d.wraps) > 0 || d.capitals > 0 {
		return ""
	}
	text := d.openingText + d.lay(sentences, begins) + d.closingText
	for _, change := range d.finish {
		text = change(text)
	}
	return text
}

// lay puts the sentences into paragraphs, or into the layout of a rule.
func (d *draft) lay(sentences []string, begins map[int]int) string {
	if d.layout != nil {
		return d.layout(sentences)
	}
	var b strings.Builder
	for i, text := range sentences {
		paragraph, ok := begins[i]
		switch {
		case ok && i > 0:
			b.WriteString("\n\n")
		case i > 0:
			b.WriteString(" ")
		}
		if ok && d.heading != nil {
			b.WriteString(d.heading(paragraph))
		}
		b.WriteString(text)
	}
	return b.String()
}

// begins returns the sentences that begin paragraphs, with the numbers of these.
func (d *draft) begins(sentences int) map[int]int {
	first := map[int]int{}
	for p := range d.paragraphs {
		first[p*sentences/d.paragraphs] = p
	}
	return first
}

// lengths returns the number of words of each sentence.
func (d *draft) lengths() []int {
	const usual = 7
	total := (d.least + d.most) / 2
	if d.multiple > 0 {
		total -= total % d.multiple
	}
	total -= d.extra
	n := d.count
	if n == 0 && d.length == nil {
		n = total / usual
	}
	if n == 0 {
		for sum := 0; sum < total-usual/2; n++ {
			sum += d.length(n)
		}
	}
	if d.count == 0 {
		n = max(n, d.fewest, d.paragraphs, 1)
	}
	lengths := make([]int, n)
	for i := range lengths {
		if d.length != nil {
			lengths[i] = d.length(i)
		} else {
			lengths[i] = max(1, (i+1)*total/n-i*total/n)
		}
	}
	return lengths
}
