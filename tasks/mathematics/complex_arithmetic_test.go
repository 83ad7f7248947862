package mathematics

import (
	"fmt"
	"math/cmplx"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestComplexArithmeticScore(t *testing.T) {
	item := complexItem{Num1: complexNumber{-7, 2}, Num2: complexNumber{5, -6}, Operation: "+", Result: complexNumber{-2, -4}}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"-2 - 4i", 1, ""},
		{"-2.0-4.0i", 1, "as reasoning-gym writes it"},
		{" ( -2 - 4 J ) ", 1, "spaces, capitals, brackets and j are free"},
		{"((-2-4i))", 1, ""},
		{"-2e0-40e-1i", 1, "exponents"},
		{"-0_2-4i", 1, "underscores"},
		{"-٢-4i", 1, "digits of any script"},
		{"-2 - 4.1i", 0, "near; reasoning-gym pays 0.9"},
		{"-2.5 - 4i", 0, ""},
		{"-1 - 4i", 0, "one off; reasoning-gym pays 0.37"},
		{"-2 - 4i.", 0, ""},
		{"-2 + 4i", 0, "the wrong sign"},
		{"-4i - 2", 0, "the imaginary part first"},
		{"-2", 0, "one part alone"},
		{"-4i", 0, ""},
		{"4 - 2i", 0, "exchanged"},
		{"\n-2-4i\n", 0, "a line behind it, as in reasoning-gym"},
		{"-2\t- 4i", 0, "a tab inside"},
		{"-2 - 4i-4i", 0, "two imaginary parts"},
		{"-2--4i", 0, "two signs"},
		{"nan+nani", 0, ""},
		{"-2-infi", 0, ""},
		{"-2 - 4", 0, "no i"},
		{"i", 0, ""},
		{"()", 0, ""},
		{"0x-2", 0, ""},
		{"-2-4i" + strings.Repeat("0", 1000), 0, "too long"},
	})
	unit := complexItem{Num1: complexNumber{0, 2}, Num2: complexNumber{2, 0}, Operation: "/", Result: complexNumber{0, 1}}
	tasktest.Nears(t, unit.Score, []tasktest.Near{
		{"i", 1, ""}, {"+i", 1, ""}, {"0+i", 1, ""}, {"0 + 1i", 1, ""}, {"1i", 1, ""}, {"-0+j", 1, ""}, {"1e0i", 1, ""}, {"\ni", 1, ""},
		{"-i", 0, ""}, {"1", 0, ""}, {"ii", 0, ""}, {"ji", 0, ""}, {"e+i", 0, ""},
	})
	real := complexItem{Num1: complexNumber{1, 1}, Num2: complexNumber{1, -1}, Operation: "*", Result: complexNumber{2, 0}}
	tasktest.Nears(t, real.Score, []tasktest.Near{{"2", 1, ""}, {"2.00", 1, ""}, {"\n2\n", 1, ""}, {"2+0i", 1, ""}, {"2-0j", 1, ""}, {"2i", 0, ""}, {"(2", 0, ""}})
}

func TestComplexArithmeticParams(t *testing.T) {
	tasktest.Refused(t, complexArithmetic.Task(), map[string]string{
		`{"min_real":-50000001}`: "min_real",
		`{"min_real":11}`:        "max_real",
		`{"max_real":50000001}`:  "max_real",
		`{"min_imag":-50000001}`: "min_imag",
		`{"max_imag":-11}`:       "max_imag",
		`{"min_real":0,"max_real":0,"min_imag":0,"max_imag":0}`:       "0 is the only number",
		`{"operations":["^","+","-","*"]}`:                            "operations",
		`{"operations":["+"]}`:                                        "operations_weights",
		`{"operations":[],"operations_weights":[]}`:                   "operations",
		`{"operations_weights":[0.5,0.5,0.5,0.5]}`:                    "operations_weights",
		`{"operations_weights":[-1,1,0.5,0.5]}`:                       "operations_weights",
		`{"operations":["+","-"],"operations_weights":[0.25,0.25,0]}`: "operations_weights",
	})
}

func TestComplexArithmeticCheck(t *testing.T) {
	for _, bad := range []complexItem{
		{Num1: complexNumber{1, 1}, Num2: complexNumber{1, 1}, Operation: "+", Result: complexNumber{2, 3}},
		{Num1: complexNumber{1, 1}, Num2: complexNumber{1, 1}, Operation: "-", Result: complexNumber{2, 2}},
		{Num1: complexNumber{1, 1}, Num2: complexNumber{1, 1}, Operation: "/", Result: complexNumber{2, 2}},
		{Num1: complexNumber{1, 1}, Num2: complexNumber{1, 1}, Operation: "%", Result: complexNumber{2, 2}},
		{Num1: complexNumber{0.5, 1}, Num2: complexNumber{0.5, 1}, Operation: "+", Result: complexNumber{1, 2}},
		{Num1: complexNumber{1e300, 1}, Num2: complexNumber{1, 1}, Operation: "+", Result: complexNumber{1e300, 2}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

var complexRE = regexp.MustCompile(`\((.*?)\) (\S) \((.*?)\)`)

// The second solver reads the prompt and works with Go's complex numbers in polar form.
func TestComplexArithmeticSecond(t *testing.T) {
	tasktest.Second(t, complexArithmetic.Task(), 3000, func(_ complexItem, prompt, got string) error {
		asked := complexRE.FindStringSubmatch(prompt)
		if asked == nil {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		read := func(text string) complex128 {
			text = strings.ReplaceAll(text, " ", "")
			if text == "i" || strings.HasSuffix(text, "+i") || strings.HasSuffix(text, "-i") {
				text = strings.TrimSuffix(text, "i") + "1i"
			}
			z, err := strconv.ParseComplex(text, 128)
			if err != nil {
				t.Fatal(err)
			}
			return z
		}
		a, b, z := read(asked[1]), read(asked[3]), read(got)
		size, angle := cmplx.Polar(b)
		var want complex128
		switch asked[2] {
		case "+":
			want = a + b
		case "-":
			want = a - b
		case "*":
			want = a * cmplx.Rect(size, angle)
		case "/":
			want = a * cmplx.Rect(1/size, -angle)
		}
		if cmplx.Abs(want-z) > 1e-9*(1+cmplx.Abs(want)) {
			return fmt.Errorf("solution %s, want %v", got, want)
		}
		return nil
	})
}

func TestComplexArithmeticKeys(t *testing.T) {
	tasktest.Translated(t, complexArithmetic.Task(), func(solution string, from, to complexItem) string {
		for way := range 8 {
			z := from.Result
			if way >= 4 {
				z[1] = 0 - z[1]
			}
			for range way % 4 {
				z = z.times(complexNumber{0, 1})
			}
			for _, tens := range []float64{1, 10, 100, 0.1, 0.01} {
				if turned := (complexNumber{z[0]*tens + 0, z[1]*tens + 0}); turned == to.Result {
					return turned.String()
				}
			}
		}
		return solution
	})
	exchanged := func(c *complexItem, _ *rng.Rand) func(string) string {
		if c.Operation == "+" || c.Operation == "*" {
			c.Num1, c.Num2 = c.Num2, c.Num1
		}
		return nil
	}
	tasktest.Variant(t, complexArithmetic.Task(), "terms or factors exchanged", exchanged)
	tasktest.Variant(t, complexArithmetic.Task(), "i is -i", func(c *complexItem, _ *rng.Rand) func(string) string {
		for _, z := range []*complexNumber{&c.Num1, &c.Num2, &c.Result} {
			z[1] = 0 - z[1]
		}
		return func(string) string { return c.Result.String() }
	})
	turned := func(z complexNumber) complexNumber { return z.times(complexNumber{0, 1}) }
	tasktest.Variant(t, complexArithmetic.Task(), "both numbers times i", func(c *complexItem, _ *rng.Rand) func(string) string {
		c.Num1, c.Num2 = turned(c.Num1), turned(c.Num2)
		switch c.Operation {
		case "*":
			c.Result = turned(turned(c.Result))
		case "+", "-":
			c.Result = turned(c.Result)
		}
		return func(string) string { return c.Result.String() }
	})
	tasktest.Variant(t, complexArithmetic.Task(), "a sum is a difference", func(c *complexItem, _ *rng.Rand) func(string) string {
		if c.Operation == "+" {
			c.Operation, c.Num2 = "-", complexNumber{0 - c.Num2[0], 0 - c.Num2[1]}
		}
		return nil
	})
	tasktest.Other(t, complexArithmetic.Task(), "another operation", func(c *complexItem) {
		if c.Operation == "+" && c.Num2 != (complexNumber{}) {
			c.Operation, c.Result = "*", c.Num1.times(c.Num2)
		}
	})
}
