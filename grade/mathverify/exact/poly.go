package exact

import (
	"encoding/binary"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

// A power is an atom with its exponent.
type power struct {
	atom int
	exp  fraction
}

// A fraction is over/under in lowest terms, under above 0.
type fraction struct{ over, under int64 }

// maxPart bounds the parts of a fraction, so that sums of products fit an int64.
const maxPart = 1 << 30

func newFraction(over, under int64) (fraction, bool) {
	if under < 0 {
		over, under = -over, -under
	}
	a, b := max(over, -over), under
	for b != 0 {
		a, b = b, a%b
	}
	if a > 1 {
		over, under = over/a, under/a
	}
	return fraction{over, under}, over < maxPart && over > -maxPart && under < maxPart
}

func (f fraction) plus(g fraction) (fraction, bool) {
	if f.under == 1 && g.under == 1 {
		return newFraction(f.over+g.over, 1)
	}
	return newFraction(f.over*g.under+g.over*f.under, f.under*g.under)
}

func (f fraction) times(g fraction) (fraction, bool) {
	return newFraction(f.over*g.over, f.under*g.under)
}

// split returns the whole part, rounded down, and the rest, in [0, 1).
func (f fraction) split() (whole int64, rest fraction) {
	whole = f.over / f.under
	if f.over%f.under < 0 {
		whole--
	}
	return whole, fraction{f.over - whole*f.under, f.under}
}

// A term is a product of powers, sorted by atom, with a nonzero coefficient.
type term struct {
	powers []power
	coef   *big.Rat
}

// A poly is a sum of terms, by the keys of their powers. Exponents may be negative or
// fractions. Once built, it does not change.
type poly map[string]term

// poly returns a term as a sum of one.
func (t term) poly() poly { return poly{key(t.powers): t} }

// key names the powers of a term.
func key(powers []power) string {
	if len(powers) == 0 {
		return ""
	}
	b := make([]byte, 0, 8*len(powers))
	for _, p := range powers {
		b = binary.AppendVarint(b, int64(p.atom))
		b = binary.AppendVarint(b, p.exp.over)
		b = binary.AppendVarint(b, p.exp.under)
	}
	return string(b)
}

func constant(c *big.Rat) poly {
	if c.Sign() == 0 {
		return poly{}
	}
	return poly{"": {coef: c}}
}

var unity = constant(big.NewRat(1, 1))

func (p poly) negative() poly {
	q := make(poly, len(p))
	for k, t := range p {
		q[k] = term{t.powers, new(big.Rat).Neg(t.coef)}
	}
	return q
}

// number returns the value of a poly without atoms.
func (p poly) number() (*big.Rat, bool) {
	switch len(p) {
	case 0:
		return new(big.Rat), true
	case 1:
		t, ok := p[""]
		return t.coef, ok
	}
	return nil, false
}

// single returns the only term of a poly.
func (p poly) single() (term, bool) {
	if len(p) != 1 {
		return term{}, false
	}
	for _, t := range p {
		return t, true
	}
	return term{}, false
}

// add adds a term to a poly under construction.
func (p poly) add(t term) {
	k := key(t.powers)
	old, ok := p[k]
	if !ok {
		p[k] = t
		return
	}
	sum := new(big.Rat).Add(old.coef, t.coef)
	if sum.Sign() == 0 {
		delete(p, k)
		return
	}
	p[k] = term{old.powers, sum}
}

// sorted returns the terms sorted by key.
func (p poly) sorted() []term {
	keys := make([]string, 0, len(p))
	for k := range p {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	terms := make([]term, len(keys))
	for i, k := range keys {
		terms[i] = p[k]
	}
	return terms
}

// text returns a canonical name of a poly.
func (p poly) text() string {
	var b strings.Builder
	for _, t := range p.sorted() {
		b.WriteString(key(t.powers))
		b.WriteByte('*')
		b.WriteString(t.coef.RatString())
		b.WriteByte('+')
	}
	return b.String()
}

// scale returns p·c.
func (p poly) scale(c *big.Rat) poly {
	if c.Sign() == 0 {
		return poly{}
	}
	q := make(poly, len(p))
	for k, t := range p {
		q[k] = term{t.powers, new(big.Rat).Mul(t.coef, c)}
	}
	return q
}

// content returns the coefficient of the first term.
func (p poly) content() *big.Rat {
	first := ""
	for k := range p {
		if first == "" || k < first {
			first = k
		}
	}
	if t, ok := p[""]; ok {
		return t.coef
	}
	return p[first].coef
}

func (s *Space) plus(p, q poly) (poly, error) {
	if err := s.Budget.Spend(len(p) + len(q)); err != nil {
		return nil, err
	}
	if len(p) == 0 {
		return q, nil
	}
	r := make(poly, len(p)+len(q))
	maps.Copy(r, p)
	for _, t := range q {
		r.add(t)
	}
	return r, nil
}

func (s *Space) times(p, q poly) (poly, error) {
	if one(p) {
		return q, nil
	}
	r := make(poly, len(p)*min(len(q), 8))
	for _, a := range p {
		for _, b := range q {
			if err := s.Budget.Spend(1 + (len(a.powers)+len(b.powers))/2 + bits(a.coef)/256 + bits(b.coef)/256); err != nil {
				return nil, err
			}
			if err := s.addProduct(r, a, b); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// bits returns the size of a number in bits.
func bits(r *big.Rat) int { return r.Num().BitLen() + r.Denom().BitLen() }

// addProduct adds a·b to r. A root of a sum whose exponents add up to a whole number
// becomes that sum again.
func (s *Space) addProduct(r poly, a, b term) error {
	t := term{coef: new(big.Rat).Mul(a.coef, b.coef)}
	powers, ok := join(a.powers, b.powers)
	if !ok {
		return ErrForm
	}
	t.powers = powers
	sums := s.settle(&t)
	if len(sums) == 0 {
		r.add(t)
		return nil
	}
	product := t.poly()
	for _, sum := range sums {
		var err error
		if product, err = s.times(product, sum); err != nil {
			return err
		}
	}
	for _, t := range product {
		r.add(t)
	}
	return nil
}

// join multiplies two lists of powers.
func join(a, b []power) ([]power, bool) {
	if len(a) == 0 {
		return b, true
	}
	if len(b) == 0 {
		return a, true
	}
	r := make([]power, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].atom < b[0].atom:
			r, a = append(r, a[0]), a[1:]
		case a[0].atom > b[0].atom:
			r, b = append(r, b[0]), b[1:]
		default:
			exp, ok := a[0].exp.plus(b[0].exp)
			if !ok {
				return nil, false
			}
			if exp.over != 0 {
				r = append(r, power{a[0].atom, exp})
			}
			a, b = a[1:], b[1:]
		}
	}
	r = append(r, a...)
	return append(r, b...), true
}

// maxBits bounds the numbers that we write out; larger powers stay powers.
const maxBits = 60_000

// settle normalizes the powers of primes and of sums in t: the whole part of a prime's
// exponent goes into the coefficient, and settle returns that of a sum as factors.
func (s *Space) settle(t *term) (sums []poly) {
	for i := 0; i < len(t.powers); i++ {
		p := t.powers[i]
		a := s.atoms[p.atom]
		if a.prime == nil && a.sum == nil {
			continue
		}
		n, rest := p.exp.split()
		if n == 0 {
			continue
		}
		if a.sum != nil {
			if n < 0 || n > maxSumPower {
				continue
			}
			for range n {
				sums = append(sums, a.sum)
			}
		} else if !t.absorb(a.prime, n) {
			continue
		}
		t.powers = slices.Clone(t.powers)
		if rest.over == 0 {
			t.powers = slices.Delete(t.powers, i, i+1)
			i--
		} else {
			t.powers[i].exp = rest
		}
	}
	return sums
}

// maxSumPower is the greatest power of a sum that we multiply out.
const maxSumPower = 64

// absorb multiplies the coefficient of a term by prime^n, unless the result is too large.
func (t *term) absorb(prime *big.Int, n int64) bool {
	if prime.Sign() < 0 { // -1
		if n%2 != 0 {
			t.coef = new(big.Rat).Neg(t.coef)
		}
		return true
	}
	if float64(max(n, -n))*float64(prime.BitLen()) > maxBits || n == math.MinInt64 {
		return false
	}
	c := new(big.Rat).SetInt(new(big.Int).Exp(prime, big.NewInt(max(n, -n)), nil))
	if n < 0 {
		c.Inv(c)
	}
	t.coef = c.Mul(c, t.coef)
	return true
}
