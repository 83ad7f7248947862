package mathematics

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSimpleEquationsScore(t *testing.T) {
	item := simpleEquationsItem{Equation: "(12 + 3*x) * 4 - x = 98", Variable: "x"}
	if err := task.Check(item); err == nil {
		t.Error("an equation with the solution 50/11 is accepted")
	}
	item.Equation = "(12 + 3*x) * 4 - x = 158"
	tasktest.Nears(t, simpleEquations.Scorer(item), []tasktest.Near{
		{"10", 1, ""},
		{"x = 10", 2. / 6, "reasoning-gym pays for a text that contains the answer"},
		{"10.0", 1, "another spelling"},
		{"100", 0, ""},
		{"-10", 0, ""},
		{"1", 0, ""},
		{"11", 0, "one off"},
		{"158", 0, "the right side"},
	})
}

func TestSimpleEquationsCheck(t *testing.T) {
	for _, good := range []string{
		"85*d + 179 = 5534", "98 - 77*d = 21", "-16008*d - 2086504064 = -2087272448", "d = 5", "5 = d", "2*(d - 3)*4 = 8*d - (24 - d) - 7",
		"222784*d + 1899570434467882172283 = 1899570434467885291259",
	} {
		if err := task.Check(simpleEquationsItem{Equation: good, Variable: "d"}); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []simpleEquationsItem{
		{Equation: "5 = 5", Variable: "x"}, {Equation: "x - x = 0", Variable: "x"}, {Equation: "x*x = 4", Variable: "x"}, {Equation: "2*x = 3", Variable: "x"},
		{Equation: "x = ", Variable: "x"}, {Equation: "x + = 1", Variable: "x"}, {Equation: "(x = 1", Variable: "x"}, {Equation: "x) = 1", Variable: "x"},
		{Equation: "x 2 = 1", Variable: "x"}, {Equation: "2x = 4", Variable: "x"}, {Equation: "x", Variable: "x"}, {Equation: "x = 1 = 1", Variable: "x"},
		{Equation: "x = 1", Variable: "y"}, {Equation: "x = 1", Variable: ""}, {Equation: "xy = 1", Variable: "xy"},
		{Equation: strings.Repeat("(", 1000) + "x = 1", Variable: "x"}, {Equation: "x = " + strings.Repeat("1", 30_000), Variable: "x"},
		{Equation: "\x00 = 1", Variable: "\x00"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%.60q in %q is accepted", bad.Equation, bad.Variable)
		}
	}
}

func TestSimpleEquationsParams(t *testing.T) {
	tasktest.Refused(t, simpleEquations.Task(), map[string]string{
		`{"min_terms":0}`:                  "min_terms",
		`{"min_terms":5}`:                  "max_terms",
		`{"max_terms":101}`:                "max_terms",
		`{"min_value":0}`:                  "min_value",
		`{"max_value":0}`:                  "max_value",
		`{"max_value":1000000001}`:         "max_value",
		`{"operators":["+","/","-"]}`:      "operators",
		`{"operators":["+","-"]}`:          "operators_weights",
		`{"operators_weights":[1,1,1]}`:    "operators_weights",
		`{"operators_weights":[2,-0.5,0]}`: "operators_weights",
	})
	for _, params := range []string{`{"min_terms":1,"max_terms":1}`, `{"operators":["*"],"operators_weights":[1]}`, `{"min_value":1,"max_value":1,"min_terms":8,"max_terms":8}`} {
		own, err := simpleEquations.Task().With([]byte(params))
		if err != nil {
			t.Fatal(err)
		}
		tasktest.Second(t, own, 200, secondSolution)
	}
}

var equationRE = regexp.MustCompile(`(?m)^(.+) = (-?\d+)\.?$`)

func TestSimpleEquationsSecond(t *testing.T) {
	tasktest.Second(t, simpleEquations.Task(), 1200, secondSolution)
}

// secondSolution puts the solution into the equation of the prompt and evaluates the left
// side from left to right, bracket by bracket.
func secondSolution(s simpleEquationsItem, prompt, got string) error {
	sides := equationRE.FindStringSubmatch(prompt)
	if sides == nil {
		return fmt.Errorf("the prompt is %q", prompt)
	}
	left := strings.ReplaceAll(sides[1], s.Variable, got)
	inner := regexp.MustCompile(`\(([^()]*)\)`)
	for inner.MatchString(left) {
		left = inner.ReplaceAllStringFunc(left, func(b string) string { return evaluate(b[1 : len(b)-1]) })
	}
	if value := evaluate(left); value != sides[2] {
		return fmt.Errorf("with %s = %s the left side is %s", s.Variable, got, value)
	}
	return nil
}

// evaluate computes a sum of products, in which terms and factors may have signs of their
// own.
func evaluate(sum string) string {
	total := new(big.Int)
	sum = strings.ReplaceAll(strings.ReplaceAll(sum, " - ", " + -"), " * ", "*")
	for _, term := range strings.Split(sum, " + ") {
		product := big.NewInt(1)
		for _, factor := range strings.Split(strings.ReplaceAll(term, "--", ""), "*") {
			n, ok := new(big.Int).SetString(factor, 10)
			if !ok {
				return "no number: " + factor
			}
			product.Mul(product, n)
		}
		total.Add(total, product)
	}
	return total.String()
}

func TestSimpleEquationsKeys(t *testing.T) {
	tasktest.Variant(t, simpleEquations.Task(), "another variable", func(s *simpleEquationsItem, _ *rng.Rand) func(string) string {
		s.Equation, s.Variable = strings.ReplaceAll(s.Equation, s.Variable, "q"), "q"
		return nil
	})
	tasktest.Variant(t, simpleEquations.Task(), "the sides exchanged", func(s *simpleEquationsItem, _ *rng.Rand) func(string) string {
		left, right, _ := strings.Cut(s.Equation, " = ")
		s.Equation = right + " = " + left
		return nil
	})
	tasktest.Variant(t, simpleEquations.Task(), "two terms exchanged", func(s *simpleEquationsItem, _ *rng.Rand) func(string) string {
		s.Equation = regexp.MustCompile(`^(\(?)([^ ()-]+) \+ ([^ ()]+)( [-+=]|\))`).ReplaceAllString(s.Equation, "$1$3 + $2$4")
		return nil
	})
	tasktest.Same(t, simpleEquations.Task(), "the name of the variable is free", func(s *simpleEquationsItem) {
		s.Equation, s.Variable = strings.ReplaceAll(s.Equation, s.Variable, "q"), "q"
	})
	tasktest.Same(t, simpleEquations.Task(), "space is free", func(s *simpleEquationsItem) {
		s.Equation = strings.ReplaceAll(s.Equation, " ", "")
	})
}
