// Package pattern matches the regular expressions by which tokenizers split text, in the
// syntax of Oniguruma and exactly as it does: characters, classes, groups, alternatives, and
// a look ahead at one character; groups are not repeated. What it does not know it refuses.
//
// It also holds the sets of characters of which those are made, in the edition of Unicode
// that Oniguruma knows.
package pattern

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// A Pattern is a regular expression, matched as Oniguruma does: the first alternative that
// fits wins, and repeats take as much as they can. It is made by [Parse] and safe for
// concurrent use.
//
// It is a graph of nodes over sets of characters. For each character, a word of bits says
// in which of the sets it is.
type Pattern struct {
	text   string
	start  *node
	sets   []Set
	ascii  [utf8.RuneSelf]uint32
	pages  [(utf8.MaxRune + 1) >> pageBits]atomic.Pointer[page] // made when they are first needed
	firsts [utf8.RuneSelf]uint32                                // which branches of start an ASCII character may begin
}

const (
	pageBits = 8
	maxSets  = 32 // bits of a word
)

// A page is the words of neighbouring characters.
type page [1 << pageBits]uint32

// A node is a part of a pattern, followed by next; nil is the end, which always fits. A
// node with branches is the first of them that fits, each of which leads on to next by
// itself. A node that looks wants the next character to be in the set, or not to be. Any
// other is from least to most characters of the set.
type node struct {
	next     *node
	branches []*node
	look     bool
	not      bool
	bit      uint32 // of the set
	least    int
	most     int
	retry    bool // fewer characters may fit where most do not
	facts    *facts
}

// facts are about the matches of a node and all after it.
type facts struct {
	first   Set  // with what they may begin; it may hold more
	mayFail bool // there is not always one
	empty   bool // it may be empty
}

const endless = math.MaxInt

// A matcher matches a pattern in one text.
type matcher struct {
	*Pattern
	text  string
	steps int // left until it gives up
}

// Find calls visit with the start and the end of each match in text, in order; text is valid
// UTF-8. Matches are not empty and do not overlap. Find gives up with an error if it takes
// far more steps than text has bytes, which does not happen with the patterns of known
// models.
func (p *Pattern) Find(text string, visit func(start, end int)) error {
	m := matcher{Pattern: p, text: text, steps: 256*len(text) + 1<<16}
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

// at returns the end of the match at i; -1 if there is none.
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

// match returns the end of what n and all after it match at i; -1 if they do not. It calls
// itself at most as deep as the pattern is long.
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

// shrink matches what comes after n, which took count characters until end or fewer.
func (m *matcher) shrink(n *node, end, count int) int {
	for ; ; count-- {
		if found := m.match(n.next, end); found >= 0 || count == n.least || m.steps < 0 {
			return found
		}
		_, width := utf8.DecodeLastRuneInString(m.text[:end])
		end -= width
	}
}

// in reports whether the character at i is in a set. There is none at the end.
func (m *matcher) in(i int, bit uint32) bool {
	if i == len(m.text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(m.text[i:])
	return m.word(r)&bit != 0
}

// word tells in which sets r is.
func (p *Pattern) word(r rune) uint32 {
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
func (p *Pattern) compute(r rune) (word uint32) {
	for i, set := range p.sets {
		if set.Has(r) {
			word |= 1 << i
		}
	}
	return word
}

// finish prepares a parsed pattern for use.
func (p *Pattern) finish() {
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

// settle decides for n and all after it where fewer characters may fit if most do not: not
// if what comes next always fits, nor if it cannot begin with what would be given back.
func (p *Pattern) settle(n *node) {
	if n == nil || n.facts != nil {
		return
	}
	n.facts = new(facts) // so that it is settled once
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
func (p *Pattern) about(n *node) facts {
	if n == nil {
		return facts{empty: true}
	}
	return *n.facts
}

// work works out the facts about n from those about the nodes after it.
func (p *Pattern) work(n *node) facts {
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
		return facts{Set{0, utf8.MaxRune}, true, next.empty}
	case n.least > 0:
		return facts{p.set(n), true, false}
	}
	return facts{next.first.Or(p.set(n)), next.mayFail, next.empty}
}

// set is the set of a node.
func (p *Pattern) set(n *node) Set { return p.sets[bits.TrailingZeros32(n.bit)] }

// bit is the bit of a set, which is added if it is new; 0 if there are too many.
func (p *Pattern) bit(set Set) uint32 {
	i := slices.IndexFunc(p.sets, func(s Set) bool { return slices.Equal(s, set) })
	if i < 0 {
		if len(p.sets) == maxSets {
			return 0
		}
		i = len(p.sets)
		p.sets = append(p.sets, set)
	}
	return 1 << i
}

// WordsAndSigns is \w+|[^\w\s]+ with the \w of [Words].
func WordsAndSigns() *Pattern {
	p := &Pattern{text: "words and signs"}
	p.start = &node{branches: []*node{
		{bit: p.bit(Words()), least: 1, most: endless},
		{bit: p.bit(Words().Or(spaces()).Not()), least: 1, most: endless},
	}}
	p.finish()
	return p
}
