package arithmetic

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

func TestIntegralCheck(t *testing.T) {
	for _, bad := range []integral{
		{Integrand: "x +", Variable: "x"}, {Integrand: "x", Variable: "e"}, {Integrand: "x", Variable: "xy"}, {Integrand: "x", Variable: "x", Phrasing: 7},
		{Integrand: "Integral(x, x)", Variable: "x"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// prose finds a line of prose.
var prose = regexp.MustCompile(`\pL \pL`)

// formula returns the function in the prompt: its only line without words, except for an
// integral sign or a name before it.
func formula(prompt string) string {
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		if line == "" || prose.MatchString(line) {
			continue
		}
		if inside, ok := strings.CutPrefix(line, "∫ ("); ok {
			return inside[:strings.LastIndex(inside, ") d")]
		}
		if _, right, ok := strings.Cut(line, " = "); ok {
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
	rest, ok := strings.CutPrefix(c.text, prefix)
	c.text = rest
	return ok
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

// revariable gives an integral another variable, and returns what does so in an expression.
func (s *integral) revariable(other string) func(string) string {
	old := regexp.MustCompile(`\b` + s.Variable + `\b`)
	renamed := func(text string) string { return old.ReplaceAllString(text, other) }
	s.Integrand, s.Answer, s.Variable = renamed(s.Integrand), renamed(s.Answer), other
	return renamed
}

// turned returns an antiderivative of s as one of an integrand that differs in the name and the sign of the
// variable, in all signs and by a power of ten.
func (s *integral) turned(to integral, solution string) string {
	solution = s.revariable(to.Variable)(solution)
	mirrored := regexp.MustCompile(`\b`+to.Variable+`\b`).ReplaceAllString(solution, "(-"+to.Variable+")")
	for _, text := range []string{solution, mirrored} {
		for _, tens := range []string{"", "10*", "1/10*", "100*", "1/100*"} {
			for _, sign := range []string{"", "-"} {
				text := sign + tens + "(" + strings.TrimSuffix(text, " + C") + ")"
				if to.Score(text) == quintain.Right() {
					return text
				}
			}
		}
	}
	return solution
}
