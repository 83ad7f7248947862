package answer

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
)

// An Arithmetic is an expression of whole numbers, the four operations and round
// brackets.
type Arithmetic struct {
	Numbers []int64 // as written, from left to right; none is negative

	steps []byte // the expression in postfix order; see the step constants
}

// Steps of an expression; + - * / stand for themselves.
const (
	stepNumber = 'n' // push the next number on the stack
	stepNegate = '~' // change the sign of the number on top
)

// maxNesting limits the depth of nested brackets, as Python does.
const maxNesting = 200

// ErrDivisionByZero reports an expression without a value.
var ErrDivisionByZero = errors.New("the expression divides by zero")

// ReadArithmetic reads all of text as a Python expression of decimal whole numbers, + - *
// /, signs and round brackets. A number may end with a point, since sentences do. Any other
// text is an error, above all a form that could hide a number: names, powers, comments,
// other notations. [Arithmetic.Value] evaluates the expression.
func ReadArithmetic(text string) (Arithmetic, error) {
	r := arithmeticReader{rest: Trim(text), wanted: true}
	if r.rest == "" {
		return Arithmetic{}, errors.New("the answer is empty")
	}
	for r.rest != "" {
		if err := r.next(); err != nil {
			return Arithmetic{}, err
		}
	}
	switch {
	case r.wanted:
		return Arithmetic{}, errors.New("the expression ends without its last number")
	case r.depth > 0:
		return Arithmetic{}, errors.New("a bracket is not closed")
	}
	r.unstack(0)
	return r.read, nil
}

// arithmeticReader turns an expression into postfix order. It keeps a stack of operations,
// so no text makes it recurse.
type arithmeticReader struct {
	rest    string
	read    Arithmetic
	pending []byte // operations that still lack their right-hand side, and open brackets
	depth   int    // open brackets
	wanted  bool   // a number, a sign or an opening bracket must come next
}

// next reads one number, sign, operation, bracket or space.
func (r *arithmeticReader) next() error {
	c := r.rest[0]
	if r.ignores(c) {
		r.rest = r.rest[1:]
		return nil
	}
	switch {
	case isDigit(c) && r.wanted:
		return r.number()
	case c == '(' && r.wanted:
		if r.depth++; r.depth > maxNesting {
			return fmt.Errorf("brackets are nested more than %d deep", maxNesting)
		}
		r.pending = append(r.pending, c)
	case c == ')' && !r.wanted && r.depth > 0:
		r.unstack(0)
		r.pending = r.pending[:len(r.pending)-1]
		r.depth--
	case c == '-' && r.wanted:
		r.pending = append(r.pending, stepNegate)
	case binding(c) > 0 && !r.wanted:
		r.unstack(binding(c))
		r.pending = append(r.pending, c)
		r.wanted = true
	default:
		return fmt.Errorf("%.12q does not belong here: an expression consists of whole numbers, + - * / and ( )", r.rest)
	}
	r.rest = r.rest[1:]
	return nil
}

// ignores reports whether c has no effect here: space, or a plus sign before a number.
func (r *arithmeticReader) ignores(c byte) bool {
	switch c {
	case ' ', '\t', '\f':
		return true
	case '\n', '\r':
		return r.depth > 0
	}
	return c == '+' && r.wanted
}

// number reads the digits of a number and an optional point after them.
func (r *arithmeticReader) number() error {
	end := 1
	for end < len(r.rest) && isDigit(r.rest[end]) {
		end++
	}
	digits := r.rest[:end]
	if digits[0] == '0' && end > 1 {
		return fmt.Errorf("the number %.20s begins with a zero", digits)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return fmt.Errorf("the number %.20s… is too large", digits)
	}
	if r.rest = r.rest[end:]; r.rest != "" && r.rest[0] == '.' {
		if r.rest = r.rest[1:]; r.rest != "" && isDigit(r.rest[0]) {
			return fmt.Errorf("the number %s has a fraction", digits)
		}
	}
	r.read.Numbers = append(r.read.Numbers, n)
	r.read.steps = append(r.read.steps, stepNumber)
	r.wanted = false
	return nil
}

// unstack moves pending operations to the steps, from the last back to the innermost open
// bracket, while they bind at least as tightly as least.
func (r *arithmeticReader) unstack(least int) {
	for n := len(r.pending); n > 0; n-- {
		op := r.pending[n-1]
		if op == '(' || binding(op) < least {
			break
		}
		r.read.steps = append(r.read.steps, op)
		r.pending = r.pending[:n-1]
	}
}

// binding returns how tightly an operation binds, or 0 if op is no operation.
func binding(op byte) int {
	switch op {
	case '+', '-':
		return 1
	case '*', '/':
		return 2
	case stepNegate:
		return 3
	}
	return 0
}

// Value evaluates the expression exactly. Its cost grows with the square of len(Numbers),
// so bound that first. The only error is [ErrDivisionByZero].
func (a Arithmetic) Value() (*big.Rat, error) {
	value, err := run(a, newFraction, applyFraction)
	if errors.Is(err, errLarge) {
		return run(a, func(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }, applyRat)
	}
	if err != nil {
		return nil, err
	}
	return big.NewRat(value.over, value.under), nil
}

// run evaluates the expression over any type of number.
func run[T any](a Arithmetic, number func(int64) T, apply func(op byte, x, y T) (T, error)) (value T, err error) {
	stack, next := make([]T, 0, 8), 0
	for _, step := range a.steps {
		top := len(stack) - 1
		switch step {
		case stepNumber:
			stack = append(stack, number(a.Numbers[next]))
			next++
		case stepNegate:
			stack[top], err = apply('-', number(0), stack[top])
		default:
			stack[top-1], err = apply(step, stack[top-1], stack[top])
			stack = stack[:top]
		}
		if err != nil {
			return value, err
		}
	}
	return stack[0], nil
}

// A fraction is over/under in lowest terms, with under above 0.
type fraction struct{ over, under int64 }

// maxFraction bounds both parts of a fraction, so that a sum of two products of parts fits
// an int64.
const maxFraction = 1 << 30

// errLarge reports a fraction with a part above maxFraction.
var errLarge = errors.New("too large for a fraction of machine integers")

func newFraction(n int64) fraction { return fraction{n, 1} }

// applyFraction returns x op y.
func applyFraction(op byte, x, y fraction) (fraction, error) {
	if max(x.over, -x.over, x.under, y.over, -y.over, y.under) > maxFraction {
		return fraction{}, errLarge
	}
	var z fraction
	switch op {
	case '+':
		z = fraction{x.over*y.under + y.over*x.under, x.under * y.under}
	case '-':
		z = fraction{x.over*y.under - y.over*x.under, x.under * y.under}
	case '*':
		z = fraction{x.over * y.over, x.under * y.under}
	case '/':
		if y.over == 0 {
			return fraction{}, ErrDivisionByZero
		}
		z = fraction{x.over * y.under, x.under * y.over}
	}
	a, b := z.over, z.under
	for b != 0 {
		a, b = b, a%b
	}
	if (a < 0) != (z.under < 0) {
		a = -a
	}
	return fraction{z.over / a, z.under / a}, nil
}

// applyRat returns x op y.
func applyRat(op byte, x, y *big.Rat) (*big.Rat, error) {
	z := new(big.Rat)
	switch op {
	case '+':
		return z.Add(x, y), nil
	case '-':
		return z.Sub(x, y), nil
	case '*':
		return z.Mul(x, y), nil
	}
	if y.Sign() == 0 {
		return nil, ErrDivisionByZero
	}
	return z.Quo(x, y), nil
}
