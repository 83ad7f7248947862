package arithmetic

import (
	"github.com/quintain-rl/quintain/task/rng"
)

// One byte names an operation: its own character, or one of these for longer signs.
const (
	opLeft   = '<' // <<
	opRight  = '>' // >>
	opNegate = '~' // minus before a number or a bracket
)

// binding returns how tightly an operation binds, as in Python; 0 if it is none.
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

// An evaluator evaluates an expression from left to right. It keeps pending operations on two
// stacks, so that no nesting makes it recurse.
type evaluator[T any] struct {
	apply   func(op byte, x, y T) (value T, ok bool) // x op y; for opNegate, x alone
	values  []T
	pending []byte // operations that still lack their right-hand side, and open brackets
	failed  bool   // apply refused a step, or something was out of place
}

func (k *evaluator[T]) open()      { k.pending = append(k.pending, '(') }
func (k *evaluator[T]) negate()    { k.pending = append(k.pending, opNegate) }
func (k *evaluator[T]) number(n T) { k.values = append(k.values, n) }
func (k *evaluator[T]) operator(o byte) {
	k.settle(binding(o))
	k.pending = append(k.pending, o)
}

// close ends the innermost bracket.
func (k *evaluator[T]) close() {
	k.settle(0)
	if len(k.pending) == 0 {
		k.failed = true
		return
	}
	k.pending = k.pending[:len(k.pending)-1]
}

// settle applies pending operations that bind at least as tightly as least, back to the
// innermost open bracket.
func (k *evaluator[T]) settle(least int) {
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

// value returns the value of the complete expression.
func (k *evaluator[T]) value() (value T, ok bool) {
	k.settle(0)
	if k.failed || len(k.pending) > 0 || len(k.values) != 1 {
		return value, false
	}
	return k.values[0], true
}

// maxExpression limits an expression, in bytes.
const maxExpression = 1 << 16

// read evaluates all of text. number reads a number at the beginning of a text; size is its
// length in bytes, or 0 if there is none.
func (k *evaluator[T]) read(text string, number func(string) (n T, size int)) (value T, ok bool) {
	if len(text) > maxExpression {
		return value, false
	}
	for wanted := true; text != "" || wanted; {
		if text == "" {
			return value, false
		}
		c, size := text[0], 1
		if c == ' ' {
			text = text[1:]
			continue
		}
		switch {
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

// operatorSize returns the length in bytes of the operation at the beginning of text, or 0.
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

// A composer writes random expressions.
type composer struct {
	r         *rng.Rand
	operators []byte
	brackets  bool // parts may be in brackets
	negatives bool // numbers and brackets may be negated
	to        pen
}

// A pen writes down what a composer draws, from left to right.
type pen interface {
	negate()
	open()
	close()
	number(next byte)            // a number that the pen chooses; next is the character after it, or 0
	operator(op byte) (put byte) // op, or a replacement
}

const (
	maxDepth      = 8 // of nested brackets
	bracketChance = 0.3
	minusChance   = 0.3
)

// compose writes an expression of terms numbers. No bracket encloses all of it, and none
// follows a division.
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
