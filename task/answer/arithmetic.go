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

	text string
}

// maxNesting limits the depth of nested brackets, as Python does.
const maxNesting = 200

// ErrDivisionByZero reports an expression without a value.
var ErrDivisionByZero = errors.New("the expression divides by zero")

// ReadArithmetic reads all of text as a Python expression of decimal whole numbers, + - *
// /, signs and round brackets. A number may end with a point, since sentences do. Any other
// text is an error, above all a form that could hide a number: names, powers, comments,
// other notations. [Arithmetic.Value] evaluates the expression.
func ReadArithmetic(text string) (Arithmetic, error) {
	a := Arithmetic{text: Trim(text)}
	if a.text == "" {
		return Arithmetic{}, errors.New("the answer is empty")
	}
	note := func(n int64) struct{} {
		a.Numbers = append(a.Numbers, n)
		return struct{}{}
	}
	if _, err := evaluate(a.text, note, func(byte, struct{}, struct{}) (v struct{}, err error) { return v, nil }); err != nil {
		return Arithmetic{}, err
	}
	return a, nil
}

// Value evaluates the expression exactly. Its cost grows with the square of len(Numbers),
// so bound that first. The only error is [ErrDivisionByZero].
func (a Arithmetic) Value() (*big.Rat, error) {
	value, err := evaluate(a.text, newFraction, applyFraction)
	if errors.Is(err, errLarge) {
		return evaluate(a.text, newRat, applyRat)
	}
	if err != nil {
		return nil, err
	}
	return big.NewRat(value.over, value.under), nil
}

// evaluate evaluates an expression over any type of number.
func evaluate[T any](text string, number func(int64) T, apply func(op byte, x, y T) (T, error)) (T, error) {
	e := Evaluator[T]{
		Operators: []string{"+", "-", "*", "/"}, Signs: "+-", MaxDepth: maxNesting, Parts: "whole numbers, + - * / and ( )",
		Apply: apply,
		Operand: func(text string) (x T, size int, err error) {
			n, size, err := wholeNumber(text)
			if size > 0 && err == nil {
				x = number(n)
			}
			return x, size, err
		},
	}
	return e.Read(text)
}

// wholeNumber reads the digits at the beginning of text and an optional point after them.
func wholeNumber(text string) (n int64, size int, err error) {
	for size < len(text) && isDigit(text[size]) {
		size++
	}
	if size == 0 {
		return 0, 0, nil
	}
	digits := text[:size]
	if digits[0] == '0' && size > 1 {
		return 0, size, fmt.Errorf("the number %.20s begins with a zero", digits)
	}
	if n, err = strconv.ParseInt(digits, 10, 64); err != nil {
		return 0, size, fmt.Errorf("the number %.20s… is too large", digits)
	}
	if size < len(text) && text[size] == '.' {
		if size++; size < len(text) && isDigit(text[size]) {
			return 0, size, fmt.Errorf("the number %s has a fraction", digits)
		}
	}
	return n, size, nil
}

// A fraction is over/under in lowest terms, with under above 0.
type fraction struct{ over, under int64 }

// maxFraction bounds both parts of a fraction, so that a sum of two products of parts fits
// an int64.
const maxFraction = 1 << 30

// errLarge reports a fraction with a part above maxFraction.
var errLarge = errors.New("too large for a fraction of machine integers")

func newFraction(n int64) fraction { return fraction{n, 1} }

func newRat(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// applyFraction returns x op y.
func applyFraction(op byte, x, y fraction) (fraction, error) {
	if max(x.over, -x.over, x.under, y.over, -y.over, y.under) > maxFraction {
		return fraction{}, errLarge
	}
	var z fraction
	switch op {
	case Negate:
		return fraction{-x.over, x.under}, nil
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
	case Negate:
		return z.Neg(x), nil
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
