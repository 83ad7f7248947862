package algebra

import (
	"errors"
	"fmt"
	"math/big"
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

// A linearReader reads a linear expression in one variable: whole numbers, the
// variable, + - * and brackets, with spaces anywhere. Of two factors one is a
// number. It recurses as deep as brackets stand in one another, which is limited.
type linearReader struct {
	rest     string
	variable byte
	depth    int
}

// Limits of what is read, far above what is made.
const (
	maxLinearText  = 20_000
	maxLinearDepth = 200
)

var errLinear = errors.New("want whole numbers, the variable, + - * and brackets")

// readLinear reads all of text.
func readLinear(text string, variable byte) (linear, error) {
	if len(text) > maxLinearText {
		return linear{}, fmt.Errorf("it has %d characters, want at most %d", len(text), maxLinearText)
	}
	r := linearReader{rest: text, variable: variable}
	l, err := r.sum()
	if err == nil && r.peek() != 0 {
		err = errLinear
	}
	return l, err
}

// peek passes over spaces and returns the next character, 0 at the end.
func (r *linearReader) peek() byte {
	for r.rest != "" && r.rest[0] == ' ' {
		r.rest = r.rest[1:]
	}
	if r.rest == "" {
		return 0
	}
	return r.rest[0]
}

// take passes over c and reports true if it is next.
func (r *linearReader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// sum reads terms with + and - between.
func (r *linearReader) sum() (linear, error) {
	total := newLinear(0, 0)
	for first := true; ; first = false {
		sign := 1
		switch {
		case r.take('-'):
			sign = -1
		case r.take('+'), first:
		default:
			return total, nil
		}
		term, err := r.product()
		if err != nil {
			return linear{}, err
		}
		total.add(sign, term)
	}
}

// product reads factors with * between.
func (r *linearReader) product() (linear, error) {
	total, err := r.factor()
	for err == nil && r.take('*') {
		var next linear
		if next, err = r.factor(); err != nil {
			break
		}
		if total.slope.Sign() == 0 {
			total, next = next, total
		}
		if next.slope.Sign() != 0 {
			return linear{}, errors.New("the variable is multiplied by itself")
		}
		total.scale(next.constant)
	}
	return total, err
}

// factor reads a number, the variable or a sum in brackets.
func (r *linearReader) factor() (linear, error) {
	switch c := r.peek(); {
	case c == r.variable && c != 0:
		r.rest = r.rest[1:]
		return newLinear(1, 0), nil
	case c >= '0' && c <= '9':
		n := 1
		for n < len(r.rest) && r.rest[n] >= '0' && r.rest[n] <= '9' {
			n++
		}
		value, _ := new(big.Int).SetString(r.rest[:n], 10)
		r.rest = r.rest[n:]
		return linear{new(big.Int), value}, nil
	case c == '(' && r.depth < maxLinearDepth:
		r.rest = r.rest[1:]
		r.depth++
		inside, err := r.sum()
		r.depth--
		if err == nil && !r.take(')') {
			err = errLinear
		}
		return inside, err
	}
	return linear{}, errLinear
}
