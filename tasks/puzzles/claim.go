package puzzles

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/rng"
)

// A claim is a statement about who tells the truth. As JSON it is a list of its kind and
// its parts: the number of a person, or further claims.
type claim struct {
	kind  claimKind
	who   int     // for truthTeller and liar
	parts []claim // for the others
}

// A claimKind is the form of a claim.
type claimKind uint8

// The kinds of claim.
const (
	truthTeller claimKind = iota // a person tells the truth
	liar                         // a person lies
	negation
	conjunction
	disjunction
	implication
	equivalence
)

// claimKinds are the names of the kinds, their number of parts, and the English words that
// join the parts.
var claimKinds = [...]struct {
	name        string
	least, most int
	joint       string
}{
	truthTeller: {"telling-truth", 0, 0, ""},
	liar:        {"lying", 0, 0, ""},
	negation:    {"not", 1, 1, ""},
	conjunction: {"and", 1, 100, " and "},
	disjunction: {"or", 1, 100, " or "},
	implication: {"->", 2, 2, ", then "},
	equivalence: {"<=>", 2, 2, " if and only if "},
}

// makeClaim draws a claim of at most depth levels.
func makeClaim(p knightsParams, r *rng.Rand, depth int) claim {
	if depth == 1 || r.Chance(0.15) {
		return claim{kind: claimKind(r.Between(int(truthTeller), int(liar))), who: r.Between(0, p.People-1)}
	}
	kind, count := claimKind(r.Between(int(negation), int(equivalence))), 2
	switch kind {
	case negation:
		count = 1
	case conjunction, disjunction:
		count = r.Between(2, max(2, min(p.Width, p.People)))
	}
	c := claim{kind: kind, parts: make([]claim, 0, count)}
	for tries := 0; len(c.parts) < count; tries++ {
		part := makeClaim(p, r, depth-1)
		if tries > 20 || !c.repeats(part) {
			c.parts = append(c.parts, part)
		}
	}
	return c
}

// repeats reports whether part would be awkward in c: a second claim about the same person
// alone, or a double negation.
func (c claim) repeats(part claim) bool {
	if c.kind == negation && part.kind == negation {
		return true
	}
	for _, other := range c.parts {
		if other.parts == nil && part.parts == nil && other.who == part.who {
			return true
		}
	}
	return false
}

// An assignment of roles, a world, is a number with bit i set if person i is truthful.
// Worlds come in blocks of 64, and a table has a bit for each world of a block.

// truthful returns the worlds of a block in which a person tells the truth.
func truthful(who int, block uint64) uint64 {
	if who < 6 {
		return [...]uint64{
			0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
		}[who]
	}
	return -(block >> (who - 6) & 1)
}

// table returns the worlds of a block in which the claim is true.
func (c claim) table(block uint64) uint64 {
	switch c.kind {
	case truthTeller:
		return truthful(c.who, block)
	case liar:
		return ^truthful(c.who, block)
	case negation:
		return ^c.parts[0].table(block)
	case implication:
		return ^c.parts[0].table(block) | c.parts[1].table(block)
	case equivalence:
		return ^(c.parts[0].table(block) ^ c.parts[1].table(block))
	}
	table := c.parts[0].table(block)
	for _, part := range c.parts[1:] {
		if c.kind == conjunction {
			table &= part.table(block)
		} else {
			table |= part.table(block)
		}
	}
	return table
}

// holds reports whether the claim is true in a world.
func (c claim) holds(world uint64) bool { return c.table(world/64)>>(world%64)&1 == 1 }

// A claimContext is a puzzle and the speaker.
type claimContext struct {
	puzzle  knightsItem
	speaker int
}

// text appends the claim in English to b.
func (c claim) text(b []byte, in claimContext) []byte {
	switch c.kind {
	case truthTeller:
		return append(in.subject(b, c.who, " "), in.puzzle.Terms.AKnight...)
	case liar:
		return append(in.subject(b, c.who, " "), in.puzzle.Terms.AKnave...)
	case negation:
		return c.parts[0].denial(b, in)
	case implication:
		b = append(b, "if "...)
	}
	for i, part := range c.parts {
		switch {
		case i > 0 && i < len(c.parts)-1:
			b = append(b, ", "...)
		case i > 0:
			b = append(b, claimKinds[c.kind].joint...)
		}
		b = part.part(b, in)
	}
	return b
}

// denial appends the opposite of the claim.
func (c claim) denial(b []byte, in claimContext) []byte {
	switch c.kind {
	case truthTeller:
		return append(in.subject(b, c.who, " not "), in.puzzle.Terms.AKnight...)
	case liar:
		return append(in.subject(b, c.who, " not "), in.puzzle.Terms.AKnave...)
	}
	return c.part(append(b, "it is not true that "...), in)
}

// part appends the claim as a part of another, in brackets if it has several parts itself.
func (c claim) part(b []byte, in claimContext) []byte {
	if c.parts == nil || c.kind == negation {
		return c.text(b, in)
	}
	return append(c.text(append(b, '('), in), ')')
}

// subject appends a person and the verb, with link after it.
func (in claimContext) subject(b []byte, who int, link string) []byte {
	if who == in.speaker {
		return append(append(b, "I am"...), link...)
	}
	return append(append(append(b, in.puzzle.Names[who]...), " is"...), link...)
}

// has reports whether a claim of a kind is in c.
func (c claim) has(kind claimKind) bool {
	return c.kind == kind || slices.ContainsFunc(c.parts, func(part claim) bool { return part.has(kind) })
}

// check refuses a claim about unknown people.
func (c claim) check(people int) error {
	if c.parts == nil && (c.who < 0 || c.who >= people) {
		return fmt.Errorf("person is %d, want 0 to %d", c.who, people-1)
	}
	for _, part := range c.parts {
		if err := part.check(people); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (c claim) MarshalJSON() ([]byte, error) { return c.appendJSON(make([]byte, 0, 128)), nil }

// appendJSON appends the claim as JSON to b.
func (c claim) appendJSON(b []byte) []byte {
	b = append(append(append(b, '[', '"'), claimKinds[c.kind].name...), '"')
	if c.parts == nil {
		b = strconv.AppendInt(append(b, ','), int64(c.who), 10)
	}
	for _, part := range c.parts {
		b = part.appendJSON(append(b, ','))
	}
	return append(b, ']')
}

// UnmarshalJSON implements [json.Unmarshaler]. It refuses claims nested more than 50
// deep.
func (c *claim) UnmarshalJSON(raw []byte) error {
	var value any
	if err := strictjson.UnmarshalNumbers(raw, &value); err != nil {
		return err
	}
	return c.set(value, 50)
}

// set decodes a JSON value into c.
func (c *claim) set(value any, deepest int) error {
	list, isList := value.([]any)
	if !isList || len(list) < 2 || deepest == 0 {
		return errors.New("a statement is not a list of its kind and its parts, or is nested too deep")
	}
	for kind, def := range claimKinds {
		if list[0] == def.name {
			return c.fill(claimKind(kind), list[1:], deepest)
		}
	}
	return fmt.Errorf("a statement has the unknown kind %.20v", list[0])
}

// fill makes c a claim of a kind about decoded parts.
func (c *claim) fill(kind claimKind, parts []any, deepest int) (err error) {
	*c = claim{kind: kind}
	def := claimKinds[kind]
	if def.most == 0 {
		number, isNumber := parts[0].(json.Number)
		if !isNumber || len(parts) > 1 {
			return fmt.Errorf("a statement of the kind %s is not about one person", def.name)
		}
		c.who, err = strconv.Atoi(number.String())
		return err
	}
	if len(parts) < def.least || len(parts) > def.most {
		return fmt.Errorf("a statement of the kind %s has %d parts", def.name, len(parts))
	}
	c.parts = make([]claim, len(parts))
	for i, part := range parts {
		if err := c.parts[i].set(part, deepest-1); err != nil {
			return err
		}
	}
	return nil
}
