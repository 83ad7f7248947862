package mathematics

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPolynomialEquationsScore(t *testing.T) {
	item := polynomialItem{Polynomial: "x**2 - 3*x + 1", Variable: "x", Degree: 2, Roots: []float64{0.382, 2.618}, Terms: 3}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"0.382, 2.618", 1, ""},
		{"2.6180,0.3820", 1, "order, space and zeros are free"},
		{" +.382 ,\n26.18e-1", 1, "as Python reads numbers"},
		{"x, 0.382, 2.618,", 0, "a word; reasoning-gym ignores it"},
		{"0.382, 2.618,", 1, "a last comma"},
		{"0.38197, 2.61803", (math.Exp(-10*0.00003) + math.Exp(-10*0.00003)) / 2, "more decimals than were asked for, as in reasoning-gym"},
		{"0.3825, 2.618", (1 + math.Exp(-0.005)) / 2, "half a thousandth off"},
		{"0.384, 2.618", 0.5, "off by 0.002; reasoning-gym pays 0.99"},
		{"0.38, 2.62", 0, "two decimals"},
		{"0.382", 0.5, "one too few"},
		{"0.382, 2.618, 7", 0, "one too many"},
		{"0.382, 2.618, nan", 0, ""},
		{"0.382, 2.618, inf", 0, ""},
		{"0.382, 2.618, 1e999", 0, ""},
		{"0.382, 2.618, 0.382, 2.618", 0, "two too many"},
		{"0.382, 0.382", 0.5, "one root twice"},
		{"0.382 2.618", 0, "no comma"},
		{"x = 0.382, x_2 = 2.618", 1, "with the variable"},
		{"y = 0.382, y = 2.618", 0, "another letter"},
		{"[0.382, 2.618]", 0, ""},
		{"-0.382, -2.618", 0, ""},
		{"0", 0, "reasoning-gym has 0.35 on average"},
		{"nan, nan", 0, ""},
		{"1_0, 2__0", 0, ""},
		{`""`, 0, "no roots"},
		{strings.Repeat("0.382,", 20_000), 0, ""},
	})
	none := polynomialItem{Polynomial: "x**2 + 1", Variable: "x", Degree: 2, Roots: []float64{}}
	tasktest.Nears(t, none.Score, []tasktest.Near{
		{`""`, 1, "as the question of reasoning-gym wants it"}, {"", 1, ""}, {none.Solve(), 1, ""}, {"0", 0, ""}, {"I do not know", 0, "reasoning-gym pays 1"},
	})
	if err := task.Check(polynomialItem{Roots: make([]float64, 101)}); err == nil {
		t.Error("101 roots are accepted")
	}
	if err := task.Check(polynomialItem{Phrasing: 99}); err == nil {
		t.Error("phrasing 3 is accepted")
	}
}

func TestPolynomialEquationsParams(t *testing.T) {
	for _, params := range []string{
		`{"min_terms":1,"max_terms":1}`, `{"operators":["+"],"min_degree":2,"max_degree":2}`, `{"operators":["-"],"min_degree":4,"max_degree":4,"max_value":1}`,
		`{"min_degree":10,"max_degree":10,"max_value":1000000,"min_terms":9,"max_terms":50}`, `{"min_terms":3,"max_terms":3,"max_value":1,"min_degree":2,"max_degree":2}`,
	} {
		own, err := polynomialEquations.Task().With([]byte(params))
		if err != nil {
			t.Fatal(err)
		}
		tasktest.Second(t, own, 30, secondRoots)
	}
}

func TestPolynomialText(t *testing.T) {
	for want, p := range map[string]polynomial{
		"51*h**3 - 61*h**2 - 78*h": {0, -78, -61, 51}, "-h**2 + 1": {1, 0, -1}, "h": {0, 1}, "-77*h": {0, -77}, "98 - 77*h": nil, "h - 1": {-1, 1},
	} {
		if p != nil && p.text("h") != want {
			t.Errorf("%v is written %s, want %s", p, p.text("h"), want)
		}
	}
}

func TestRoots(t *testing.T) {
	for _, test := range []struct {
		p    polynomial
		want []float64
		sure bool
		why  string
	}{
		{polynomial{-39, 0, 0, 88}, []float64{0.7624}, true, "the derivative has a double root"},
		{polynomial{0, -78, -61, 51}, []float64{-0.7757, 0, 1.9717}, true, ""},
		{polynomial{0, 0, -63}, []float64{0}, true, ""},
		{polynomial{1, 0, 1}, nil, true, "none"},
		{polynomial{1, -2, 1}, nil, false, "a double root"},
		{polynomial{-1, 3, -3, 1}, []float64{1}, true, "a root three times over"},
		{polynomial{-6, 11, -6, 1}, []float64{1, 2, 3}, true, ""},
		{polynomial{24, -50, 35, -10, 1}, []float64{1, 2, 3, 4}, true, ""},
		{polynomial{-2, 0, 0, 0, 0, 1}, []float64{1.1487}, true, ""},
		{polynomial{7}, nil, true, "a constant"},
	} {
		roots, sure := test.p.roots()
		rounded := roundRoots(roots)
		if sure != test.sure || sure && !slices.Equal(rounded, test.want) {
			t.Errorf("%v (%s): %v, %v; want %v, %v", test.p, test.why, roots, sure, test.want, test.sure)
		}
	}
	for _, roots := range [][]float64{{0.00001}, {0.03125}, {1, 1.01}, {-0.01, 3}} {
		if got := roundRoots(roots); got != nil {
			t.Errorf("the roots %v are rounded to %v, want them refused", roots, got)
		}
	}
}

var polynomialRE = regexp.MustCompile(`(?m)^([-+*^ 0-9a-z]*[0-9a-z])(?: = 0)?$`)

func TestPolynomialEquationsSecond(t *testing.T) {
	tasktest.Second(t, polynomialEquations.Task(), 1200, secondRoots)
}

// secondRoots reads the polynomial from the prompt and counts its roots by Sturm's theorem,
// in exact rational numbers: one within half a unit of the last decimal of each number in
// the solution, and as many in all.
func secondRoots(s polynomialItem, prompt, got string) error {
	_, rest, _ := strings.Cut(prompt, "\n\n")
	found := polynomialRE.FindStringSubmatch(rest)
	if found == nil {
		return fmt.Errorf("the prompt is %q", prompt)
	}
	chain := sturmChain(readPolynomial(found[1], s.Variable))
	answers := strings.Split(got, ", ")
	huge := new(big.Rat).SetInt64(1 << 50)
	if all := signChanges(chain, new(big.Rat).Neg(huge)) - signChanges(chain, huge); all != len(answers) {
		return fmt.Errorf("there are %d roots, the solution is %s", all, got)
	}
	half := big.NewRat(1, 20_000)
	for _, text := range answers {
		x, ok := new(big.Rat).SetString(text)
		if _, decimals, _ := strings.Cut(text, "."); !ok || len(decimals) > 4 {
			return fmt.Errorf("%q is not a number of four decimals", text)
		}
		if n := signChanges(chain, new(big.Rat).Sub(x, half)) - signChanges(chain, new(big.Rat).Add(x, half)); n != 1 {
			return fmt.Errorf("there are %d roots near %s", n, text)
		}
	}
	return nil
}

// readPolynomial reads the output of polynomial.text, with ^ for **.
func readPolynomial(text, variable string) []*big.Rat {
	p := make([]*big.Rat, 12)
	for i := range p {
		p[i] = new(big.Rat)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, " - ", " + -"), "-"+variable, "-1*"+variable)
	top := 0
	for _, term := range strings.Split(text, " + ") {
		factor, power, has := strings.Cut(term, variable)
		degree := 0
		if has {
			degree = 1
			if n, err := strconv.Atoi(strings.TrimPrefix(power, "^")); err == nil {
				degree = n
			}
		}
		if factor = strings.TrimSuffix(factor, "*"); factor == "" {
			factor = "1"
		}
		c, _ := new(big.Rat).SetString(factor)
		p[degree].Add(p[degree], c)
		top = max(top, degree)
	}
	return p[:top+1]
}

// sturmChain returns p, its derivative, and the negated remainders of dividing each by the
// next.
func sturmChain(p []*big.Rat) [][]*big.Rat {
	d := make([]*big.Rat, len(p)-1)
	for i := range d {
		d[i] = new(big.Rat).Mul(p[i+1], big.NewRat(int64(i+1), 1))
	}
	chain := [][]*big.Rat{p, d}
	for {
		a, b := slices.Clone(chain[len(chain)-2]), chain[len(chain)-1]
		for len(a) >= len(b) {
			q := new(big.Rat).Quo(a[len(a)-1], b[len(b)-1])
			for i := range b {
				at := len(a) - len(b) + i
				a[at] = new(big.Rat).Sub(a[at], new(big.Rat).Mul(q, b[i]))
			}
			a = a[:len(a)-1]
		}
		for len(a) > 0 && a[len(a)-1].Sign() == 0 {
			a = a[:len(a)-1]
		}
		if len(a) == 0 {
			return chain
		}
		for i := range a {
			a[i] = new(big.Rat).Neg(a[i])
		}
		chain = append(chain, a)
	}
}

// signChanges counts the sign changes among the values of the chain at x.
func signChanges(chain [][]*big.Rat, x *big.Rat) int {
	changes, last := 0, 0
	for _, p := range chain {
		value := new(big.Rat)
		for i := len(p) - 1; i >= 0; i-- {
			value.Add(value.Mul(value, x), p[i])
		}
		if sign := value.Sign(); sign != 0 {
			if last*sign < 0 {
				changes++
			}
			last = sign
		}
	}
	return changes
}

func TestPolynomialEquationsKeys(t *testing.T) {
	tasktest.Variant(t, polynomialEquations.Task(), "another variable", func(s *polynomialItem, _ *rng.Rand) func(string) string {
		s.Polynomial, s.Variable = strings.ReplaceAll(s.Polynomial, s.Variable, "Z"), "Z"
		return nil
	})
	tasktest.Variant(t, polynomialEquations.Task(), "all signs changed", func(s *polynomialItem, _ *rng.Rand) func(string) string {
		turned, negative := strings.CutPrefix(strings.NewReplacer(" + ", " - ", " - ", " + ").Replace(s.Polynomial), "-")
		if !negative {
			turned = "-" + turned
		}
		s.Polynomial = turned
		return nil
	})
	opposed := func(roots string) string {
		list := strings.Split(roots, ", ")
		for i, root := range list {
			if rest, negative := strings.CutPrefix(root, "-"); negative {
				list[i] = rest
			} else if root != "0" && root != "" {
				list[i] = "-" + root
			}
		}
		slices.Reverse(list)
		return strings.Join(list, ", ")
	}
	tasktest.Variant(t, polynomialEquations.Task(), "the opposite variable", func(s *polynomialItem, _ *rng.Rand) func(string) string {
		s.Polynomial = strings.ReplaceAll(s.Polynomial, s.Variable, "(-"+s.Variable+")")
		for i := range s.Roots {
			s.Roots[i] = 0 - s.Roots[i]
		}
		slices.Reverse(s.Roots)
		return opposed
	})
	tasktest.Translated(t, polynomialEquations.Task(), func(solution string, _, to polynomialItem) string {
		if to.Score(solution) != quintain.Right() {
			return opposed(solution)
		}
		return solution
	})
	tasktest.Same(t, polynomialEquations.Task(), "the name of the variable is free", func(s *polynomialItem) {
		s.Polynomial, s.Variable = strings.ReplaceAll(s.Polynomial, s.Variable, "q"), "q"
	})
}
