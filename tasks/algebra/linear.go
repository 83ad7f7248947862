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

// A linearReader reads a linear expression in one variable: whole numbers, the variable, +
// - * and brackets, with spaces anywhere. One of two factors is a number. Its recursion is
// as deep as the brackets are nested, which is limited.
type linearReader struct {
	rest     string
	variable byte
	depth    int
}

// Limits of the reader, far above any problem made here.
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
	if err != nil {
		return linear{}, err
	}
	if r.peek() != 0 {
		return linear{}, errLinear
	}
	return l, nil
}

// peek skips spaces and returns the next character, or 0 at the end.
func (r *linearReader) peek() byte {
	for r.rest != "" && r.rest[0] == ' ' {
		r.rest = r.rest[1:]
	}
	if r.rest == "" {
		return 0
	}
	return r.rest[0]
}

// take consumes c if it is next, and reports whether it was.
func (r *linearReader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// sum reads terms separated by + and -.
func (r *linearReader) sum() (linear, error) {
	total := newLinear(0, 0)
	for first := true; ; first = false {
		sign := 1
		switch {
		case r.take('-'):
			sign = -1
		case !r.take('+') && !first:
			return total, nil
		}
		term, err := r.product()
		if err != nil {
			return linear{}, err
		}
		total.add(sign, term)
	}
}

// product reads factors separated by *.
func (r *linearReader) product() (linear, error) {
	total, err := r.factor()
	if err != nil {
		return linear{}, err
	}
	for r.take('*') {
		next, err := r.factor()
		if err != nil {
			return linear{}, err
		}
		if total.slope.Sign() == 0 {
			total, next = next, total
		}
		if next.slope.Sign() != 0 {
			return linear{}, errors.New("the variable is multiplied by itself")
		}
		total.scale(next.constant)
	}
	return total, nil
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
		if err != nil {
			return linear{}, err
		}
		if !r.take(')') {
			return linear{}, errLinear
		}
		return inside, nil
	}
	return linear{}, errLinear
}
