package mathverify

import (
	"math/big"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// maxTerms is the greatest number of terms of a sum or a product.
const maxTerms = 1500

// series evaluates a sum or a product over a range. A sum may be endless if its terms fall
// at least as fast as a geometric series.
func (c *calc) series(n *expr.Node) (ball, error) {
	if n.Name == "diff" {
		d, err := expr.Diff(n.Args[1], n.Args[0].Name)
		if err != nil {
			return ball{}, errUnknown
		}
		return c.eval(d)
	}
	if n.Name != "sum" && n.Name != "prod" {
		return ball{}, errUnknown
	}
	from, err := c.bound(n.Args[1])
	if err != nil {
		return ball{}, err
	}
	if n.Args[2].Op == expr.Constant && n.Args[2].Name == "inf" && n.Name == "sum" {
		return c.endless(n, from)
	}
	to, err := c.bound(n.Args[2])
	if err != nil {
		return ball{}, err
	}
	if to-from > maxTerms {
		return ball{}, errUnknown
	}
	if n.Name == "sum" {
		return c.total(n, from, to)
	}
	r := c.whole(1)
	for k := from; k <= to; k++ {
		t, err := c.term(n, k)
		if err != nil {
			return ball{}, err
		}
		if r, err = c.mul(r, t); err != nil {
			return ball{}, err
		}
	}
	return r, nil
}

// total adds the terms of a range.
func (c *calc) total(n *expr.Node, from, to int64) (ball, error) {
	sum := c.newTotal()
	for k := from; k <= to; k++ {
		t, err := c.term(n, k)
		if err != nil {
			return ball{}, err
		}
		if err := sum.plus(c.field, t); err != nil {
			return ball{}, err
		}
	}
	return sum.ball(), nil
}

// bound evaluates the bound of a range, a whole number.
func (c *calc) bound(n *expr.Node) (int64, error) {
	b, err := c.eval(n)
	if err != nil {
		return 0, err
	}
	k, ok := wholeNumber(b)
	if !ok {
		return 0, errDomain
	}
	return k, nil
}

// term evaluates the body of a series for one value of its variable.
func (c *calc) term(n *expr.Node, k int64) (ball, error) {
	name := n.Args[0].Name
	old, shadowed := c.at[name]
	c.at[name] = c.whole(k)
	t, err := c.eval(n.Args[3])
	delete(c.at, name)
	if shadowed {
		c.at[name] = old
	}
	return t, err
}

// settled is how many terms of an endless sum come before they must fall steadily.
const settled = 12

// endless adds the terms of a series until they are too small to matter. From one term to
// the next, each must be at most 15/16 as large; the rest is then below 16 times the last.
func (c *calc) endless(n *expr.Node, from int64) (ball, error) {
	defer func(high, low int) { c.high, c.low = high, low }(c.high, c.low) // its last terms are small on purpose
	sum := c.newTotal()
	var last *big.Float
	for k := from; k <= from+maxTerms; k++ {
		t, err := c.term(n, k)
		if err != nil {
			return ball{}, err
		}
		if err := sum.plus(c.field, t); err != nil {
			return ball{}, err
		}
		size, err := c.abs(t)
		if err != nil {
			return ball{}, err
		}
		if k > from+settled && size.Re.Sign() != 0 {
			limit := c.float().Mul(last, big.NewFloat(0.9375))
			if size.Re.Cmp(limit) > 0 {
				return ball{}, errUnknown
			}
			if r := sum.ball(); exponent(size.Re) < r.size()-int(c.prec) {
				r.Err = max(r.Err, exponent(size.Re)+4) + 1
				return r, nil
			}
		}
		last = size.Re
	}
	return ball{}, errUnknown
}
