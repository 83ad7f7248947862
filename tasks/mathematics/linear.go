package mathematics

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// A linear is the expression slope·x + constant.
type linear struct{ slope, constant *big.Int }

// newLinear returns slope·x + constant.
func newLinear(slope, constant int) linear {
	return linear{big.NewInt(int64(slope)), big.NewInt(int64(constant))}
}

// add adds sign times m to l in place.
func (l linear) add(sign int, m linear) {
	if sign < 0 {
		l.slope.Sub(l.slope, m.slope)
		l.constant.Sub(l.constant, m.constant)
		return
	}
	l.slope.Add(l.slope, m.slope)
	l.constant.Add(l.constant, m.constant)
}

// scale multiplies l by n in place.
func (l linear) scale(n *big.Int) {
	l.slope.Mul(l.slope, n)
	l.constant.Mul(l.constant, n)
}

// maxLinearText limits a linear expression in bytes, far above any problem made here.
const maxLinearText = 20_000

// readLinear reads a linear expression in one variable: whole numbers, the variable, + - * and brackets. One of two
// factors is a number.
func readLinear(text string, variable byte) (linear, error) {
	if len(text) > maxLinearText {
		return linear{}, fmt.Errorf("it has %d characters, want at most %d", len(text), maxLinearText)
	}
	e := answer.Evaluator[linear]{
		Operators: []string{"+", "-", "*"}, Signs: "+-", Apply: applyLinear, Parts: "whole numbers, the variable, + - * and brackets",
		Operand: func(text string) (linear, int, error) {
			if text[0] == variable && variable != 0 {
				return newLinear(1, 0), 1, nil
			}
			digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
			n, _ := new(big.Int).SetString("0"+digits, 10)
			return linear{new(big.Int), n}, len(digits), nil
		},
	}
	return e.Read(text)
}

// applyLinear returns x op y, in place of x.
func applyLinear(op byte, x, y linear) (linear, error) {
	switch op {
	case answer.Negate:
		x.scale(big.NewInt(-1))
	case '+':
		x.add(1, y)
	case '-':
		x.add(-1, y)
	default:
		if x.slope.Sign() == 0 {
			x, y = y, x
		}
		if y.slope.Sign() != 0 {
			return x, errors.New("the variable is multiplied by itself")
		}
		x.scale(y.constant)
	}
	return x, nil
}
