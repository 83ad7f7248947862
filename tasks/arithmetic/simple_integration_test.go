package arithmetic

import (
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
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
		{"Integral(32*X**3 - 3*X, X) + C", 0, "an integral that is not worked out, for which reasoning-gym pays 1"},
		{`\int (32X^3-3X)\,dX`, 0, "the same in LaTeX"},
		{"8*X**4 ± 3*X**2/2", 0, "two answers"},
		{"8*X**4 - 3*X**2/2, C", 0, "a list"},
		{"8*X**4 - 1.49999999*X**2", 0, "nearly"},
		{"C", 0, ""},
		{"The answer is 8*X**4 - 3*X**2/2 + C", 0, "a sentence"},
		{"The answer is -3*X**2/2 + 8*X**4", 0, "the same, as if its words were a constant"},
		{`__import__("os").system("true")`, 0, "a program"},
		{strings.Repeat("(", 50_000), 0, ""},
		{strings.Repeat("X*", 30_000) + "X", 0, ""},
		{strings.Repeat("X^", 300) + "X", 0, ""},
		{strings.Repeat("sin(", 300) + "X" + strings.Repeat(")", 300), 0, ""},
	})
}

func TestSimpleIntegrationParams(t *testing.T) {
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
}

func TestSimpleIntegrationSecond(t *testing.T) {
	tasktest.Second(t, simpleIntegration.Task(), 1200, func(s simpleIntegrationItem, prompt, got string) error { return secondSlope(s.integral, prompt, got) })
}

func TestSimpleIntegrationKeys(t *testing.T) {
	tasktest.Variant(t, simpleIntegration.Task(), "another variable", func(s *simpleIntegrationItem, _ *rng.Rand) func(string) string {
		return s.revariable("q")
	})
	tasktest.Translated(t, simpleIntegration.Task(), func(solution string, from, to simpleIntegrationItem) string {
		return from.turned(to.integral, solution)
	})
	tasktest.Variant(t, simpleIntegration.Task(), "two terms exchanged", func(s *simpleIntegrationItem, _ *rng.Rand) func(string) string {
		s.Integrand = regexp.MustCompile(`^([^-][^ ]*) \+ ([^ ]+)`).ReplaceAllString(s.Integrand, "$2 + $1")
		return nil
	})
	tasktest.Variant(t, simpleIntegration.Task(), "all signs changed", func(s *simpleIntegrationItem, _ *rng.Rand) func(string) string {
		turned, negative := strings.CutPrefix(strings.NewReplacer(" + ", " - ", " - ", " + ").Replace(s.Integrand), "-")
		s.Integrand, s.Answer = strings.Repeat("-", task.Bit(!negative))+turned, "-("+strings.TrimSuffix(s.Answer, " + C")+")"
		return func(answer string) string { return "-(" + answer + ")" }
	})
	tasktest.Variant(t, simpleIntegration.Task(), "the mirror image", func(s *simpleIntegrationItem, _ *rng.Rand) func(string) string {
		mirrored := func(text string) string {
			return regexp.MustCompile(`\b`+s.Variable+`\b`).ReplaceAllString(text, "(-"+s.Variable+")")
		}
		s.Integrand, s.Answer = mirrored(s.Integrand), "-("+mirrored(strings.TrimSuffix(s.Answer, " + C"))+")"
		return func(answer string) string { return "-(" + mirrored(answer) + ")" }
	})
	tasktest.Same(t, simpleIntegration.Task(), "space is free, and so is the solution", func(s *simpleIntegrationItem) {
		s.Integrand, s.Answer = strings.ReplaceAll(s.Integrand, " ", ""), s.Answer+" + K"
	})
	tasktest.Other(t, simpleIntegration.Task(), "powers matter", func(s *simpleIntegrationItem) {
		s.Integrand = regexp.MustCompile(`\b`+s.Variable+`\b`).ReplaceAllString(s.Integrand, "("+s.Variable+"**2)")
	})
}
