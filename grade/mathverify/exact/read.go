package exact

import (
	"math/big"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// maxDepth bounds the nesting of expressions.
const maxDepth = 300

// Read returns the normal form of an expression. The errors are ErrForm, ErrUndefined,
// ErrBudget, and the error of the budget's context.
func (s *Space) Read(n *expr.Node) (*Form, error) {
	if s.depth++; s.depth > maxDepth {
		return nil, ErrForm
	}
	defer func() { s.depth-- }()
	if err := s.Budget.Spend(1); err != nil {
		return nil, err
	}
	return reader{s}.read(n)
}

// A reader builds forms from expressions.
type reader struct{ *Space }

func (s reader) read(n *expr.Node) (*Form, error) {
	switch n.Op {
	case expr.Number:
		return numberForm(n.Value), nil
	case expr.Symbol:
		return s.variable(n.Name), nil
	case expr.Constant:
		return s.constant(n.Name)
	case expr.Add, expr.Mul:
		return s.fold(n)
	case expr.Neg:
		f, err := s.Read(n.Args[0])
		if err != nil {
			return nil, err
		}
		return &Form{f.over.negative(), f.under}, nil
	case expr.Div, expr.Pow:
		return s.pair(n)
	case expr.Apply:
		return s.apply(n)
	case expr.Big:
		return s.big(n)
	}
	return nil, ErrForm
}

// constant returns π, e or i.
func (s reader) constant(name string) (*Form, error) {
	switch name {
	case "inf":
		return nil, ErrForm
	case "i", "I", "bold i":
		return s.primeRoot(big.NewInt(-1), fraction{1, 2})
	}
	return s.form(atom{name: name}), nil
}

// fold adds or multiplies the arguments of a node. It gathers numbers and adds polynomials in
// place, since there may be many.
func (s reader) fold(n *expr.Node) (*Form, error) {
	numbers, terms := new(big.Rat), poly{}
	if n.Op == expr.Mul {
		numbers.SetInt64(1)
	}
	result := (*Form)(nil)
	small := int64(0) // the sum of small whole numbers
	for i, arg := range n.Args {
		if n.Op == expr.Add && i%16 != 0 && isSmall(arg) {
			small += arg.Value.Num().Int64()
			continue
		}
		f, value, err := s.part(arg)
		if err != nil {
			return nil, err
		}
		is := value != nil
		switch {
		case is && n.Op == expr.Add:
			numbers.Add(numbers, value)
		case is:
			numbers.Mul(numbers, value)
		case n.Op == expr.Add && one(f.under):
			err = s.gather(terms, f.over)
		case result == nil:
			result = f
		case n.Op == expr.Add:
			result, err = s.Plus(result, f)
		default:
			result, err = s.Times(result, f)
		}
		if err != nil {
			return nil, err
		}
		if bits(numbers) > 4*maxBits {
			return nil, ErrBudget
		}
	}
	numbers.Add(numbers, new(big.Rat).SetInt64(small))
	switch {
	case n.Op == expr.Mul && result != nil:
		if isOne(numbers) {
			return result, nil
		}
		return s.Times(numberForm(numbers), result)
	case n.Op == expr.Mul || len(terms) == 0 && result == nil:
		return numberForm(numbers), nil
	}
	if numbers.Sign() != 0 {
		terms.add(term{coef: numbers})
	}
	sum := &Form{terms, unity}
	if result == nil {
		return sum, nil
	}
	return s.Plus(result, sum)
}

// isSmall reports whether n is a whole number so small that a sum of very many fits.
func isSmall(n *expr.Node) bool {
	return n.Op == expr.Number && n.Value.IsInt() && n.Value.Num().BitLen() < 32
}

// gather adds the terms of p to sum, in place.
func (s reader) gather(sum, p poly) error {
	for _, t := range p {
		sum.add(t)
	}
	return s.Budget.Spend(len(p))
}

// pair divides, or raises to a power.
func (s reader) pair(n *expr.Node) (*Form, error) {
	f, err := s.Read(n.Args[0])
	if err != nil {
		return nil, err
	}
	g, value, err := s.part(n.Args[1])
	switch {
	case err != nil:
		return nil, err
	case n.Op == expr.Pow && value != nil:
		return s.numberPower(f, value)
	case g == nil:
		g = numberForm(value)
	}
	if n.Op == expr.Div {
		return s.Quo(f, g)
	}
	return s.Pow(f, g)
}

// part returns the form of a subexpression, and its value if it is a rational number. A lone
// number has no form, which saves building one.
func (s reader) part(n *expr.Node) (f *Form, value *big.Rat, err error) {
	if n.Op == expr.Number {
		return nil, n.Value, s.Budget.Spend(1)
	}
	if f, err = s.Read(n); err != nil {
		return nil, nil, err
	}
	if number, ok := f.Number(); ok {
		value = number
	}
	return f, value, nil
}

// Pow returns f to the power of g.
func (s *Space) Pow(f, g *Form) (*Form, error) {
	if value, ok := g.Number(); ok {
		return s.numberPower(f, value)
	}
	return s.symbolic(f, g)
}

// numberPower returns f to the power of a number.
func (s *Space) numberPower(f *Form, value *big.Rat) (*Form, error) {
	if f.IsZero() {
		if value.Sign() <= 0 {
			return nil, ErrUndefined
		}
		return f, nil
	}
	if !value.Num().IsInt64() || !value.Denom().IsInt64() {
		return s.symbolic(f, numberForm(value))
	}
	q, ok := newFraction(value.Num().Int64(), value.Denom().Int64())
	if !ok {
		return s.symbolic(f, numberForm(value))
	}
	over, err := s.power(f.over, q)
	if err != nil {
		return nil, err
	}
	if one(f.under) {
		return over, nil
	}
	under, err := s.power(f.under, q)
	if err != nil {
		return nil, err
	}
	return s.Quo(over, under)
}

// symbolic returns a power as an atom, for an exponent other than a small number. It first
// reduces a number to the power of a product of numbers to primes.
func (s *Space) symbolic(f, g *Form) (*Form, error) {
	if value, ok := f.Number(); ok && value.Cmp(big.NewRat(1, 1)) == 0 {
		return f, nil
	}
	return s.form(atom{name: "pow " + f.text() + "^" + g.text(), base: f, exp: g}), nil
}

// power returns p to the power of q.
func (s *Space) power(p poly, q fraction) (*Form, error) {
	t, single := p.single()
	switch {
	case q.over == 0:
		return wholeForm(1), nil
	case q.under == 1 && q.over == 1:
		return &Form{p, unity}, nil
	case single:
		return s.powerOfTerm(t, q)
	case q.under == 1 && q.over < 0:
		f, err := s.power(p, fraction{-q.over, 1})
		if err != nil {
			return nil, err
		}
		return s.Quo(wholeForm(1), f)
	case q.under == 1 && q.over <= maxSumPower:
		return s.repeat(p, q.over)
	}
	return s.powerOfSum(p, q)
}

// repeat multiplies p by itself, n times.
func (s *Space) repeat(p poly, n int64) (*Form, error) {
	r := unity
	var err error
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			if r, err = s.times(p, r); err != nil {
				return nil, err
			}
		}
		if n > 1 {
			if p, err = s.times(p, p); err != nil {
				return nil, err
			}
		}
	}
	return &Form{r, unity}, nil
}

// powerOfSum makes an atom of a sum. It takes the first coefficient out, unless that is
// negative under an even root.
func (s *Space) powerOfSum(p poly, q fraction) (*Form, error) {
	c := p.content()
	if c.Sign() < 0 && q.under%2 == 0 {
		c = new(big.Rat).Neg(c)
	}
	sum := p.scale(new(big.Rat).Inv(c))
	out, err := s.rootOfNumber(c, q)
	if err != nil {
		return nil, err
	}
	n, rest := q.split()
	powers := []power{{s.intern(atom{name: "sum " + sum.text(), sum: sum}), rest}}
	root := productForm(powers)
	if n > maxSumPower || n < -maxSumPower {
		powers[0].exp = q
		root = productForm(powers)
	} else if n != 0 {
		times, err := s.power(sum, fraction{n, 1})
		if err != nil {
			return nil, err
		}
		if root, err = s.Times(root, times); err != nil {
			return nil, err
		}
	}
	return s.Times(out, root)
}

// powerOfTerm raises a product to a power, factor by factor.
func (s *Space) powerOfTerm(t term, q fraction) (*Form, error) {
	if q.under%2 == 0 && (t.coef.Sign() < 0 && len(t.powers) > 0 || s.evenPower(t)) {
		return s.opaqueRoot(t, q)
	}
	result, err := s.rootOfNumber(t.coef, q)
	if err != nil {
		return nil, err
	}
	for _, p := range t.powers {
		exp, ok := p.exp.times(q)
		if !ok {
			return nil, ErrForm
		}
		a := s.atoms[p.atom]
		var f *Form
		switch {
		case a.prime != nil:
			f, err = s.primeRoot(a.prime, exp)
		case a.sum != nil:
			f, err = s.powerOfSum(a.sum, exp)
		default:
			powers := []power{{p.atom, exp}}
			f = productForm(powers)
		}
		if err != nil {
			return nil, err
		}
		if result, err = s.Times(result, f); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// evenPower reports whether a term has an even power of a possibly negative base, or a root
// of -1, so that its root is not the product of the roots.
func (s *Space) evenPower(t term) bool {
	for _, p := range t.powers {
		a := s.atoms[p.atom]
		positive := a.prime != nil && a.prime.Sign() > 0 || a.name == "pi" || a.name == "e" || a.sum != nil && p.exp.under%2 == 0
		if !positive && (p.exp.over%2 == 0 || a.prime != nil || !a.variable()) {
			return true
		}
	}
	return false
}

// opaqueRoot returns a root as a single atom.
func (s *Space) opaqueRoot(t term, q fraction) (*Form, error) {
	p := t.poly()
	return s.form(atom{name: "root " + p.text() + "^" + big.NewRat(q.over, q.under).RatString()}), nil
}

// rootOfNumber returns c to the power of q: a product of roots of primes.
func (s *Space) rootOfNumber(c *big.Rat, q fraction) (*Form, error) {
	result := wholeForm(1)
	if c.Cmp(big.NewRat(1, 1)) == 0 {
		return result, nil
	}
	if c.Sign() < 0 {
		sign := wholeForm(-1)
		if q.under%2 == 0 {
			var err error
			if sign, err = s.primeRoot(big.NewInt(-1), q); err != nil {
				return nil, err
			}
		} else if q.over%2 == 0 {
			sign = result
		}
		result = sign
	}
	for i, n := range []*big.Int{c.Num(), c.Denom()} {
		exp := q
		if i == 1 {
			exp.over = -q.over
		}
		factors, err := s.factor(new(big.Int).Abs(n))
		if err != nil {
			return nil, err
		}
		for _, f := range factors {
			e, ok := newFraction(exp.over*f.times, exp.under)
			if !ok {
				return nil, ErrForm
			}
			root, err := s.primeRoot(f.prime, e)
			if err != nil {
				return nil, err
			}
			if result, err = s.Times(result, root); err != nil {
				return nil, err
			}
		}
	}
	return result, nil
}

// primeRoot returns prime to the power of q.
func (s *Space) primeRoot(prime *big.Int, q fraction) (*Form, error) {
	powers := []power{{s.intern(atom{name: "prime " + prime.String(), prime: prime}), q}}
	t := term{powers, big.NewRat(1, 1)}
	s.settle(&t)
	return &Form{t.poly(), unity}, nil
}

// A factor is a prime, or a rest without small primes, with its multiplicity.
type factor struct {
	prime *big.Int
	times int64
}

// maxPrime bounds the primes that we try.
const maxPrime = 2000

// factor divides n by small primes. The rest becomes one factor; see perfect.
func (s *Space) factor(n *big.Int) ([]factor, error) {
	if n.BitLen() > maxBits {
		return nil, ErrForm
	}
	var found []factor
	n = new(big.Int).Set(n)
	rest := new(big.Int)
	for p := int64(2); p <= maxPrime && n.BitLen() > 1; p += 1 + p&1 {
		if n.IsInt64() && p*p > n.Int64() {
			break
		}
		if err := s.Budget.Spend(1 + n.BitLen()/512); err != nil {
			return nil, err
		}
		prime := big.NewInt(p)
		times := int64(0)
		for {
			quo, _ := new(big.Int).QuoRem(n, prime, rest)
			if rest.Sign() != 0 {
				break
			}
			n = quo
			times++
			if err := s.Budget.Spend(1 + n.BitLen()/512); err != nil {
				return nil, err
			}
		}
		if times > 0 {
			found = append(found, factor{prime, times})
		}
	}
	if n.BitLen() > 1 {
		found = append(found, perfect(n))
	}
	return found, nil
}

// perfect returns n as a factor: a perfect square as its root, with twice the multiplicity.
func perfect(n *big.Int) factor {
	root := new(big.Int).Sqrt(n)
	if new(big.Int).Mul(root, root).Cmp(n) == 0 {
		f := perfect(root)
		f.times *= 2
		return f
	}
	return factor{n, 1}
}

// argText names a function of forms.
func argText(name string, args []*Form) string {
	var b strings.Builder
	b.WriteString("fn " + name)
	for _, a := range args {
		b.WriteString("(" + a.text() + ")")
	}
	return b.String()
}
