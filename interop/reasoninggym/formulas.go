package reasoninggym

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// wholeNumbers returns the whole numbers in a text that stand alone, sorted.
func wholeNumbers(text string) (all []string) {
	letters := []rune(text)
	for i := 0; i < len(letters); i++ {
		if !pyInWord(letters[i]) {
			continue
		}
		first, digits := i, true
		for i < len(letters) && pyInWord(letters[i]) {
			digits = digits && unicode15.Digit(letters[i]) >= 0
			i++
		}
		if n, ok := pyReadInt(string(letters[first:i])); digits && ok {
			all = append(all, n.String())
		}
	}
	slices.Sort(all)
	return all
}

// countdown takes formulas with about the right value in whose text the given numbers stand,
// and pays a little for others.
func countdown(of *item, got string) float64 {
	const unread, wrong = 0.01, 0.05
	var m struct {
		Numbers []int64 `json:"numbers"`
		Target  int64   `json:"target"`
	}
	if !of.read(&m) {
		return 0
	}
	v, ok := symPyValue(got)
	if !ok {
		return unread
	}
	given := make([]string, len(m.Numbers))
	for i, n := range m.Numbers {
		given[i] = big.NewInt(n).String()
	}
	slices.Sort(given)
	far := math.Abs(v - float64(m.Target))
	return oneIf(slices.Equal(given, wholeNumbers(got)) && far <= 1e-6+1e-5*math.Abs(float64(m.Target)), wrong)
}

// twentyFour takes formulas with a value of 24, rounded down, in whose text four numbers
// stand, and pays a little for any text.
func twentyFour(of *item, got string) float64 {
	var m struct {
		Difficulty struct {
			Value []int64 `json:"value"`
		} `json:"difficulty"`
	}
	m.Difficulty.Value = []int64{1, 10}
	if !of.read(&m) {
		return 0
	}
	if len(m.Difficulty.Value) != 2 {
		return of.spoil("difficulty.value: want two numbers")
	}
	v, ok := symPyValue(answer.Trim(got))
	if !ok || math.Trunc(v) != 24 {
		return 0.01
	}
	numbers := wholeNumbers(got)
	for _, text := range numbers {
		n, _ := pyReadInt(text)
		if n.Cmp(big.NewInt(m.Difficulty.Value[0])) < 0 || n.Cmp(big.NewInt(m.Difficulty.Value[1])) > 0 {
			return 0.01
		}
	}
	return oneIf(len(numbers) == 4, 0.01)
}

// expanded takes formulas that SymPy brings into the same form by itself.
func expanded(of *item, got string) float64 {
	found, isFound := symPyForm(got)
	wanted, isWanted := symPyForm(of.oracle)
	return oneIf(isFound && isWanted && found == wanted, 0)
}

// antiderivative takes formulas whose derivative is the integrand; other names are constants.
func antiderivative(of *item, got string) float64 {
	var m struct {
		Variable  string `json:"variable"`
		Integrand string `json:"integrand"`
	}
	if !of.read(&m) {
		return 0
	}
	integrand, ok := readSymPy(m.Integrand)
	if !ok {
		return of.spoil("integrand is not a formula")
	}
	found, ok := readSymPy(got)
	if ok && found.Op == expr.Named { // SymPy reads a text in quotes once more
		found, ok = readSymPy(found.Name)
	}
	if !ok {
		return 0
	}
	c := &calculus{variable: m.Variable}
	want, have := c.standard(integrand), c.derivative(c.standard(found))
	if have == nil || want == nil || c.fault {
		return 0
	}
	same, _ := mathverify.Agree(want, have)
	return oneIf(same, 0)
}

// A calculus brings formulas of SymPy into the forms of package expr.
type calculus struct {
	variable  string
	integrals map[string]*expr.Node // the names that stand for integrals, with the integrands
	fault     bool
}

// sameFunctions has the names of functions in package expr.
var sameFunctions = map[string]string{
	"log": "ln", "ln": "ln", "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc",
	"asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
	"asinh": "arsinh", "acosh": "arcosh", "atanh": "artanh",
}

// standard rewrites functions and constants.
func (c *calculus) standard(n *expr.Node) *expr.Node {
	c.fault = c.fault || inexact(n)
	return n.Map(func(n *expr.Node) *expr.Node {
		switch {
		case n.Op == expr.Named:
			c.fault = true
		case n.Op == expr.Symbol && n.Name == "pi":
			return &expr.Node{Op: expr.Constant, Name: "pi"}
		case n.Op == expr.Symbol && n.Name == "E":
			return &expr.Node{Op: expr.Constant, Name: "e"}
		case n.Op == expr.Symbol && n.Name != c.variable && strings.Contains(" S N O Q I oo zoo nan True False None beta gamma zeta ", " "+n.Name+" "):
			c.fault = true // no variables
		case n.Op == expr.Number && n.Digits > 0:
			return expr.Rational(n.Value)
		case n.Op == expr.Apply:
			return c.apply(n)
		}
		return n
	})
}

// inexact reports whether an exponent has a number with a point.
func inexact(n *expr.Node) bool {
	return !n.Walk(func(n *expr.Node) bool {
		return n.Op != expr.Pow || n.Args[1].Walk(func(n *expr.Node) bool { return n.Op != expr.Number || n.Digits == 0 })
	})
}

// apply rewrites a function.
func (c *calculus) apply(n *expr.Node) *expr.Node {
	name, known := sameFunctions[n.Name]
	switch {
	case known && len(n.Args) == 1:
		return expr.Call(name, n.Args[0])
	case n.Name == "exp" && len(n.Args) == 1:
		return expr.New(expr.Pow, &expr.Node{Op: expr.Constant, Name: "e"}, n.Args[0])
	case n.Name == "sqrt" && len(n.Args) == 1:
		return expr.New(expr.Pow, n.Args[0], expr.Rational(big.NewRat(1, 2)))
	case n.Name == "pow" && len(n.Args) == 2:
		return expr.New(expr.Pow, n.Args...)
	case (n.Name == "Integral" || n.Name == "integrate") && len(n.Args) == 2 && n.Args[1].Op == expr.Symbol && n.Args[1].Name == c.variable:
		if c.integrals == nil {
			c.integrals = map[string]*expr.Node{}
		}
		name := "∫" + n.Args[0].String()
		c.integrals[name] = n.Args[0]
		return expr.Var(name)
	}
	c.fault = c.fault || n.Mentions(c.variable) || isSymPyOperator(n.Name)
	return expr.Var(n.String()) // a constant
}

// derivative returns the derivative of a formula, or nil.
func (c *calculus) derivative(n *expr.Node) *expr.Node {
	sum, err := expr.Diff(n, c.variable)
	if err != nil {
		return nil
	}
	for name, integrand := range c.integrals {
		part, err := expr.Diff(n, name)
		if err != nil {
			return nil
		}
		sum = expr.New(expr.Add, sum, expr.New(expr.Mul, part, integrand))
	}
	return sum
}
