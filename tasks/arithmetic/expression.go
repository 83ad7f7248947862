package arithmetic

import (
	"github.com/quintain-rl/quintain/task/rng"
)

// Operations are named by one byte: those of one character by themselves, the
// others by these.
const (
	opLeft   = '<' // <<
	opRight  = '>' // >>
	opNegate = '~' // a minus in front of a number or a bracket
)

// binding tells how tightly an operation binds, as in Python; 0 means none.
func binding(op byte) int {
	switch op {
	case opLeft, opRight:
		return 1
	case '+', '-':
		return 2
	case '*', '/':
		return 3
	case opNegate:
		return 4
	}
	return 0
}

// A reckoner works out an expression that it is told from left to right. It keeps
// what waits on two stacks, so that no nesting makes it recurse.
type reckoner[T any] struct {
	apply   func(op byte, x, y T) (value T, ok bool) // x op y; opNegate has x alone
	values  []T
	pending []byte // operations without their right-hand side, and open brackets
	failed  bool   // apply refused a step, or something stood in the wrong place
}

func (k *reckoner[T]) open()      { k.pending = append(k.pending, '(') }
func (k *reckoner[T]) negate()    { k.pending = append(k.pending, opNegate) }
func (k *reckoner[T]) number(n T) { k.values = append(k.values, n) }
func (k *reckoner[T]) operator(o byte) {
	k.settle(binding(o))
	k.pending = append(k.pending, o)
}

// close ends the bracket that was opened last.
func (k *reckoner[T]) close() {
	k.settle(0)
	if len(k.pending) == 0 {
		k.failed = true
		return
	}
	k.pending = k.pending[:len(k.pending)-1]
}

// settle works out what binds at least as tightly as least, back to the last open
// bracket.
func (k *reckoner[T]) settle(least int) {
	for n := len(k.pending); n > 0 && !k.failed; n-- {
		op, top := k.pending[n-1], len(k.values)-1
		if op == '(' || binding(op) < least {
			return
		}
		k.pending = k.pending[:n-1]
		if op != opNegate {
			top--
		}
		if top < 0 {
			k.failed = true
			return
		}
		value, ok := k.apply(op, k.values[top], k.values[len(k.values)-1])
		k.values = append(k.values[:top], value)
		k.failed = !ok
	}
}

// value returns the value of the expression once all of it is told.
func (k *reckoner[T]) value() (value T, ok bool) {
	k.settle(0)
	if k.failed || len(k.pending) > 0 || len(k.values) != 1 {
		return value, false
	}
	return k.values[0], true
}

// maxExpression is how many bytes an expression has at most.
const maxExpression = 1 << 16

// read works out all of text. A number is what number reads from the beginning of
// a text; size is how many bytes it takes, 0 if there is no number.
func (k *reckoner[T]) read(text string, number func(string) (n T, size int)) (value T, ok bool) {
	if len(text) > maxExpression {
		return value, false
	}
	for wanted := true; text != "" || wanted; {
		if text == "" {
			return value, false
		}
		c, size := text[0], 1
		switch {
		case c == ' ':
		case wanted && c == '(':
			k.open()
		case wanted && c == '-':
			k.negate()
		case wanted:
			var n T
			n, size = number(text)
			k.number(n)
			wanted = false
		case c == ')':
			k.close()
		default:
			size = operatorSize(text)
			k.operator(c)
			wanted = true
		}
		if size == 0 || k.failed {
			return value, false
		}
		text = text[size:]
	}
	return k.value()
}

// operatorSize returns how many bytes the operation takes that text begins with, 0
// for none.
func operatorSize(text string) int {
	switch text[0] {
	case '+', '-', '*', '/':
		return 1
	case opLeft, opRight:
		if len(text) > 1 && text[1] == text[0] {
			return 2
		}
	}
	return 0
}

// A composer writes expressions of chance.
type composer struct {
	r         *rng.Rand
	operators []byte
	brackets  bool // parts may stand in brackets
	negatives bool // numbers and brackets may have a minus in front
	to        pen
}

// A pen takes down what a composer draws, from left to right.
type pen interface {
	negate()
	open()
	close()
	number(next byte)            // a number of the pen's own choice; next is what follows it, 0 for nothing
	operator(op byte) (put byte) // op, or another in its place
}

const (
	maxDepth      = 8 // of brackets in one another
	bracketChance = 0.3
	minusChance   = 0.3
)

// compose writes an expression with terms numbers. No bracket holds all of it, and
// none follows a division.
func (c *composer) compose(terms, depth int) {
	divided := false
	for left := terms; left > 0; {
		size := 1
		if most := min(left, terms-1); c.brackets && !divided && most > 1 && depth < maxDepth && c.r.Chance(bracketChance) {
			size = c.r.Between(2, most)
		}
		left -= size
		next := byte(0)
		if left > 0 {
			next = rng.Pick(c.r, c.operators)
		}
		if c.negatives && c.r.Chance(minusChance) {
			c.to.negate()
		}
		if size == 1 {
			c.to.number(next)
		} else {
			c.to.open()
			c.compose(size, depth+1)
			c.to.close()
		}
		if next != 0 {
			divided = c.to.operator(next) == '/'
		}
	}
}
