package arithmetic

import (
	"errors"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// maxExpression limits an expression, in bytes.
const maxExpression = 1 << 16

// The operators of expressions.
var (
	withShifts    = []string{"+", "-", "*", "/", "<<", ">>"}
	fourOperators = withShifts[:4]
	plusMinus     = withShifts[:2]
)

var errNoValue = errors.New("the expression has no value")

// wholes returns what evaluates expressions of whole numbers in a base.
func wholes(base int64, operators []string) answer.Evaluator[whole] {
	return answer.Evaluator[whole]{
		Operators: operators, Signs: "-", Parts: "whole numbers, operators and brackets",
		Apply: func(op byte, x, y whole) (whole, error) { return decided(wholeStep(op, x, y)) },
		Operand: func(text string) (whole, int, error) {
			digits, prefixed := strings.CutPrefix(text, "0x")
			if prefixed != (base == 16) {
				return whole{}, 0, nil
			}
			w, size := readWhole(digits, base)
			if size > 0 {
				size += len(text) - len(digits)
			}
			return w, size, nil
		},
	}
}

// decided turns a value that is missing into an error.
func decided[T any](value T, ok bool) (T, error) {
	if !ok {
		return value, errNoValue
	}
	return value, nil
}

// evaluated returns the value of an expression, and whether it has one.
func evaluated[T any](e answer.Evaluator[T], text string) (value T, ok bool) {
	if len(text) > maxExpression {
		return value, false
	}
	value, err := e.Read(text)
	return value, err == nil
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
