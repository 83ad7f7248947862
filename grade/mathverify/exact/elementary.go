package exact

import (
	"math/big"
	"slices"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// power returns the series of a power.
func (e expander) power(base, exponent *expr.Node) (taylor, error) {
	if base.Op == expr.Constant && base.Name == "e" {
		t, err := e.expand(exponent)
		if err != nil {
			return taylor{}, err
		}
		return e.exp(t)
	}
	b, err := e.expand(base)
	if err != nil {
		return taylor{}, err
	}
	if !exponent.Mentions(e.x) {
		f, err := e.Read(exponent)
		if err != nil {
			return taylor{}, err
		}
		if q, ok := f.Number(); ok {
			return e.rational(b, q)
		}
	}
	t, err := e.expand(exponent)
	if err != nil {
		return taylor{}, err
	}
	log, err := e.ln(b)
	if err != nil {
		return taylor{}, err
	}
	if t, err = e.mul(t, log); err != nil {
		return taylor{}, err
	}
	return e.exp(t)
}

// leading splits a series into its first coefficient, and the rest divided by the first term,
// less 1.
func (e expander) leading(t taylor) (first *Form, low int, rest taylor, err error) {
	if t, err = e.normal(t); err != nil {
		return nil, 0, taylor{}, err
	}
	first = t.c[0]
	rest = taylor{low: 1}
	for _, f := range t.c[1:] {
		if f, err = e.Quo(f, first); err != nil {
			return nil, 0, taylor{}, err
		}
		rest.c = append(rest.c, f)
	}
	if len(rest.c) == 0 {
		return nil, 0, taylor{}, ErrForm
	}
	return first, t.low, rest, nil
}

// rational raises a series to a rational power.
func (e expander) rational(t taylor, q *big.Rat) (taylor, error) {
	first, low, rest, err := e.leading(t)
	if err != nil {
		return taylor{}, err
	}
	if c, ok := first.Number(); ok && c.Sign() < 0 && q.Denom().Bit(0) == 0 {
		return taylor{}, errDomain
	}
	exponent := new(big.Rat).Mul(q, big.NewRat(int64(low), 1))
	if !exponent.IsInt() || exponent.Num().BitLen() > 16 {
		return taylor{}, ErrForm
	}
	w := weights(func(k int64) *big.Rat { // the binomial coefficients of q
		c := big.NewRat(1, 1)
		for j := range k {
			c.Mul(c, new(big.Rat).Sub(q, big.NewRat(j, 1)))
			c.Quo(c, big.NewRat(j+1, 1))
		}
		return c
	})
	r, err := e.compose(rest, w)
	if err != nil {
		return taylor{}, err
	}
	scale, err := e.numberPower(first, q)
	if err != nil {
		return taylor{}, err
	}
	r, err = e.mul(r, constantTaylor(scale))
	r.low += int(exponent.Num().Int64())
	return r, err
}

// exp returns the exponential of a series without a pole.
func (e expander) exp(t taylor) (taylor, error) {
	c, rest, ok := t.split()
	if !ok || e.mentions(c, lnH) {
		return taylor{}, ErrForm
	}
	r, err := e.compose(rest, weights(inverseFactorial))
	if err != nil {
		return taylor{}, err
	}
	scale, err := e.Pow(e.form(atom{name: "e"}), c)
	if err != nil {
		return taylor{}, err
	}
	return e.mul(r, constantTaylor(scale))
}

// mentions reports whether a variable occurs as a factor in a form.
func (e expander) mentions(f *Form, name string) bool {
	id := e.intern(atom{name: "var " + name})
	for _, t := range slices.Concat(f.over.sorted(), f.under.sorted()) {
		if slices.ContainsFunc(t.powers, func(q power) bool { return q.atom == id }) {
			return true
		}
	}
	return false
}

// ln returns the logarithm of a series.
func (e expander) ln(t taylor) (taylor, error) {
	first, low, rest, err := e.leading(t)
	if err != nil {
		return taylor{}, err
	}
	if c, ok := first.Number(); ok && c.Sign() < 0 {
		return taylor{}, errDomain
	}
	r, err := e.compose(rest, weights(func(k int64) *big.Rat {
		if k == 0 {
			return new(big.Rat)
		}
		return big.NewRat(2*(k%2)-1, k)
	}))
	if err != nil {
		return taylor{}, err
	}
	c, err := e.logarithm(first)
	if err != nil {
		return taylor{}, err
	}
	pole := e.variable(lnH)
	if c, err = e.Plus(c, &Form{pole.over.scale(big.NewRat(int64(low), 1)), pole.under}); err != nil {
		return taylor{}, err
	}
	if r.c[0], err = e.Plus(r.c[0], c); err != nil {
		return taylor{}, err
	}
	return r, nil
}

// apply returns the series of a function.
func (e expander) apply(name string, arg *expr.Node) (taylor, error) {
	quotient := func(over, under string) (taylor, error) {
		return e.expand(expr.New(expr.Div, expr.Call(over, arg), expr.Call(under, arg)))
	}
	switch name {
	case "tan":
		return quotient("sin", "cos")
	case "cot":
		return quotient("cos", "sin")
	case "sec", "csc":
		return e.expand(expr.New(expr.Div, expr.Int(1), expr.Call(map[string]string{"sec": "cos", "csc": "sin"}[name], arg)))
	}
	t, err := e.expand(arg)
	if err != nil {
		return taylor{}, err
	}
	switch name {
	case "ln":
		return e.ln(t)
	case "abs":
		if t, err = e.normal(t); err != nil {
			return taylor{}, err
		}
		if c, ok := t.c[0].Number(); ok {
			return t.scale(big.NewRat(int64(c.Sign()), 1)), nil
		}
	case "sin", "cos":
		return e.circular(name, t)
	case "arctan", "arcsin":
		return e.inverse(name, t)
	}
	return taylor{}, ErrForm
}

// circular returns the sine or the cosine of a series without a pole.
func (e expander) circular(name string, t taylor) (taylor, error) {
	c, rest, ok := t.split()
	if !ok || e.mentions(c, lnH) {
		return taylor{}, ErrForm
	}
	sin, err := e.compose(rest, weights(alternating(1)))
	if err != nil {
		return taylor{}, err
	}
	cos, err := e.compose(rest, weights(alternating(0)))
	if err != nil {
		return taylor{}, err
	}
	sinC, err := e.function("sin", c)
	if err != nil {
		return taylor{}, err
	}
	cosC, err := e.function("cos", c)
	if err != nil {
		return taylor{}, err
	}
	if name == "cos" { // cos c·cos r - sin c·sin r
		sinC, cosC = cosC, &Form{sinC.over.negative(), sinC.under}
	}
	if cos, err = e.mul(cos, constantTaylor(sinC)); err != nil {
		return taylor{}, err
	}
	if sin, err = e.mul(sin, constantTaylor(cosC)); err != nil {
		return taylor{}, err
	}
	sum := taylor{low: 0}
	for p := range min(len(sin.c), len(cos.c)) {
		f, err := e.Plus(sin.c[p], cos.c[p])
		if err != nil {
			return taylor{}, err
		}
		sum.c = append(sum.c, f)
	}
	return sum, nil
}

// inverse returns the arc tangent or the arc sine of a series without a constant term.
func (e expander) inverse(name string, t taylor) (taylor, error) {
	c, rest, ok := t.split()
	if !ok || !c.IsZero() {
		return taylor{}, ErrForm
	}
	return e.compose(rest, weights(func(k int64) *big.Rat {
		switch {
		case k%2 == 0:
			return new(big.Rat)
		case name == "arctan":
			return big.NewRat(1-k%4+1, k)
		}
		c := big.NewRat(1, k) // (k-2)!!/((k-1)!!·k)
		for j := int64(1); j < k; j += 2 {
			c.Mul(c, big.NewRat(j, j+1))
		}
		return c
	}))
}
