package tokenizer

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// A pattern is a regular expression that matches like Oniguruma: the first alternative that
// fits wins, and repeats are greedy. [parsePattern] returns one. It is safe for concurrent use.
//
// It is a graph of nodes over sets of characters. For each character, the bits of a word
// tell which sets contain it.
type pattern struct {
	text   string
	start  *node
	sets   []runeSet
	ascii  [utf8.RuneSelf]uint32
	pages  [(utf8.MaxRune + 1) >> pageBits]atomic.Pointer[page] // built on first use
	firsts [utf8.RuneSelf]uint32                                // the branches of start that each ASCII character may begin
}

const (
	pageBits = 8
	maxSets  = 32 // bits of a word
)

// A page holds the words of adjacent characters.
type page [1 << pageBits]uint32

// A node is a part of a pattern, followed by next; nil is the end, which always fits. A node
// with branches matches the first of them that fits; each branch itself leads on to next. A
// look-ahead node wants the next character inside, or outside, the set. Any other matches
// from least to most characters of the set.
type node struct {
	next     *node
	branches []*node
	look     bool
	not      bool
	bit      uint32 // of the set
	least    int
	most     int
	retry    bool // fewer characters may fit if most do not
	facts    *facts
}

// facts describe the matches of a node and all after it.
type facts struct {
	first   runeSet // possible first characters; may hold more
	mayFail bool    // it may not match
	empty   bool    // it may match the empty text
}

const endless = math.MaxInt

// A matcher matches a pattern in one text.
type matcher struct {
	*pattern
	text  string
	steps int // left before it gives up
}

// Find calls visit with the start and the end of each match in text, in order; text must be
// valid UTF-8. Matches are not empty and do not overlap. Find fails if it takes far more
// steps than text has bytes, which the patterns of known models never do.
func (p *pattern) Find(text string, visit func(start, end int)) error {
	m := matcher{pattern: p, text: text, steps: 256*len(text) + 1<<16}
	for at := 0; at < len(text); {
		if end := m.at(at); end > at {
			visit(at, end)
			at = end
			continue
		}
		_, width := utf8.DecodeRuneInString(text[at:])
		at += width
	}
	if m.steps < 0 {
		return fmt.Errorf("pattern %q takes too long for this text of %d bytes", p.text, len(text))
	}
	return nil
}

// at returns the end of the match at i; -1: none.
func (m *matcher) at(i int) int {
	if c := m.text[i]; c < utf8.RuneSelf && m.start.branches != nil {
		for b, branches := 0, m.firsts[c]; branches != 0; b, branches = b+1, branches>>1 {
			if branches&1 == 0 {
				continue
			}
			if end := m.match(m.start.branches[b], i); end >= 0 {
				return end
			}
		}
		return -1
	}
	return m.match(m.start, i)
}

// match returns the end of the match of n and all after it at i; -1: none. Its recursion is
// at most as deep as the pattern is long.
func (m *matcher) match(n *node, i int) int {
	for ; n != nil; n = n.next {
		m.steps--
		switch {
		case m.steps < 0:
			return -1
		case n.branches != nil:
			return m.branch(n, i)
		case n.look:
			if m.in(i, n.bit) == n.not {
				return -1
			}
		default:
			end, count := m.run(n, i)
			if count < n.least {
				return -1
			}
			if n.retry && count > n.least {
				return m.shrink(n, end, count)
			}
			i = end
		}
	}
	return i
}

// branch matches the first branch of n that fits.
func (m *matcher) branch(n *node, i int) int {
	for _, b := range n.branches {
		if end := m.match(b, i); end >= 0 {
			return end
		}
	}
	return -1
}

// run returns the end and the number of the characters at i that n takes at most.
func (m *matcher) run(n *node, i int) (end, count int) {
	for end = i; count < n.most && end < len(m.text); count++ {
		if c := m.text[end]; c < utf8.RuneSelf {
			if m.ascii[c]&n.bit == 0 {
				break
			}
			end++
			continue
		}
		r, width := utf8.DecodeRuneInString(m.text[end:])
		if m.word(r)&n.bit == 0 {
			break
		}
		end += width
	}
	m.steps -= end - i
	return end, count
}

// shrink matches the nodes after n, which took count characters until end, and gives back
// characters until they fit.
func (m *matcher) shrink(n *node, end, count int) int {
	for ; ; count-- {
		if found := m.match(n.next, end); found >= 0 || count == n.least || m.steps < 0 {
			return found
		}
		_, width := utf8.DecodeLastRuneInString(m.text[:end])
		end -= width
	}
}

// in reports whether the character at i is in a set; false at the end.
func (m *matcher) in(i int, bit uint32) bool {
	if i == len(m.text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(m.text[i:])
	return m.word(r)&bit != 0
}

// word returns the sets of r, as bits.
func (p *pattern) word(r rune) uint32 {
	if r < utf8.RuneSelf {
		return p.ascii[r]
	}
	at := &p.pages[r>>pageBits]
	words := at.Load()
	if words == nil {
		words = new(page)
		for i := range words {
			words[i] = p.compute(r&^(1<<pageBits-1) + rune(i))
		}
		at.Store(words)
	}
	return words[r&(1<<pageBits-1)]
}

// compute is word without the tables.
func (p *pattern) compute(r rune) (word uint32) {
	for i, set := range p.sets {
		if set.Has(r) {
			word |= 1 << i
		}
	}
	return word
}

// finish prepares a parsed pattern for use.
func (p *pattern) finish() {
	for r := range rune(utf8.RuneSelf) {
		p.ascii[r] = p.compute(r)
	}
	p.settle(p.start)
	if p.start == nil || p.start.branches == nil || len(p.start.branches) > 32 {
		p.start = &node{branches: []*node{p.start}}
	}
	for i, b := range p.start.branches {
		about := p.about(b)
		for r := range rune(utf8.RuneSelf) {
			if !about.mayFail || about.first.Has(r) {
				p.firsts[r] |= 1 << i
			}
		}
	}
}

// settle decides, for n and all after it, whether fewer characters may fit if most do not:
// they cannot if the next node always fits, or if it cannot begin with a returned character.
func (p *pattern) settle(n *node) {
	if n == nil || n.facts != nil {
		return
	}
	n.facts = new(facts) // visit it only once
	p.settle(n.next)
	for _, b := range n.branches {
		p.settle(b)
	}
	*n.facts = p.work(n)
	if n.branches == nil && !n.look {
		next := p.about(n.next)
		n.retry = next.mayFail && len(next.first.And(p.set(n))) > 0
	}
}

// about returns the facts about a settled node.
func (p *pattern) about(n *node) facts {
	if n == nil {
		return facts{empty: true}
	}
	return *n.facts
}

// work derives the facts about n from those about the nodes after it.
func (p *pattern) work(n *node) facts {
	next := p.about(n.next)
	switch {
	case n.branches != nil:
		all := facts{mayFail: true}
		for _, b := range n.branches {
			one := p.about(b)
			all = facts{all.first.Or(one.first), all.mayFail && one.mayFail, all.empty || one.empty}
		}
		return all
	case n.look:
		return facts{runeSet{0, utf8.MaxRune}, true, next.empty}
	case n.least > 0:
		return facts{p.set(n), true, false}
	}
	return facts{next.first.Or(p.set(n)), next.mayFail, next.empty}
}

// set returns the set of a node.
func (p *pattern) set(n *node) runeSet { return p.sets[bits.TrailingZeros32(n.bit)] }

// bit returns the bit of a set and adds a new set; 0: too many.
func (p *pattern) bit(set runeSet) uint32 {
	i := slices.IndexFunc(p.sets, func(s runeSet) bool { return slices.Equal(s, set) })
	if i < 0 {
		if len(p.sets) == maxSets {
			return 0
		}
		i = len(p.sets)
		p.sets = append(p.sets, set)
	}
	return 1 << i
}

// wordsAndSigns returns \w+|[^\w\s]+ with the \w of [wordRunes].
func wordsAndSigns() *pattern {
	p := &pattern{text: "words and signs"}
	p.start = &node{branches: []*node{
		{bit: p.bit(wordRunes()), least: 1, most: endless},
		{bit: p.bit(wordRunes().Or(spaces()).Not()), least: 1, most: endless},
	}}
	p.finish()
	return p
}
