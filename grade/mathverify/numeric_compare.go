package mathverify

import (
	"errors"
	"hash/fnv"
	"math/big"
	"slices"

	"github.com/quintain-rl/quintain/grade/mathverify/exact"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// firstPrec is the precision, in bits, that suffices for nearly all comparisons.
const firstPrec = 192

// wanted is how many bits of two equal values must agree.
const wanted = 128

// points is the number of points at which we compare expressions with variables.
const points = 6

// tries is how many points we try, since some have no value.
const tries = 40

// compareValues compares two expressions by their values: constants to 448 bits or more, others
// at six points to at least 128 bits. The points are irrational, positive, negative and
// whole numbers; they depend on both expressions, so that no expression can be made to
// agree only at the points we try. Two polynomials of degree d that differ agree at one
// point with a probability below d/2⁶⁰, and Different is always right; we know no bound
// for other functions. The errors are ErrUnknown and ErrUndefined, if there is nothing to
// compare, and the budget's errors.
func compareValues(a, b *expr.Node, budget *exact.Budget) (exact.Verdict, error) {
	names := variables(a, b)
	if len(names) == 0 {
		return constants(a, b, budget)
	}
	agreed, lastErr := 0, errUnknown
	draw := newDraw(a, b)
	whole := needsWhole(a) || needsWhole(b)
	for try := range tries {
		prec := uint(firstPrec)
		if agreed == points-1 {
			prec = 2 * firstPrec
		}
		at := draw.point(names, kind{pointKind(try, whole), try / kinds % 2})
		verdict, err := comparePoint(a, b, setting{budget, prec, at})
		switch {
		case exact.Ended(err):
			return exact.Unknown, err
		case err != nil:
			lastErr = err
		case verdict == exact.Different:
			return verdict, nil
		case verdict == exact.Equal:
			if agreed++; agreed == points {
				return exact.Equal, nil
			}
		}
	}
	return exact.Unknown, lastErr
}

// variables lists the free variables of both expressions.
func variables(a, b *expr.Node) []string {
	var names []string
	for _, n := range []*expr.Node{a, b} {
		free(n, nil, &names)
	}
	return names
}

// free adds the free variables of n to names.
func free(n *expr.Node, bound []string, names *[]string) {
	if n.Op == expr.Symbol && !slices.Contains(bound, n.Name) && !slices.Contains(*names, n.Name) {
		*names = append(*names, n.Name)
	}
	if n.Op == expr.Big && (n.Name == "sum" || n.Name == "prod") {
		bound = append(slices.Clone(bound), n.Args[0].Name)
	}
	for _, arg := range n.Args {
		free(arg, bound, names)
	}
}

// needsWhole reports whether an expression has values only at whole numbers.
func needsWhole(n *expr.Node) bool {
	return !n.Walk(func(m *expr.Node) bool {
		counts := m.Op == expr.Apply && (m.Name == "factorial" || m.Name == "factorial2" || m.Name == "binom" || m.Name == "mod" || m.Name == "gcd") ||
			m.Op == expr.Big && (m.Name == "sum" || m.Name == "prod")
		return !counts || !variable(m)
	})
}

// A setting is the input of an evaluation besides the expression.
type setting struct {
	budget *exact.Budget
	prec   uint
	at     map[string]*big.Float
}

func (s setting) calc() *calc {
	c := &calc{field: &field{s.budget, s.prec, exactly, -exactly}, at: map[string]ball{}}
	for name, x := range s.at {
		re := c.float().Set(x)
		b := ball{Re: re, Err: exactly}
		if re.Acc() != big.Exact {
			b.Err = exponent(re) - int(s.prec) + 1
		}
		c.at[name] = b
	}
	return c
}

// constants compares two expressions without variables, with more and more digits.
func constants(a, b *expr.Node, budget *exact.Budget) (exact.Verdict, error) {
	for _, prec := range []uint{firstPrec, 448, 1600} {
		c := setting{budget, prec, nil}.calc()
		verdict, err := c.compare(a, b)
		lost := c.high - c.low
		switch {
		case verdict == exact.Different:
			return verdict, nil
		case err != nil && !errors.Is(err, errPrecision):
			return exact.Unknown, err
		case verdict == exact.Equal && prec > firstPrec && int(prec) > 2*lost+wanted:
			return exact.Equal, nil
		}
	}
	return exact.Unknown, errPrecision
}

// comparePoint compares two expressions at one point, with more digits if the first try
// loses too many.
func comparePoint(a, b *expr.Node, s setting) (exact.Verdict, error) {
	for {
		c := s.calc()
		verdict, err := c.compare(a, b)
		lost := c.high - c.low
		enough := verdict == exact.Different || verdict == exact.Equal && int(s.prec) >= 2*lost+wanted/2
		if enough || err != nil && !errors.Is(err, errPrecision) {
			return verdict, err
		}
		if s.prec > maxPrec/3 || lost > maxPrec {
			return exact.Unknown, errPrecision
		}
		s.prec *= 3
	}
}

// compare compares the values of two expressions. Unknown: they agree, but in too few
// digits.
func (c *calc) compare(a, b *expr.Node) (exact.Verdict, error) {
	x, err := c.eval(a)
	if err != nil {
		return exact.Unknown, err
	}
	y, err := c.eval(b)
	if err != nil {
		return exact.Unknown, err
	}
	size := max(x.size(), y.size())
	d, err := c.add(x, c.neg(y))
	if err != nil {
		return exact.Unknown, err
	}
	if _, far := d.least(); far {
		return exact.Different, nil
	}
	if d.isExact() || d.Err < max(size, -int(c.prec)/2)-wanted || d.Err < -wanted && size < -wanted/2 {
		return exact.Equal, nil
	}
	return exact.Unknown, errPrecision
}

// signOf returns the sign of an expression without variables: -1, 0 or +1. The error is
// ErrPrecision if it is too small to tell.
func signOf(n *expr.Node, budget *exact.Budget) (int, error) {
	c := setting{budget, firstPrec, nil}.calc()
	b, err := c.eval(n)
	if err != nil {
		return 0, err
	}
	return b.sign()
}

// nearValue reports whether an expression without variables is within tolerance of a value.
func nearValue(n *expr.Node, value, tolerance *big.Rat, budget *exact.Budget) (bool, error) {
	bits := max(0, tolerance.Denom().BitLen()-tolerance.Num().BitLen(), value.Num().BitLen()-value.Denom().BitLen())
	if bits > maxPrec/2 {
		return false, errPrecision
	}
	c := setting{budget, uint(firstPrec + 2*bits), nil}.calc()
	b, err := c.eval(n)
	if err != nil {
		return false, err
	}
	v, err := c.rational(new(big.Rat).Neg(value))
	if err != nil {
		return false, err
	}
	d, err := c.add(b, v)
	if err != nil || d.Im != nil && d.Im.Sign() != 0 {
		return false, err
	}
	limit := c.float().SetRat(tolerance)
	return c.float().Abs(d.Re).Cmp(limit) <= 0 && d.Err < exponent(limit), nil
}

// Kinds of points.
const (
	positive = iota
	negative
	mixed
	integer
	kinds
)

// pointKind returns the kind of points for a try: all kinds in turn, or whole numbers
// only.
func pointKind(try int, whole bool) int {
	if whole {
		return integer
	}
	return try % kinds
}

// A draw makes points.
type draw struct{ state uint64 }

func newDraw(a, b *expr.Node) *draw {
	h := fnv.New64a()
	_, _ = h.Write([]byte(a.String() + "\x00" + b.String()))
	return &draw{h.Sum64()}
}

// next returns 64 bits, by SplitMix64 (Steele, Lea, Flood 2014).
func (d *draw) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A kind is a kind of points, 2^(2·smaller) times smaller than usual.
type kind struct{ of, smaller int }

// point draws a value for each variable: the square root of a 60-bit fraction up to 9
// with a sign, a quarter of that, or a whole number.
func (d *draw) point(names []string, kind kind) map[string]*big.Float {
	at := map[string]*big.Float{}
	for _, name := range names {
		bits := d.next()
		if kind.of == integer {
			at[name] = new(big.Float).SetInt64(int64(bits%12 + 1 + 12*(bits>>32%3)))
			continue
		}
		x := new(big.Float).SetPrec(maxPrec + 100).SetInt64(int64(bits>>4) | 1)
		x.Mul(x, big.NewFloat(9))
		x.SetMantExp(x, -60-4*kind.smaller)
		x.Sqrt(x)
		if kind.of == negative || kind.of == mixed && bits&1 == 1 {
			x.Neg(x)
		}
		at[name] = x
	}
	return at
}
