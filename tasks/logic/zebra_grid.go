package logic

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// zebraMost limits both the people and the characteristics of a puzzle.
const zebraMost = 7

// A zebraThing is a value of a characteristic, both counted from 0. Characteristic 0 is
// the name.
type zebraThing [2]int

// index returns the index of a thing in a [zebraDomains].
func (t zebraThing) index() int { return t[0]*zebraMost + t[1] }

// A zebraKind is the kind of a clue.
type zebraKind string

// The kinds of clue. Houses are counted from 0 in clues, and from 1 in texts.
const (
	zebraSame    zebraKind = "same"     // A and B belong to one person
	zebraNotSame zebraKind = "not_same" // they belong to two
	zebraAt      zebraKind = "at"       // A is in the house
	zebraNotAt   zebraKind = "not_at"   // A is not in the house
	zebraLeft    zebraKind = "left"     // A is directly to the left of B
	zebraNext    zebraKind = "next"     // A and B are neighbors
	zebraBefore  zebraKind = "before"   // A is somewhere to the left of B
	zebraGap     zebraKind = "gap"      // exactly one house is between A and B
)

// zebraKinds are the kinds; harder puzzles have more of the later ones.
var zebraKinds = []zebraKind{zebraSame, zebraAt, zebraLeft, zebraNext, zebraNotSame, zebraBefore, zebraGap, zebraNotAt}

// A zebraClue is one clue.
type zebraClue struct {
	Kind  zebraKind  `json:"kind"`
	A     zebraThing `json:"a"`
	B     zebraThing `json:"b"`               // [0,0] for clues about a house
	House int        `json:"house,omitempty"` // for clues about a house
}

// unary reports whether the clue is about a house.
func (c zebraClue) unary() bool { return c.Kind == zebraAt || c.Kind == zebraNotAt }

// fits reports whether the clue is true with A in house a and B in house b.
func (c zebraClue) fits(a, b int) bool {
	switch c.Kind {
	case zebraSame:
		return a == b
	case zebraNotSame:
		return a != b
	case zebraAt:
		return a == c.House
	case zebraNotAt:
		return a != c.House
	case zebraLeft:
		return a+1 == b
	case zebraNext:
		return a+1 == b || b+1 == a
	case zebraBefore:
		return a < b
	case zebraGap:
		return a+2 == b || b+2 == a
	}
	return false
}

// A zebraRule is a clue for the solver, with the indexes of its things in [zebraDomains].
type zebraRule struct {
	op    uint8 // of zebraOps
	a, b  uint8
	house uint8 // as a bit
}

// The kinds of clue as numbers.
const (
	opSame = iota
	opNotSame
	opAt
	opNotAt
	opLeft
	opNext
	opBefore
	opGap
)

var zebraOps = []zebraKind{opSame: zebraSame, opNotSame: zebraNotSame, opAt: zebraAt, opNotAt: zebraNotAt, opLeft: zebraLeft, opNext: zebraNext, opBefore: zebraBefore, opGap: zebraGap}

// rule returns the clue as a rule.
func (c zebraClue) rule() zebraRule {
	return zebraRule{uint8(slices.Index(zebraOps, c.Kind)), uint8(c.A.index()), uint8(c.B.index()), 1 << c.House}
}

// images returns the possible houses of B, as bits, if A is in one of the houses of a. All
// relations are shifts.
func (c zebraRule) images(a uint8) uint8 {
	switch c.op {
	case opSame:
		return a
	case opNotSame:
		if a&(a-1) == 0 {
			return ^a
		}
		return ^uint8(0)
	case opLeft:
		return a << 1
	case opNext:
		return a<<1 | a>>1
	case opBefore:
		return ^uint8(0) << (bits.TrailingZeros8(a) + 1)
	}
	return a<<2 | a>>2
}

// origins is the inverse of images: the possible houses of A.
func (c zebraRule) origins(b uint8) uint8 {
	switch c.op {
	case opLeft:
		return b >> 1
	case opBefore:
		return 1<<(bits.Len8(b)-1) - 1
	}
	return c.images(b)
}

// zebraDomains are the houses, as bits, where each thing may still be.
type zebraDomains [zebraMost * zebraMost]uint8

// A zebraSolver proves that clues leave one arrangement.
type zebraSolver struct {
	people, traits int
	clues          []zebraClue
	rules          []zebraRule // from the clues
	skip           int         // index of a rule to ignore; -1: none
	nodes          int         // nodes left for the search
}

// unique reports whether the search proves that exactly one arrangement fits. To bound the
// cost, it gives up after a few nodes.
func (s *zebraSolver) unique() bool {
	const most = 12
	s.nodes = most
	var d zebraDomains
	for t := range s.traits {
		for v := range s.people {
			d[t*zebraMost+v] = 1<<s.people - 1
		}
	}
	return s.search(&d, 2) == 1 && s.nodes >= 0
}

// search counts the arrangements within d, up to most, while nodes are left.
func (s *zebraSolver) search(d *zebraDomains, most int) (found int) {
	if s.nodes--; s.nodes < 0 || !s.propagate(d) {
		return 0
	}
	at, fewest := -1, zebraMost+1
	for t := range s.traits {
		for v := range s.people {
			if n := bits.OnesCount8(d[t*zebraMost+v]); n > 1 && n < fewest {
				at, fewest = t*zebraMost+v, n
			}
		}
	}
	if at < 0 {
		return 1
	}
	for left := d[at]; left != 0 && found < most && s.nodes >= 0; left &= left - 1 {
		next := *d
		next[at] = left & -left
		found += s.search(&next, most-found)
	}
	return found
}

// propagate removes impossible houses until nothing changes. It reports false if nothing
// fits.
func (s *zebraSolver) propagate(d *zebraDomains) bool {
	for {
		before := *d
		for i, c := range s.rules {
			if i != s.skip && !c.apply(&d[c.a], &d[c.b]) {
				return false
			}
		}
		for t := range s.traits {
			if !s.allDifferent(d[t*zebraMost:][:s.people]) {
				return false
			}
		}
		if *d == before {
			return true
		}
	}
}

// apply removes the houses of a and b that break the rule. It reports false if none is
// left.
func (c zebraRule) apply(a, b *uint8) bool {
	switch c.op {
	case opAt:
		*a &= c.house
	case opNotAt:
		*a &^= c.house
	default:
		if *b &= c.images(*a); *b == 0 {
			return false
		}
		*a &= c.origins(*b)
	}
	return *a != 0
}

// allDifferent removes houses by the rule that the things of a characteristic are in
// different houses.
func (s *zebraSolver) allDifferent(d []uint8) bool {
	var fixed, once, twice uint8
	for _, m := range d {
		if m&(m-1) == 0 {
			if m&fixed != 0 {
				return false
			}
			fixed |= m
		}
	}
	for i, m := range d {
		if m&(m-1) != 0 {
			m &^= fixed
			d[i] = m
		}
		if m == 0 {
			return false
		}
		twice |= once & m
		once |= m
	}
	if once != 1<<s.people-1 {
		return false
	}
	for i, m := range d {
		if only := m & (once &^ twice); only != 0 {
			d[i] = only
			if only&(only-1) != 0 {
				return false
			}
		}
	}
	return true
}

// A zebraPlan is the house of each thing, by characteristic and value.
type zebraPlan [][]int

// house returns the house of a thing.
func (p zebraPlan) house(t zebraThing) int { return p[t[0]][t[1]] }

// in returns the value of a characteristic in a house.
func (p zebraPlan) in(trait, house int) zebraThing {
	return zebraThing{trait, slices.Index(p[trait], house)}
}

// check refuses a plan unless each characteristic has each house once.
func (p zebraPlan) check() error {
	if len(p) < 2 || len(p) > zebraMost || len(p[0]) < 2 || len(p[0]) > zebraMost {
		return errors.New("houses has too few or too many characteristics or values")
	}
	for _, row := range p {
		sorted := slices.Sorted(slices.Values(row))
		for i, house := range sorted {
			if house != i || len(row) != len(p[0]) {
				return fmt.Errorf("houses has %v, want 0 to %d in some order", row, len(p[0])-1)
			}
		}
	}
	return nil
}

// drawClue draws a true clue of a kind; ok is false if it found none.
func (p zebraPlan) drawClue(kind zebraKind, r *rng.Rand) (c zebraClue, ok bool) {
	traits, people := len(p), len(p[0])
	thing := func() zebraThing { return zebraThing{r.Between(0, traits-1), r.Between(0, people-1)} }
	const tries = 20
	for range tries {
		c = zebraClue{Kind: kind, A: thing()}
		if c.unary() {
			c.House = p.house(c.A)
			if kind == zebraNotAt {
				c.House = r.Between(0, people-1)
			}
		} else if c.B = thing(); kind == zebraSame {
			c.B = p.in(c.B[0], p.house(c.A))
		}
		if c.told(p) {
			return c, true
		}
	}
	return c, false
}

// told reports whether a clue is true of the plan and not empty.
func (c zebraClue) told(p zebraPlan) bool {
	if c.unary() {
		return c.fits(p.house(c.A), 0)
	}
	if (c.Kind == zebraSame || c.Kind == zebraNotSame) && c.A[0] == c.B[0] {
		return false
	}
	return c.A != c.B && c.fits(p.house(c.A), p.house(c.B))
}

// clues draws clues until one arrangement is left, and removes the redundant ones.
func (p zebraPlan) clues(r *rng.Rand) ([]zebraClue, error) {
	people := len(p[0])
	s := zebraSolver{people: people, traits: len(p), skip: -1}
	const most = 600
	for next := people; len(s.clues) < most; {
		kind := zebraKinds[min(r.Between(0, len(zebraKinds)-1), r.Between(1, people+1))]
		clue, ok := p.drawClue(kind, r)
		if !ok || slices.Contains(s.clues, clue) {
			continue
		}
		s.clues, s.rules = append(s.clues, clue), append(s.rules, clue.rule())
		if len(s.clues) < next {
			continue
		}
		if s.unique() {
			s.minimize()
			rng.Shuffle(r, s.clues)
			return s.clues, nil
		}
		next += 1 + next/8
	}
	return nil, fmt.Errorf("%d clues leave more than one arrangement", most)
}

// minimize removes each clue that the proof of one arrangement does not need.
func (s *zebraSolver) minimize() {
	for i := len(s.clues) - 1; i >= 0; i-- {
		if s.skip = i; s.unique() {
			s.clues, s.rules = slices.Delete(s.clues, i, i+1), slices.Delete(s.rules, i, i+1)
		}
	}
	s.skip = -1
}
