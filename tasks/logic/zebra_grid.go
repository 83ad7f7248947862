package logic

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// zebraMost is how many people and how many characteristics a puzzle has at most.
const zebraMost = 7

// A zebraThing is a value of a characteristic, both counted from 0. Characteristic 0 is
// the name.
type zebraThing [2]int

// index is the place of a thing in a [zebraDomains].
func (t zebraThing) index() int { return t[0]*zebraMost + t[1] }

// A zebraKind says what a clue tells.
type zebraKind string

// The kinds of clue. Houses are counted from 0 in clues, and from 1 in what is read.
const (
	zebraSame    zebraKind = "same"     // A and B are of one person
	zebraNotSame zebraKind = "not_same" // they are of two
	zebraAt      zebraKind = "at"       // A is in the house
	zebraNotAt   zebraKind = "not_at"   // A is in another
	zebraLeft    zebraKind = "left"     // A is directly to the left of B
	zebraNext    zebraKind = "next"     // A and B are neighbors
	zebraBefore  zebraKind = "before"   // A is somewhere to the left of B
	zebraGap     zebraKind = "gap"      // exactly one house is between A and B
)

// zebraKinds are the kinds in the order in which harder puzzles have more of them.
var zebraKinds = []zebraKind{zebraSame, zebraAt, zebraLeft, zebraNext, zebraNotSame, zebraBefore, zebraGap, zebraNotAt}

// A zebraClue is one clue.
type zebraClue struct {
	Kind  zebraKind  `json:"kind"`
	A     zebraThing `json:"a"`
	B     zebraThing `json:"b"`               // [0,0] for clues about a house
	House int        `json:"house,omitempty"` // of clues about a house
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

// A zebraRule is a clue for the solver: the places of its things in [zebraDomains].
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

// images returns where B may be if A is in one of the houses of a, as bits. All relations
// are shifts.
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

// origins is images the other way round: where A may be.
func (c zebraRule) origins(b uint8) uint8 {
	switch c.op {
	case opLeft:
		return b >> 1
	case opBefore:
		return 1<<(bits.Len8(b)-1) - 1
	}
	return c.images(b)
}

// zebraDomains are the houses, as bits, in which each thing may still be.
type zebraDomains [zebraMost * zebraMost]uint8

// A zebraSolver proves that clues leave one arrangement.
type zebraSolver struct {
	people, traits int
	clues          []zebraClue
	rules          []zebraRule // of the clues
	skip           int         // a clue that is left out; -1: none
	nodes          int         // that the search may still look at
}

// unique reports whether the search proves that exactly one arrangement fits. It gives up
// after a few nodes, so that its cost is bounded.
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

// search counts the arrangements within d, up to most, as long as there are nodes left.
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

// propagate takes away houses that cannot be, until nothing changes. It reports false if
// nothing fits.
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

// apply takes away the houses of a and b in which the rule is broken. It reports false if
// none is left.
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

// allDifferent applies to the things of a characteristic that each is in its own house.
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

// A zebraPlan is the houses of all things: by characteristic and value.
type zebraPlan [][]int

// house is where a thing is.
func (p zebraPlan) house(t zebraThing) int { return p[t[0]][t[1]] }

// in returns the value of a characteristic in a house.
func (p zebraPlan) in(trait, house int) zebraThing {
	return zebraThing{trait, slices.Index(p[trait], house)}
}

// check refuses what is no plan: each characteristic has each house once.
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

// drawClue draws a clue of a kind that is true of the plan; ok is false if none was found.
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

// told reports whether a clue is true of the plan and tells something.
func (c zebraClue) told(p zebraPlan) bool {
	if c.unary() {
		return c.fits(p.house(c.A), 0)
	}
	if (c.Kind == zebraSame || c.Kind == zebraNotSame) && c.A[0] == c.B[0] {
		return false
	}
	return c.A != c.B && c.fits(p.house(c.A), p.house(c.B))
}

// clues draws clues until one arrangement is left, and takes out those that are not
// needed.
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

// minimize takes out clues without which it is still proved that one arrangement fits.
func (s *zebraSolver) minimize() {
	for i := len(s.clues) - 1; i >= 0; i-- {
		if s.skip = i; s.unique() {
			s.clues, s.rules = slices.Delete(s.clues, i, i+1), slices.Delete(s.rules, i, i+1)
		}
	}
	s.skip = -1
}
