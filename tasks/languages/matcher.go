package languages

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"regexp"
	"regexp/syntax"
	"strings"
)

const (
	longestAnswer = 300 // bytes of an expression
	mostSteps     = 512 // instructions that an expression may need, with its repeats written out
)

// A set of instructions, a bit each.
type set [mostSteps / 64]uint64

func (s *set) add(i uint32)     { s[i/64] |= 1 << (i % 64) }
func (s set) has(i uint32) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s *set) addAll(of set) {
	for i, word := range of {
		s[i] |= word
	}
}

// all goes through the instructions.
func (s set) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, rest := range s {
			for ; rest != 0; rest &= rest - 1 {
				if !yield(64*i + bits.TrailingZeros64(rest)) {
					return
				}
			}
		}
	}
}

// A matcher is an expression as a nondeterministic automaton: its states are instructions.
type matcher struct {
	program *syntax.Prog
	reach   []set // from each instruction, without reading: those that read, or match
}

var countRE = regexp.MustCompile(`^\{\d{1,2}(,\d{0,2})?\}`)

// readExpression reads an expression of letters, in the notation that engines have in common. A ^ in
// front and a $ at the end say what holds anyway: the whole string must match.
func readExpression(text, letters string) (*matcher, error) {
	if len(text) > longestAnswer+2 {
		return nil, fmt.Errorf("the expression has %d characters, want at most %d", len(text), longestAnswer)
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "^"), "$")
	if text == "" {
		return nil, errors.New("the expression is empty")
	}
	if err := plain(text, letters); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(text, 0)
	if err != nil {
		return nil, err
	}
	tooLong := fmt.Errorf("the expression is too long when its repeats are written out, want at most %d steps", mostSteps)
	if steps(tree) > mostSteps {
		return nil, tooLong
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > mostSteps {
		return nil, tooLong
	}
	m := &matcher{program, make([]set, len(program.Inst))}
	for i := range program.Inst {
		var seen set
		m.follow(uint32(i), &seen, &m.reach[i])
	}
	return m, nil
}

// steps estimates the instructions that an expression takes, up to some more than mostSteps. Each
// sign takes one, or a few.
func steps(tree *syntax.Regexp) int {
	n := 1
	switch tree.Op {
	case syntax.OpLiteral:
		n = len(tree.Rune)
	case syntax.OpConcat, syntax.OpRepeat:
		n = 0
	}
	for _, part := range tree.Sub {
		n += steps(part)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(1, tree.Min, tree.Max)
	}
	return min(n, 2*mostSteps)
}

// plain refuses everything but letters and the signs . | ( ) * + ? {n} {n,} {n,m}.
func plain(text, letters string) error {
	repeats := false // what comes next may be repeated
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '|' || c == '(':
			repeats = false
		case c == ')' || c == '.' || strings.IndexByte(letters, c) >= 0:
			repeats = true
		case strings.IndexByte("*+?{", c) < 0:
			return fmt.Errorf("%q is neither one of the letters %s nor one of the signs . | ( ) * + ? {n} {n,} {n,m}", text[i:i+1], strings.Join(strings.Split(letters, ""), ", "))
		case !repeats:
			return fmt.Errorf("there is nothing to repeat before %q", text[i:i+1])
		default:
			repeats = false
		}
		if c == '{' {
			found := countRE.FindString(text[i:])
			if found == "" {
				return errors.New("a { must begin {n}, {n,} or {n,m}, with counts of at most two digits")
			}
			i += len(found) - 1
		}
	}
	return nil
}

// follow adds what is reached from an instruction without reading.
func (m *matcher) follow(i uint32, seen, reached *set) {
	if seen.has(i) {
		return
	}
	seen.add(i)
	switch in := m.program.Inst[i]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		m.follow(in.Out, seen, reached)
		m.follow(in.Arg, seen, reached)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		m.follow(in.Out, seen, reached)
	case syntax.InstFail:
	default:
		reached.add(i)
	}
}

// start returns the instructions at the beginning of a string.
func (m *matcher) start() set { return m.reach[m.program.Start] }

// step returns the instructions after one more letter.
func (m *matcher) step(at set, letter byte) (next set) {
	for i := range at.all() {
		if in := &m.program.Inst[i]; in.Op != syntax.InstMatch && in.MatchRune(rune(letter)) {
			next.addAll(m.reach[in.Out])
		}
	}
	return next
}

// accepts reports whether a string that led to these instructions matches.
func (m *matcher) accepts(at set) bool {
	for i := range at.all() {
		if m.program.Inst[i].Op == syntax.InstMatch {
			return true
		}
	}
	return false
}

// differs returns a shortest string that m and a decide differently. With found unset, there is
// none. It gives up on an expression that tells too many beginnings apart.
func (m *matcher) differs(a automaton, letters string) (text string, found bool, err error) {
	const mostPairs = 2000
	type pair struct {
		at    set
		state int
	}
	type read struct {
		pair
		before int
		letter byte
	}
	queue := []read{{pair: pair{m.start(), 0}, before: -1}}
	known := map[pair]bool{queue[0].pair: true}
	for i := 0; i < len(queue); i++ {
		now := queue[i]
		if m.accepts(now.at) != a.accept[now.state] {
			for ; now.before >= 0; now = queue[now.before] {
				text = string(now.letter) + text
			}
			return text, true, nil
		}
		for k := range len(letters) {
			next := pair{m.step(now.at, letters[k]), a.next[now.state][k]}
			if !known[next] {
				known[next] = true
				queue = append(queue, read{next, i, letters[k]})
			}
		}
		if len(queue) > mostPairs {
			return "", false, errors.New("the expression is too complicated to check: it tells too many beginnings of strings apart")
		}
	}
	return "", false, nil
}
