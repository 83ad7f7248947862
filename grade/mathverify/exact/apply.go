package exact

import (
	"math/big"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// apply returns a function of forms: a number if it has a rational value, else an atom.
func (s reader) apply(n *expr.Node) (*Form, error) {
	if n.Name == "det" {
		return s.determinant(n.Args[0])
	}
	if n.Name == "tr" {
		return s.trace(n.Args[0])
	}
	args := make([]*Form, len(n.Args))
	numbers := make([]*big.Rat, len(n.Args))
	known := true
	for i, arg := range n.Args {
		f, err := s.Read(arg)
		if err != nil {
			return nil, err
		}
		value, ok := f.Number()
		args[i], numbers[i] = f, value
		known = known && ok
	}
	if n.Name == "residue" && known && len(args) == 2 && numbers[1].Sign() > 0 {
		quo := floor(new(big.Rat).Quo(numbers[0], numbers[1]))
		args[0] = numberForm(quo.Sub(numbers[0], quo.Mul(quo, numbers[1])))
		return s.form(atom{name: argText(n.Name, args)}), nil
	}
	if known {
		if f, err := s.value(n.Name, numbers); f != nil || err != nil {
			return f, err
		}
	}
	switch {
	case n.Name == "ln" && len(args) == 1:
		return s.logarithm(args[0])
	case n.Name == "abs" && len(args) == 1:
		return s.absolute(args[0]), nil
	case len(args) == 1 && (n.Name == "sin" || n.Name == "cos"):
		return s.function(n.Name, args[0])
	case n.Name == "tan" && len(args) == 1:
		return s.tangent(args)
	case n.Name == "binom" && len(args) == 2 && numbers[1] != nil:
		return s.binomial(args[0], numbers[1])
	}
	return s.form(atom{name: argText(n.Name, args)}), nil
}

// The greatest arguments for which we write out the value of a function.
const (
	maxFactorial = 4000
	maxBinomial  = 4000
)

// value returns a function of numbers; nil if it is irrational.
func (s reader) value(name string, x []*big.Rat) (*Form, error) {
	if len(x) == 1 {
		return s.valueOfOne(name, x[0])
	}
	switch name {
	case "binom":
		return s.choose(x)
	case "mod":
		if x[1].Sign() == 0 {
			return nil, ErrUndefined
		}
		quo := floor(new(big.Rat).Quo(x[0], x[1]))
		return numberForm(quo.Sub(x[0], quo.Mul(quo, x[1]))), nil
	case "max", "min":
		best := x[0]
		for _, y := range x[1:] {
			if (y.Cmp(best) > 0) == (name == "max") {
				best = y
			}
		}
		return numberForm(best), nil
	case "gcd", "lcm":
		return divisors(name, x), nil
	}
	return nil, nil
}

// valueOfOne returns a function of one number; nil if it is irrational.
func (s reader) valueOfOne(name string, x *big.Rat) (*Form, error) {
	switch name {
	case "abs":
		return numberForm(new(big.Rat).Abs(x)), nil
	case "floor":
		return numberForm(floor(x)), nil
	case "ceil":
		return numberForm(new(big.Rat).Neg(floor(new(big.Rat).Neg(x)))), nil
	case "sign":
		return wholeForm(int64(x.Sign())), nil
	case "factorial", "factorial2":
		if !x.IsInt() || x.Sign() < 0 {
			return nil, ErrForm
		}
		if !x.Num().IsInt64() || x.Num().Int64() > maxFactorial {
			return nil, nil
		}
		return numberForm(new(big.Rat).SetInt(product(x.Num().Int64(), name))), s.Budget.Spend(int(x.Num().Int64()))
	case "ln":
		if x.Sign() == 0 {
			return nil, ErrUndefined
		}
	}
	return nil, nil
}

// product returns n!, or n!! in steps of two.
func product(n int64, name string) *big.Int {
	if name == "factorial" {
		return new(big.Int).MulRange(1, max(n, 1))
	}
	r := big.NewInt(1)
	for ; n > 1; n -= 2 {
		r.Mul(r, big.NewInt(n))
	}
	return r
}

// divisors returns the greatest common divisor or the least common multiple.
func divisors(name string, x []*big.Rat) *Form {
	r := new(big.Int)
	for i, y := range x {
		if !y.IsInt() || y.Sign() == 0 {
			return nil
		}
		n := new(big.Int).Abs(y.Num())
		gcd := new(big.Int).GCD(nil, nil, r, n)
		switch {
		case i == 0:
			r = n
		case name == "gcd":
			r = gcd
		default:
			r = n.Mul(n.Quo(n, gcd), r)
		}
	}
	return numberForm(new(big.Rat).SetInt(r))
}

func floor(x *big.Rat) *big.Rat {
	quo, _ := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	return new(big.Rat).SetInt(quo)
}

// choose returns a binomial coefficient of whole numbers.
func (s reader) choose(x []*big.Rat) (*Form, error) {
	if !x[0].IsInt() || !x[1].IsInt() || !x[0].Num().IsInt64() || !x[1].Num().IsInt64() || x[0].Sign() < 0 {
		return nil, nil
	}
	n, k := x[0].Num().Int64(), x[1].Num().Int64()
	switch {
	case k < 0 || k > n:
		return wholeForm(0), nil
	case n > maxBinomial:
		return nil, nil
	}
	return numberForm(new(big.Rat).SetInt(new(big.Int).Binomial(n, k))), s.Budget.Spend(int(n))
}

// maxFalling is the greatest k for which we write the binomial coefficient of a variable
// as a polynomial.
const maxFalling = 12

// binomial returns f over k.
func (s reader) binomial(f *Form, k *big.Rat) (*Form, error) {
	if !k.IsInt() || k.Sign() < 0 || k.Cmp(big.NewRat(maxFalling, 1)) > 0 {
		return s.form(atom{name: argText("binom", []*Form{f, numberForm(k)})}), nil
	}
	result := wholeForm(1)
	for j := range k.Num().Int64() {
		next, err := s.Minus(f, wholeForm(j))
		if err != nil {
			return nil, err
		}
		next.over = next.over.scale(big.NewRat(1, j+1))
		if result, err = s.Times(result, next); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// absolute returns |f|, in the same form as |-f|.
func (s reader) absolute(f *Form) *Form {
	if t, single := f.over.single(); single && one(f.under) {
		if c, ok := s.positive(t); ok {
			return c
		}
	}
	a, b := f.text(), (&Form{f.over.negative(), f.under}).text()
	return s.form(atom{name: "fn abs(" + min(a, b) + ")"})
}

// positive returns the absolute value of a product of roots of primes, π and e.
func (s reader) positive(t term) (*Form, bool) {
	for _, p := range t.powers {
		a := s.atoms[p.atom]
		if (a.prime == nil || a.prime.Sign() < 0) && a.name != "pi" && a.name != "e" {
			return nil, false
		}
	}
	return &Form{term{t.powers, new(big.Rat).Abs(t.coef)}.poly(), unity}, true
}

// logarithm splits the logarithm of a product.
func (s reader) logarithm(f *Form) (*Form, error) {
	if f.IsZero() {
		return nil, ErrUndefined
	}
	over, err := s.logOfPoly(f.over)
	if err != nil || one(f.under) {
		return over, err
	}
	under, err := s.logOfPoly(f.under)
	if err != nil {
		return nil, err
	}
	return s.Minus(over, under)
}

func (s reader) logOfPoly(p poly) (*Form, error) {
	t, single := p.single()
	if !single || t.coef.Sign() < 0 {
		c := p.content()
		if c.Sign() < 0 || single {
			return s.form(atom{name: "ln " + p.text()}), nil
		}
		rest := s.form(atom{name: "ln " + p.scale(new(big.Rat).Inv(c)).text()})
		f, err := s.logOfNumber(c)
		if err != nil {
			return nil, err
		}
		return s.Plus(f, rest)
	}
	result, err := s.logOfNumber(t.coef)
	if err != nil {
		return nil, err
	}
	for _, q := range t.powers {
		f, err := s.logOfAtom(q)
		if err != nil {
			return nil, err
		}
		if result, err = s.Plus(result, f); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// logOfNumber returns the sum of the logarithms of the primes of c, which is positive.
func (s reader) logOfNumber(c *big.Rat) (*Form, error) {
	result := wholeForm(0)
	for i, n := range []*big.Int{c.Num(), c.Denom()} {
		factors, err := s.factor(n)
		if err != nil {
			return nil, err
		}
		for _, f := range factors {
			times := new(big.Rat).SetInt64(f.times)
			if i == 1 {
				times.Neg(times)
			}
			term := s.form(atom{name: "ln " + f.prime.String()})
			term.over = term.over.scale(times)
			if result, err = s.Plus(result, term); err != nil {
				return nil, err
			}
		}
	}
	return result, nil
}

// logOfAtom returns the logarithm of a power.
func (s reader) logOfAtom(q power) (*Form, error) {
	a := s.atoms[q.atom]
	exp := numberForm(big.NewRat(q.exp.over, q.exp.under))
	switch {
	case a.name == "e":
		return exp, nil
	case a.prime != nil:
		return s.Times(exp, s.form(atom{name: "ln " + a.prime.String()}))
	case a.exp != nil:
		f, err := s.logarithm(a.base)
		if err != nil {
			return nil, err
		}
		if f, err = s.Times(f, a.exp); err != nil {
			return nil, err
		}
		return s.Times(exp, f)
	}
	return s.Times(exp, s.form(atom{name: "ln " + a.name}))
}

// maxMatrix is the greatest size of a determinant that we compute.
const maxMatrix = 5

// determinant expands a determinant by its first row.
func (s reader) determinant(m *expr.Node) (*Form, error) {
	if m.Op != expr.Matrix || len(m.Args) != len(m.Args[0].Args) || len(m.Args) > maxMatrix {
		return nil, ErrForm
	}
	rows := make([][]*Form, len(m.Args))
	for i, row := range m.Args {
		for _, cell := range row.Args {
			f, err := s.Read(cell)
			if err != nil {
				return nil, err
			}
			rows[i] = append(rows[i], f)
		}
	}
	return s.expand(rows)
}

// trace adds the diagonal of a matrix.
func (s reader) trace(m *expr.Node) (*Form, error) {
	if m.Op != expr.Matrix || len(m.Args) != len(m.Args[0].Args) {
		return nil, ErrForm
	}
	sum := expr.New(expr.Add)
	for i, row := range m.Args {
		sum.Args = append(sum.Args, row.Args[i])
	}
	return s.Read(sum)
}

func (s reader) expand(rows [][]*Form) (*Form, error) {
	if len(rows) == 1 {
		return rows[0][0], nil
	}
	sum := wholeForm(0)
	for j, f := range rows[0] {
		var minor [][]*Form
		for _, row := range rows[1:] {
			minor = append(minor, append(append([]*Form{}, row[:j]...), row[j+1:]...))
		}
		part, err := s.expand(minor)
		if err != nil {
			return nil, err
		}
		if part, err = s.Times(f, part); err != nil {
			return nil, err
		}
		if j%2 == 1 {
			sum, err = s.Minus(sum, part)
		} else {
			sum, err = s.Plus(sum, part)
		}
		if err != nil {
			return nil, err
		}
	}
	return sum, nil
}
