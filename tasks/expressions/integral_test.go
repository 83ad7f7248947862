package expressions

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSimpleIntegrationScore(t *testing.T) {
	item := integral{Integrand: "32*X**3 - 3*X", Variable: "X", Answer: "8*X**4 - 3*X**2/2 + C"}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"8*X**4 - 3*X**2/2 + C", 1, ""},
		{"8X^4 - 1.5 X^2", 1, "without the constant, with another sign of power, and a decimal"},
		{`\boxed{8X^4-\frac{3}{2}X^2+C}`, 1, "LaTeX"},
		{"$F(X) = 8X^4 - \\frac32 X^2 + C$", 1, "with its name"},
		{"X^2*(16*X^2 - 3)/2 + 7", 1, "a product, and another constant"},
		{"C - 3*X**2/2 + 8*X**4 + K", 1, "any order, two constants"},
		{"+-3*X**2/2 + 8*X**4", 1, "as SymPy reads it"},
		{"8*X**4 - 3*X**2/2 + C*X", 0, "the constant is none"},
		{"8*x**4 - 3*x**2/2 + C", 0, "another variable"},
		{"8*X**4 - 3*X**2/3 + C", 0, "a wrong coefficient"},
		{"8*X**4 - 3*X/2 + C", 0, "a wrong power"},
		{"-8*X**4 + 3*X**2/2 + C", 0, "the wrong sign"},
		{"96*X**2 - 3", 0, "the derivative"},
		{"32*X**3 - 3*X", 0, "the question"},
		{"Integral(32*X**3 - 3*X, X) + C", 0, "an unevaluated integral; reasoning-gym pays 1"},
		{`\int (32X^3-3X)\,dX`, 0, "the same in LaTeX"},
		{"8*X**4 ± 3*X**2/2", 0, "two answers"},
		{"8*X**4 - 3*X**2/2, C", 0, "a list"},
		{"8*X**4 - 1.49999999*X**2", 0, "nearly"},
		{"C", 0, ""},
		{"", 0, "nothing"},
		{"The answer is 8*X**4 - 3*X**2/2 + C", 0, "a sentence"},
		{"The answer is -3*X**2/2 + 8*X**4", 0, "the same, as if its words were a constant"},
		{`__import__("os").system("true")`, 0, "a program"},
		{strings.Repeat("(", 50_000), 0, ""},
		{strings.Repeat("X*", 30_000) + "X", 0, ""},
		{strings.Repeat("X^", 300) + "X", 0, ""},
		{strings.Repeat("sin(", 300) + "X" + strings.Repeat(")", 300), 0, ""},
	})
}

func TestIntermediateIntegrationScore(t *testing.T) {
	for _, test := range []struct {
		want              float64
		integrand, answer string
	}{
		{1, "-4*sqrt(4*x + 6)", "-2*(4*x + 6)**(3/2)/3 + C"},
		{1, "-4*sqrt(4*x + 6)", `-\frac{2}{3}\sqrt{(4x+6)^3}`},
		{0, "-4*sqrt(4*x + 6)", "2*(4*x + 6)**(3/2)/3 + C"},
		{1, "-asin(x)", "-x*asin(x) - sqrt(1 - x**2) + C"},
		{1, "-asin(x)", `-x\arcsin x-\sqrt{1-x^2}`},
		{0, "-asin(x)", "-x*acos(x) - sqrt(1 - x**2) + C"},
		{1, "log(2*x + 3)", "(2*x + 3)*log(2*x + 3)/2 - x"},
		{1, "log(2*x + 3)", `x\ln(2x+3)-x+\frac32\ln(2x+3)+C`},
		{0, "log(2*x + 3)", `(2x+3)\log_{10}(2x+3)/2-x`},
		{1, "sin(x)*cos(x)", "sin(x)**2/2"},
		{1, "sin(x)*cos(x)", "-cos(x)^2/2 + C"},
		{1, "sin(x)*cos(x)", "-cos(2*x)/4 + C"},
		{0, "sin(x)*cos(x)", "cos(2*x)/4 + C"},
		{1, "(5 - 10*x)*exp(5*x**2 - 5*x + 10)", "-E**(5*x**2 - 5*x + 10)"},
		{1, "(5 - 10*x)*exp(5*x**2 - 5*x + 10)", "-e^{5x^2-5x+10}+C"},
		{0, "(5 - 10*x)*exp(5*x**2 - 5*x + 10)", "(5 - 10*x)*exp(5*x**2 - 5*x + 10)"},
		{1, "exp(2*x)*sin(3*x)", "exp(2*x)*(2*sin(3*x) - 3*cos(3*x))/13 + C"},
		{0, "exp(2*x)*sin(3*x)", "exp(2*x)*(2*sin(3*x) + 3*cos(3*x))/13 + C"},
		{1, "-3*x*cos(3*x)", "-x*sin(3*x) - cos(3*x)/3"},
		{0, "-3*x*cos(3*x)", "-3*Integral(x*cos(3*x), x) + C"},
		{1, "1/x", `\ln|x| + C`},
	} {
		s := integral{Integrand: test.integrand, Variable: "x"}
		if v := s.Score(test.answer); v.Score != test.want {
			t.Errorf("%s for %s gets %+v, want %v", test.answer, test.integrand, v, test.want)
		}
	}
}

func TestIntegralCheck(t *testing.T) {
	for _, bad := range []integral{
		{Integrand: "x +", Variable: "x"}, {Integrand: "x", Variable: "e"}, {Integrand: "x", Variable: "xy"}, {Integrand: "x", Variable: "x", Phrasing: 7},
		{Integrand: "Integral(x, x)", Variable: "x"},
	} {
		if bad.Check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestIntegrationParams(t *testing.T) {
	tasktest.Refused(t, simpleIntegration.Task(), map[string]string{
		`{"min_terms":0}`:                 "min_terms",
		`{"max_terms":1}`:                 "max_terms",
		`{"min_degree":-101}`:             "min_degree",
		`{"max_degree":101}`:              "max_degree",
		`{"min_degree":0,"max_degree":0}`: "max_degree",
		`{"min_bounds":0}`:                "min_bounds",
		`{"max_bounds":1000001}`:          "max_bounds",
		`{"operators":["*"]}`:             "operators",
		`{"operators":[]}`:                "operators",
		`{"symbols":[]}`:                  "symbols",
		`{"symbols":["e"]}`:               "symbols",
	})
	tasktest.Refused(t, intermediateIntegration.Task(), map[string]string{
		`{"problem_types":["linear"]}`:                           "problem_type_weights",
		`{"problem_types":["cubic"],"problem_type_weights":[1]}`: "problem_types",
		`{"problem_types":[],"problem_type_weights":[]}`:         "problem_type",
		`{"linear_lower_bound":0}`:                               "linear_lower_bound",
		`{"linear_upper_bound":51}`:                              "linear_upper_bound",
		`{"min_linear_degree":0}`:                                "min_linear_degree",
		`{"max_linear_degree":21}`:                               "max_linear_degree",
		`{"outer_constant_min":0}`:                               "outer_constant_min",
		`{"outer_constant_max":1001}`:                            "outer_constant_max",
		`{"min_poly_degree":0}`:                                  "min_poly_degree",
		`{"max_poly_degree":6}`:                                  "max_poly_degree",
		`{"max_poly_degree":2}`:                                  "max_poly_degree",
		`{"symbols":""}`:                                         "symbols",
		`{"symbols":"xe"}`:                                       "symbols",
		`{"operators":["/"]}`:                                    "operators",
	})
	for _, params := range []string{`{"linear_upper_bound":50,"max_linear_degree":20,"outer_constant_max":1000,"max_poly_degree":5}`, `{"operators":["-"],"symbols":"X"}`} {
		own, err := intermediateIntegration.Task().With([]byte(params))
		if err != nil {
			t.Fatal(err)
		}
		tasktest.Second(t, own, 200, func(s intermediateIntegrationItem, prompt, got string) error {
			return secondSlope(s.integral, prompt, got)
		})
	}
}

func TestIntegrationSecond(t *testing.T) {
	tasktest.Second(t, simpleIntegration.Task(), 1200, func(s simpleIntegrationItem, prompt, got string) error { return secondSlope(s.integral, prompt, got) })
	tasktest.Second(t, intermediateIntegration.Task(), 1200, func(s intermediateIntegrationItem, prompt, got string) error {
		return secondSlope(s.integral, prompt, got)
	})
}

// prose matches a line of prose.
var prose = regexp.MustCompile(`\pL \pL`)

// formula returns the function in the prompt: its only line without words, except for an
// integral sign or a name before it.
func formula(prompt string) string {
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		if line == "" || prose.MatchString(line) {
			continue
		}
		if inside, is := strings.CutPrefix(line, "∫ ("); is {
			return inside[:strings.LastIndex(inside, ") d")]
		}
		if _, right, is := strings.Cut(line, " = "); is {
			return right
		}
		return line
	}
	return ""
}

// secondSlope compares the solution's slope, by differences of its values in floating
// point, with values of the prompt's function.
func secondSlope(s integral, prompt, got string) error {
	f := formula(prompt)
	const h = 1e-5
	compared := 0
	for _, x := range []float64{-41.3, -14.9, -5.1, -2.71, -1.9, -0.77, -0.21, -0.13, 0.11, 0.19, 0.83, 1.7, 2.9, 5.3, 15.2, 40.9} {
		low, high, want := value(got, s.Variable, x-h), value(got, s.Variable, x+h), value(f, s.Variable, x)
		if math.IsNaN(low+high+want) || math.IsInf(low+high+want, 0) {
			continue
		}
		slope := (high - low) / (2 * h)
		if noise := 1e-10*(math.Abs(low)+math.Abs(high))/h + 1e-3*math.Abs(want) + 1e-3; math.Abs(slope-want) > noise {
			return fmt.Errorf("at %v the slope of %s is %v, and %s is %v", x, got, slope, f, want)
		}
		compared++
	}
	if compared == 0 {
		return fmt.Errorf("%s and %s have no point where both have values", f, got)
	}
	return nil
}

// A calculator evaluates an expression in floating point.
type calculator struct {
	text, variable string
	x              float64
}

// value evaluates text at x, with C = 0.
func value(text, variable string, x float64) float64 {
	text = strings.NewReplacer(" ", "", "**", "^", "arc", "a", "ln", "log").Replace(text)
	c := &calculator{text, variable, x}
	v := c.sum()
	if c.text != "" {
		return math.NaN()
	}
	return v
}

func (c *calculator) take(prefix string) bool {
	rest, is := strings.CutPrefix(c.text, prefix)
	c.text = rest
	return is
}

func (c *calculator) sum() float64 {
	sign := 1.0
	if c.take("-") {
		sign = -1
	}
	v := sign * c.product()
	for {
		switch {
		case c.take("+"):
			v += c.product()
		case c.take("-"):
			v -= c.product()
		default:
			return v
		}
	}
}

func (c *calculator) product() float64 {
	v := c.power()
	for {
		switch {
		case c.take("*"):
			v *= c.power()
		case c.take("/"):
			v /= c.power()
		default:
			return v
		}
	}
}

func (c *calculator) power() float64 {
	v := c.atom()
	if c.take("^") {
		sign := 1.0
		if c.take("-") {
			sign = -1
		}
		return math.Pow(v, sign*c.power())
	}
	return v
}

var numberRE = regexp.MustCompile(`^[0-9]+`)

func (c *calculator) atom() float64 {
	for name, f := range map[string]func(float64) float64{
		"": func(x float64) float64 { return x }, "sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "sin": math.Sin, "cos": math.Cos,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	} {
		if c.take(name + "(") {
			v := c.sum()
			if !c.take(")") {
				return math.NaN()
			}
			return f(v)
		}
	}
	if digits := numberRE.FindString(c.text); c.take(digits) && digits != "" {
		v, _ := strconv.ParseFloat(digits, 64)
		return v
	}
	switch {
	case c.take(c.variable):
		return c.x
	case c.take("C"):
		return 0
	}
	return math.NaN()
}

func TestIntegrationKeys(t *testing.T) {
	tasktest.Other(t, simpleIntegration.Task(), "the variable is that of the answer", func(s *simpleIntegrationItem) {
		s.Integrand, s.Answer, s.Variable = strings.ReplaceAll(s.Integrand, s.Variable, "q"), strings.ReplaceAll(s.Answer, s.Variable, "q"), "q"
	})
	tasktest.Same(t, simpleIntegration.Task(), "space is free, and so is the solution", func(s *simpleIntegrationItem) {
		s.Integrand, s.Answer = strings.ReplaceAll(s.Integrand, " ", ""), s.Answer+" + K"
	})
}
