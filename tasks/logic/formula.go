package logic

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A formula is a formula of propositional logic in postfix order: a letter is a fact, and
// other signs apply to the parts before them.
type formula []byte

// The signs of a formula, in the order of formulaSigns. Signs that bind more tightly have
// the lower rank.
const (
	signNot  = '!'
	signAnd  = '&'
	signOr   = '|'
	signThen = '>'
	signIff  = '='
	signOpen = '('
)

// formulaSigns are the spellings of the signs.
var formulaSigns = []struct {
	sign  byte
	rank  int // how loosely it binds
	write string
	reads []string
}{
	{signNot, 0, "¬", []string{"¬", "~", "!"}},
	{signAnd, 1, "∧", []string{"∧", "&&", "&", "/\\"}},
	{signOr, 2, "∨", []string{"∨", "||", "|", "\\/"}},
	{signThen, 3, "→", []string{"→", "->", "=>", "⇒", "⟹"}},
	{signIff, 4, "↔", []string{"↔", "<->", "<=>", "⇔", "⟺"}},
}

// rankOf returns the rank of a sign.
func rankOf(sign byte) int {
	for _, s := range formulaSigns {
		if s.sign == sign {
			return s.rank
		}
	}
	return len(formulaSigns)
}

// mostBrackets limits the depth of nested brackets.
const mostBrackets = 200

// readFormula reads a formula of capital letters, the signs of logic in their usual
// spellings, and round brackets. Signs of one rank are grouped from the left, arrows too.
func readFormula(text string) (formula, error) {
	r := formulaReader{rest: strings.TrimSpace(text), wanted: true}
	if r.rest == "" {
		return nil, errors.New("the answer is empty")
	}
	for r.rest != "" {
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	r.unstack(len(formulaSigns))
	if r.wanted || r.depth > 0 {
		return nil, errors.New("the formula is not complete")
	}
	return r.out, nil
}

// A formulaReader turns a formula into postfix order with a stack of signs.
type formulaReader struct {
	rest    string
	out     formula
	pending []byte
	depth   int
	wanted  bool // a letter, a negation or an opening bracket must come next
}

// next reads one letter, sign, bracket or space.
func (r *formulaReader) next() error {
	c := r.rest[0]
	if c == ' ' || c == '\t' {
		r.rest = r.rest[1:]
		return nil
	}
	switch {
	case c >= 'A' && c <= 'Z' && r.wanted:
		r.out = append(r.out, c)
		r.wanted = false
	case c == '(' && r.wanted:
		if r.depth++; r.depth > mostBrackets {
			return fmt.Errorf("brackets are nested more than %d deep", mostBrackets)
		}
		r.pending = append(r.pending, signOpen)
	case c == ')' && !r.wanted && r.depth > 0:
		r.unstack(len(formulaSigns))
		r.pending = r.pending[:len(r.pending)-1]
		r.depth--
	default:
		return r.sign()
	}
	r.rest = r.rest[1:]
	return nil
}

// sign reads a sign.
func (r *formulaReader) sign() error {
	for _, s := range formulaSigns {
		for _, spelling := range s.reads {
			if !strings.HasPrefix(r.rest, spelling) || (s.sign == signNot) != r.wanted {
				continue
			}
			if s.sign != signNot {
				r.unstack(s.rank)
				r.wanted = true
			}
			r.pending = append(r.pending, s.sign)
			r.rest = r.rest[len(spelling):]
			return nil
		}
	}
	_, size := utf8.DecodeRuneInString(r.rest)
	return fmt.Errorf("%q does not belong here: a formula consists of letters, ¬ ∧ ∨ → ↔ and ( )", r.rest[:size])
}

// unstack moves pending signs to the output, back to the innermost open bracket, while they
// bind at least as tightly as rank.
func (r *formulaReader) unstack(rank int) {
	for n := len(r.pending); n > 0; n-- {
		sign := r.pending[n-1]
		if sign == signOpen || rankOf(sign) > rank {
			return
		}
		r.out = append(r.out, sign)
		r.pending = r.pending[:n-1]
	}
}

// isFact reports whether a sign of a formula is a fact.
func isFact(sign byte) bool { return sign >= 'A' && sign <= 'Z' }

// facts counts the letters of a formula, repeated ones too.
func (f formula) facts() (n int) {
	for _, sign := range f {
		if isFact(sign) {
			n++
		}
	}
	return n
}

// text writes the formula with brackets around every binary part.
func (f formula) text() string {
	var room [8]int
	starts, b := room[:0], make([]byte, 0, 8*len(f)) // starts: indexes of the parts in b
	for _, sign := range f {
		top := len(starts) - 1
		switch {
		case isFact(sign):
			starts = append(starts, len(b))
			b = append(b, sign)
		case sign == signNot:
			b = slices.Insert(b, starts[top], []byte("¬")...)
		default:
			b = slices.Insert(b, starts[top], []byte(" "+formulaSigns[rankOf(sign)].write+" ")...)
			b = append(slices.Insert(b, starts[top-1], '('), ')')
			starts = starts[:top]
		}
	}
	if b[0] == '(' {
		b = b[1 : len(b)-1]
	}
	return string(b)
}

// commuted writes the formula in prefix order, with a label in place of each of the letters and of each
// negated letter. The sides of a sign that may be exchanged are in order.
func (f formula) commuted(letters string, labels []int) string {
	var room [8]string
	parts := room[:0]
	label := func(fact byte, negated int) string {
		return string('a' + rune(labels[2*strings.IndexByte(letters, fact)+negated]))
	}
	for i, sign := range f {
		top := len(parts) - 1
		switch {
		case isFact(sign):
			parts = append(parts, label(sign, 0))
			continue
		case sign == signNot && isFact(f[i-1]):
			parts[top] = label(f[i-1], 1)
			continue
		case sign == signNot:
			parts[top] = "!" + parts[top]
			continue
		case sign != signThen && parts[top] < parts[top-1]:
			parts[top-1], parts[top] = parts[top], parts[top-1]
		}
		parts[top-1] = string(sign) + parts[top-1] + parts[top]
		parts = parts[:top]
	}
	return parts[0]
}

// holds returns the assignments of word w, to the facts in letters, that make the formula
// true. Its letters must be among them.
func (f formula) holds(letters string, w int) uint64 {
	var room [8]uint64
	stack := room[:0]
	for _, sign := range f {
		top := len(stack) - 1
		switch sign {
		case signNot:
			stack[top] = ^stack[top]
			continue
		case signAnd:
			stack[top-1] &= stack[top]
		case signOr:
			stack[top-1] |= stack[top]
		case signThen:
			stack[top-1] = ^stack[top-1] | stack[top]
		case signIff:
			stack[top-1] = ^(stack[top-1] ^ stack[top])
		default:
			stack = append(stack, factWord(strings.IndexByte(letters, sign), w))
			continue
		}
		stack = stack[:top]
	}
	return stack[0]
}
