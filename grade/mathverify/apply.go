package mathverify

import (
	"math/big"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// apply evaluates a function.
func (c *calc) apply(n *expr.Node) (ball, error) {
	args := make([]ball, len(n.Args))
	for i, arg := range n.Args {
		var err error
		if args[i], err = c.eval(arg); err != nil {
			return ball{}, err
		}
	}
	if len(args) == 2 {
		return c.applyTwo(n.Name, args)
	}
	if len(args) != 1 {
		return ball{}, errUnknown
	}
	a := args[0]
	switch n.Name {
	case "abs":
		return c.abs(a)
	case "ln":
		if a.real() && a.Re.Sign() < 0 && variable(n.Args[0]) {
			return ball{}, errDomain
		}
		return c.log(a)
	case "floor", "ceil":
		return c.round(n.Name, a)
	case "factorial", "factorial2":
		return c.factorial(n.Name, a)
	case "sign":
		s, err := a.sign()
		if err != nil {
			return ball{}, err
		}
		return c.whole(int64(s)), nil
	}
	if t, ok := inTermsOf[n.Name]; ok {
		return c.quotient(t, a)
	}
	if f, ok := hyperbolic[n.Name]; ok {
		return f(c, a)
	}
	return c.circular(n.Name, a)
}

// inTermsOf maps functions to the two whose quotient they are; "" is 1.
var inTermsOf = map[string][2]string{
	"tan": {"sin", "cos"}, "cot": {"cos", "sin"}, "sec": {"", "cos"}, "csc": {"", "sin"},
	"tanh": {"sinh", "cosh"}, "coth": {"cosh", "sinh"}, "sech": {"", "cosh"}, "csch": {"", "sinh"},
}

func (c *calc) quotient(names [2]string, a ball) (ball, error) {
	over := c.whole(1)
	if names[0] != "" {
		var err error
		if over, err = c.plain(names[0], a); err != nil {
			return ball{}, err
		}
	}
	under, err := c.plain(names[1], a)
	if err != nil {
		return ball{}, err
	}
	return c.quo(over, under)
}

// plain evaluates sin, cos, sinh or cosh.
func (c *calc) plain(name string, a ball) (ball, error) {
	if f, ok := hyperbolic[name]; ok {
		return f(c, a)
	}
	return c.circular(name, a)
}

// circular evaluates sine and cosine and the inverse functions.
func (c *calc) circular(name string, a ball) (ball, error) {
	if !a.real() {
		return ball{}, errUnknown
	}
	switch name {
	case "sin", "cos":
		sin, cos, err := c.sincos(a)
		if name == "cos" {
			return cos, err
		}
		return sin, err
	case "arctan":
		return c.arctan(a)
	case "arcsin":
		return c.arcsin(a)
	case "arccot", "arccos":
		b, err := c.arctan(a)
		if name == "arccos" {
			b, err = c.arcsin(a)
		}
		if err != nil {
			return ball{}, err
		}
		half, err := c.rounded(c.float().SetMantExp(c.float().Set(piOnce()), -1), nil, exactly)
		if err != nil {
			return ball{}, err
		}
		return c.add(half, c.neg(b))
	case "arcsec", "arccsc":
		b, err := c.quo(c.whole(1), a)
		if err != nil {
			return ball{}, err
		}
		return c.circular(map[string]string{"arcsec": "arccos", "arccsc": "arcsin"}[name], b)
	}
	return ball{}, errUnknown
}

// arcsin is arctan(a/√(1-a²)), and ErrDomain outside [-1, 1].
func (c *calc) arcsin(a ball) (ball, error) {
	square, err := c.mul(a, a)
	if err != nil {
		return ball{}, err
	}
	rest, err := c.add(c.whole(1), c.neg(square))
	if err != nil {
		return ball{}, err
	}
	if s, err := rest.sign(); err != nil || s < 0 {
		return ball{}, errDomain
	}
	root, err := c.sqrt(rest)
	if err != nil {
		return ball{}, err
	}
	if exponent(root.Re) == exactly { // a is 1 or -1
		half := c.float().SetMantExp(c.float().Set(piOnce()), -1)
		if a.Re.Sign() < 0 {
			half.Neg(half)
		}
		return c.rounded(half, nil, exactly)
	}
	b, err := c.quo(a, root)
	if err != nil {
		return ball{}, err
	}
	return c.arctan(b)
}

// hyperbolic holds the functions built from e^x and ln x.
var hyperbolic = map[string]func(c *calc, a ball) (ball, error){
	"sinh":   func(c *calc, a ball) (ball, error) { return c.sinhCosh(a, true) },
	"cosh":   func(c *calc, a ball) (ball, error) { return c.sinhCosh(a, false) },
	"arsinh": func(c *calc, a ball) (ball, error) { return c.areaLog(a, 1) },
	"arcosh": func(c *calc, a ball) (ball, error) { return c.areaLog(a, -1) },
	"artanh": (*calc).artanh,
}

func (c *calc) sinhCosh(a ball, sinh bool) (ball, error) {
	up, err := c.exp(a)
	if err != nil {
		return ball{}, err
	}
	down, err := c.exp(c.neg(a))
	if err != nil {
		return ball{}, err
	}
	if sinh {
		down = c.neg(down)
	}
	sum, err := c.add(up, down)
	if err != nil {
		return ball{}, err
	}
	return c.mul(sum, c.half())
}

// areaLog is ln(a + √(a² + sign)).
func (c *calc) areaLog(a ball, sign int64) (ball, error) {
	square, err := c.mul(a, a)
	if err != nil {
		return ball{}, err
	}
	if square, err = c.add(square, c.whole(sign)); err != nil {
		return ball{}, err
	}
	if s, err := square.sign(); err != nil || s < 0 || sign < 0 && a.Re.Sign() < 0 {
		return ball{}, errDomain
	}
	root, err := c.sqrt(square)
	if err != nil {
		return ball{}, err
	}
	if root, err = c.add(a, root); err != nil {
		return ball{}, err
	}
	return c.log(root)
}

// artanh is half of ln((1+a)/(1-a)).
func (c *calc) artanh(a ball) (ball, error) {
	one := c.whole(1)
	over, err := c.add(one, a)
	if err != nil {
		return ball{}, err
	}
	under, err := c.add(one, c.neg(a))
	if err != nil {
		return ball{}, err
	}
	q, err := c.quo(over, under)
	if err != nil {
		return ball{}, err
	}
	if s, err := q.sign(); err != nil || s <= 0 {
		return ball{}, errDomain
	}
	if q, err = c.log(q); err != nil {
		return ball{}, err
	}
	return c.mul(q, c.half())
}

// round evaluates floor and ceil.
func (c *calc) round(name string, a ball) (ball, error) {
	if !a.real() || exponent(a.Re) > int(c.prec)/2 {
		return ball{}, errUnknown
	}
	n, accuracy := a.Re.Int(nil)
	if a.isExact() && accuracy == big.Exact {
		return a, nil
	}
	rest := c.float().Sub(a.Re, c.float().SetInt(n)) // its distance to a whole number
	if near := exponent(rest); near-2 <= a.Err && !a.isExact() || exponent(c.float().Sub(c.float().SetInt64(1), rest.Abs(rest)))-2 <= a.Err {
		return ball{}, errPrecision
	}
	if accuracy == big.Above && name == "floor" { // Int rounds toward zero
		n.Sub(n, big.NewInt(1))
	}
	if accuracy == big.Below && name == "ceil" {
		n.Add(n, big.NewInt(1))
	}
	return c.rational(new(big.Rat).SetInt(n))
}

// maxFactorial is the greatest argument of a factorial.
const maxFactorial = 2000

// factorial evaluates the factorial of a whole number.
func (c *calc) factorial(name string, a ball) (ball, error) {
	k, ok := wholeNumber(a)
	if !ok || k < 0 {
		return ball{}, errDomain
	}
	if k > maxFactorial {
		return ball{}, errUnknown
	}
	step := int64(1)
	if name == "factorial2" {
		step = 2
	}
	if err := c.budget.Spend(int(k)); err != nil {
		return ball{}, err
	}
	r := c.float().SetInt64(1)
	for ; k > 1; k -= step {
		r.Mul(r, c.float().SetInt64(k))
	}
	return c.rounded(r, nil, exponent(r)-int(c.prec)+11)
}

// applyTwo evaluates functions of two arguments.
func (c *calc) applyTwo(name string, args []ball) (ball, error) {
	n, ok := wholeNumber(args[0])
	k, is2 := wholeNumber(args[1])
	switch {
	case name == "max" || name == "min":
		d, err := c.add(args[0], c.neg(args[1]))
		if err != nil {
			return ball{}, err
		}
		s, err := d.sign()
		if err != nil {
			return ball{}, err
		}
		if (s > 0) == (name == "max") {
			return args[0], nil
		}
		return args[1], nil
	case name == "mod" && ok && is2 && k != 0:
		m := n % k
		if m != 0 && (m < 0) != (k < 0) {
			m += k
		}
		return c.whole(m), nil
	case name == "binom" && is2 && k >= 0 && k <= 100:
		return c.binomial(args[0], k)
	case name == "binom" && ok && is2 && k < 0:
		return c.whole(0), nil
	case name == "binom" && ok && n >= 0:
		return ball{}, errUnknown
	case name == "mod" || name == "binom":
		return ball{}, errDomain
	}
	return ball{}, errUnknown
}

// binomial is the falling product a·(a-1)…(a-k+1)/k!.
func (c *calc) binomial(a ball, k int64) (ball, error) {
	r := c.whole(1)
	for j := range k {
		next, err := c.add(a, c.whole(-j))
		if err != nil {
			return ball{}, err
		}
		if r, err = c.mul(r, next); err != nil {
			return ball{}, err
		}
		if r, err = c.quo(r, c.whole(j+1)); err != nil {
			return ball{}, err
		}
	}
	return r, nil
}
