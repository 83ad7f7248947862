package office

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/task/answer"
)

// maxExpression is the longest expression, in characters. It bounds the depth and the size of numbers too.
const maxExpression = 40

// evaluate returns the exact value of an expression of whole numbers, + - * /, mod and brackets,
// and the numbers in it. why says what is wrong with it; empty: nothing.
func evaluate(text string) (_ *big.Rat, numbers []string, why string) {
	if n := utf8.RuneCountInString(text); n > maxExpression {
		return nil, nil, fmt.Sprintf("has %d characters, at most %d are allowed", n, maxExpression)
	}
	e := answer.Evaluator[*big.Rat]{
		Operators: []string{"+", "-", "*", "/", "mod"}, Signs: "-", Apply: calculate,
		Operand: func(text string) (*big.Rat, int, error) {
			digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
			value, ok := new(big.Rat).SetString(digits)
			if ok {
				numbers = append(numbers, value.RatString())
			}
			return value, len(digits), nil
		},
	}
	value, err := e.Read(signs.Replace(text))
	if misread, ok := errors.AsType[*answer.SyntaxError](err); ok && misread.Rest == "" {
		return nil, nil, "it ends too early"
	} else if ok {
		return nil, nil, fmt.Sprintf("%.20q is not understood; it takes whole numbers, + - * /, mod and brackets", misread.Rest)
	}
	if err != nil {
		return nil, nil, err.Error()
	}
	return value, numbers, ""
}

// signs are other ways to write the operators.
var signs = strings.NewReplacer("−", "-", "×", "*", "÷", "/", "%", " mod ")

// calculate returns x op y; for mod, the remainder of a division by a positive number, from 0 on.
func calculate(op byte, x, y *big.Rat) (*big.Rat, error) {
	z := new(big.Rat)
	switch op {
	case answer.Negate:
		return z.Neg(x), nil
	case '+':
		return z.Add(x, y), nil
	case '-':
		return z.Sub(x, y), nil
	case '*':
		return z.Mul(x, y), nil
	case '/':
		if y.Sign() == 0 {
			return nil, errors.New("it divides by 0")
		}
		return z.Quo(x, y), nil
	}
	switch {
	case !x.IsInt() || !y.IsInt():
		return nil, errors.New("mod takes whole numbers")
	case y.Sign() <= 0:
		return nil, errors.New("mod takes a modulus above 0")
	}
	return z.SetInt(new(big.Int).Mod(x.Num(), y.Num())), nil
}
