package arithmetic

import (
	"regexp"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestIntermediateIntegrationScore(t *testing.T) {
	item := integral{Integrand: "sin(x)*cos(x)", Variable: "x"}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"sin(x)**2/2", 1, ""},
		{"-cos(x)^2/2 + C", 1, "another constant"},
		{"-cos(2*x)/4 + C", 1, "the double angle"},
		{"cos(2*x)/4 + C", 0, "the wrong sign"},
		{"sin(x)*cos(x)", 0, "the question"},
		{"Integral(sin(x)*cos(x), x) + C", 0, "not worked out"},
	})
}

func TestIntermediateIntegrationOfAllKinds(t *testing.T) {
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

func TestIntermediateIntegrationParams(t *testing.T) {
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

func TestIntermediateIntegrationSecond(t *testing.T) {
	tasktest.Second(t, intermediateIntegration.Task(), 1200, func(s intermediateIntegrationItem, prompt, got string) error {
		return secondSlope(s.integral, prompt, got)
	})
}

func TestIntermediateIntegrationKeys(t *testing.T) {
	tasktest.Translated(t, intermediateIntegration.Task(), func(solution string, from, to intermediateIntegrationItem) string {
		return from.turned(to.integral, solution)
	})
	tasktest.Variant(t, intermediateIntegration.Task(), "another variable", func(s *intermediateIntegrationItem, _ *rng.Rand) func(string) string {
		return s.revariable("q")
	})
	tasktest.Variant(t, intermediateIntegration.Task(), "two terms exchanged", func(s *intermediateIntegrationItem, _ *rng.Rand) func(string) string {
		s.Integrand = regexp.MustCompile(`\(([^-( ][^( ]*) \+ ([0-9]+)\)`).ReplaceAllString(s.Integrand, "($2 + $1)")
		return nil
	})
	tasktest.Other(t, intermediateIntegration.Task(), "powers matter", func(s *intermediateIntegrationItem) {
		s.Integrand = regexp.MustCompile(`\b`+s.Variable+`\b`).ReplaceAllString(s.Integrand, "("+s.Variable+"**2)")
	})
}
