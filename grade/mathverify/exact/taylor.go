package exact

import (
	"errors"
	"math/big"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// A taylor is the beginning of a Laurent series in h > 0: c[0]·h^low + c[1]·h^(low+1) + …. A
// coefficient may hold ln h.
type taylor struct {
	low int
	c   []*Form
}

// terms is how many coefficients of a series we compute.
const terms = 8

// errDomain says that a function has no real values near the point.
var errDomain = errors.New("a function has no real values there")

// lnH names the logarithm of h, a variable.
const lnH = " ln h"

// constantTaylor returns the series of a constant.
func constantTaylor(f *Form) taylor {
	t := taylor{c: make([]*Form, terms)}
	for i := range t.c {
		t.c[i] = wholeForm(0)
	}
	t.c[0] = f
	return t
}

// An expander computes series of expressions in x.
type expander struct {
	reader
	x  string
	at taylor // the series of x
}

// expand returns the series of n. The errors are ErrForm, errDomain, and those of Read.
func (e expander) expand(n *expr.Node) (taylor, error) {
	if err := e.Budget.Spend(1); err != nil {
		return taylor{}, err
	}
	if !n.Mentions(e.x) {
		f, err := e.Read(n)
		if err != nil {
			return taylor{}, err
		}
		return constantTaylor(f), nil
	}
	switch n.Op {
	case expr.Symbol:
		return e.at, nil
	case expr.Neg:
		t, err := e.expand(n.Args[0])
		return t.scale(big.NewRat(-1, 1)), err
	case expr.Add:
		return e.joined(n.Args, e.add)
	case expr.Mul:
		return e.joined(n.Args, e.mul)
	case expr.Div:
		return e.joined(n.Args, e.quo)
	case expr.Pow:
		return e.power(n.Args[0], n.Args[1])
	case expr.Apply:
		if len(n.Args) == 1 {
			return e.apply(n.Name, n.Args[0])
		}
	}
	return taylor{}, ErrForm
}

// joined expands the arguments and joins them from left to right.
func (e expander) joined(args []*expr.Node, join func(a, b taylor) (taylor, error)) (taylor, error) {
	result, err := e.expand(args[0])
	for _, arg := range args[1:] {
		if err != nil {
			return taylor{}, err
		}
		var next taylor
		if next, err = e.expand(arg); err == nil {
			result, err = join(result, next)
		}
	}
	return result, err
}

func (t taylor) scale(c *big.Rat) taylor {
	twin := taylor{t.low, make([]*Form, len(t.c))}
	for i, f := range t.c {
		twin.c[i] = &Form{f.over.scale(c), f.under}
	}
	return twin
}

// zero reports whether all known coefficients are zero.
func (t taylor) zero() bool {
	for _, f := range t.c {
		if !f.IsZero() {
			return false
		}
	}
	return true
}

// coefficient returns the coefficient of a power of h, which must be known or before the first.
func (t taylor) coefficient(power int) *Form {
	if power < t.low {
		return wholeForm(0)
	}
	return t.c[power-t.low]
}

func (e expander) add(a, b taylor) (taylor, error) {
	low, end := min(a.low, b.low), min(a.low+len(a.c), b.low+len(b.c))
	sum := taylor{low: low}
	for power := low; power < end; power++ {
		f, err := e.Plus(a.coefficient(power), b.coefficient(power))
		if err != nil {
			return taylor{}, err
		}
		sum.c = append(sum.c, f)
	}
	return e.normal(sum)
}

// normal drops leading zeros. It fails unless it knows that the next coefficient is not zero.
func (e expander) normal(t taylor) (taylor, error) {
	for len(t.c) > 0 && t.c[0].IsZero() {
		t = taylor{t.low + 1, t.c[1:]}
	}
	if len(t.c) == 0 || !e.nonzero(t.c[0]) {
		return taylor{}, ErrForm
	}
	return t, nil
}

// nonzero reports whether a form is surely not zero.
func (e expander) nonzero(f *Form) bool {
	if e.free(f.over) {
		return true
	}
	t, single := f.over.single()
	if !single {
		return false
	}
	for _, p := range t.powers {
		a := e.atoms[p.atom]
		if a.prime == nil && !a.variable() && a.name != "pi" && a.name != "e" && a.exp == nil && len(a.name) < len("ln ") {
			return false
		}
	}
	return true
}

func (e expander) mul(a, b taylor) (taylor, error) {
	product := taylor{low: a.low + b.low}
	for i := range min(len(a.c), len(b.c)) {
		sum := wholeForm(0)
		for j := range i + 1 {
			if a.c[j].IsZero() || b.c[i-j].IsZero() {
				continue
			}
			f, err := e.Times(a.c[j], b.c[i-j])
			if err != nil {
				return taylor{}, err
			}
			if sum, err = e.Plus(sum, f); err != nil {
				return taylor{}, err
			}
		}
		product.c = append(product.c, sum)
	}
	return product, nil
}

func (e expander) quo(a, b taylor) (taylor, error) {
	b, err := e.normal(b)
	if err != nil {
		return taylor{}, err
	}
	quotient := taylor{low: a.low - b.low}
	for i := range min(len(a.c), len(b.c)) {
		rest := a.c[i]
		for j := range i {
			if quotient.c[j].IsZero() || b.c[i-j].IsZero() {
				continue
			}
			f, err := e.Times(quotient.c[j], b.c[i-j])
			if err != nil {
				return taylor{}, err
			}
			if rest, err = e.Minus(rest, f); err != nil {
				return taylor{}, err
			}
		}
		f, err := e.Quo(rest, b.c[0])
		if err != nil {
			return taylor{}, err
		}
		quotient.c = append(quotient.c, f)
	}
	return quotient, nil
}

// compose returns the sum of weights[k]·t^k for a series t without a constant term.
func (e expander) compose(t taylor, weights []*big.Rat) (taylor, error) {
	sum, power := constantTaylor(numberForm(weights[0])), constantTaylor(wholeForm(1))
	for _, w := range weights[1:] {
		var err error
		if power, err = e.mul(power, t); err != nil {
			return taylor{}, err
		}
		if power.low >= terms || power.zero() {
			break
		}
		sum.c = sum.c[:min(len(sum.c), power.low+len(power.c))]
		for p := range sum.c {
			f := power.coefficientOrZero(p)
			if sum.c[p], err = e.Plus(sum.c[p], &Form{f.over.scale(w), f.under}); err != nil {
				return taylor{}, err
			}
		}
	}
	return sum, nil
}

func (t taylor) coefficientOrZero(power int) *Form {
	if power-t.low >= len(t.c) {
		return wholeForm(0)
	}
	return t.coefficient(power)
}

// split separates the constant term of a series that has no pole.
func (t taylor) split() (c *Form, rest taylor, ok bool) {
	for t.low < 0 && len(t.c) > 1 && t.c[0].IsZero() {
		t = taylor{t.low + 1, t.c[1:]}
	}
	if t.low < 0 && !t.zero() {
		return nil, taylor{}, false
	}
	c, rest = wholeForm(0), taylor{t.low, t.c}
	if t.low == 0 {
		c, rest = t.c[0], taylor{1, t.c[1:]}
	}
	if len(rest.c) == 0 {
		return nil, taylor{}, false
	}
	return c, rest, true
}

// weights returns the first coefficients of a power series.
func weights(coefficient func(k int64) *big.Rat) []*big.Rat {
	all := make([]*big.Rat, terms)
	for k := range all {
		all[k] = coefficient(int64(k))
	}
	return all
}

// inverseFactorial is 1/k!.
func inverseFactorial(k int64) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).MulRange(1, max(k, 1)))
}

// alternating returns (-1)^(k/2)/k! for k of the same parity as odd, else 0.
func alternating(odd int64) func(k int64) *big.Rat {
	return func(k int64) *big.Rat {
		if k%2 != odd {
			return new(big.Rat)
		}
		f := inverseFactorial(k)
		if k/2%2 == 1 {
			f.Neg(f)
		}
		return f
	}
}
