package task_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
)

func TestCommuted(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"3 + 5", "5+3", true},
		{"3 - 5", "5 - 3", true},
		{"3 - 5", "-5 + 3", true},
		{"3 - 5", "3 + (-5)", true},
		{"3 - 5", "3 + 5", false},
		{"-3 - 5", "3 + 5", true},
		{"3 - -5", "3 + 5", true},
		{"3 - 5 - 7", "5 + 7 - 3", true},
		{"3 - 5 - 7", "3 - 5 + 7", false},
		{"3 - 0", "3 + 0", true},
		{"30 - 50", "0.3 - .5", true},
		{"30 - 5", "3 - 5", false},
		{"30 - 5", "3 - 0.5", true},
		{"20 + 0", "2 + 0", true},
		{"20 * 3", "2 * 30", true},
		{"2 * -3", "-2 * 3", true},
		{"2 * (3 - 5)", "2 * (5 - 3)", true},
		{"7 + 2 * (3 - 5)", "7 + 2 * (5 - 3)", false},
		{"7 - 2 * (3 - 5)", "7 + 2 * (5 - 3)", true},
		{"7 + 200 / 40", "7 + 20 / 4", true},
		{"7 + 20 * 3", "7 + 2 * 3", false},
		{"(3 - x)**2 + 1", "(x - 3)**2 + 1", true},
		{"(3 - x)**3 + 1", "(x - 3)**3 + 1", false},
		{"(3 - x)**3 + 1", "1 - (x - 3)**3", true},
		{"(30*x)**2", "(3*x)**2", true},
		{"10*x", "x", true},
		{"10*x + 20", "x + 2", true},
		{"10*x/3 + 20*(x - 1)**2", "x/3 + 2*(x - 1)**2", true},
		{"10*(x - 1)**2", "(x - 1)**2", true},
		{"20*x**3 - 12*x**2", "2*x**3 - 6*x**2/5", true},
		{"20*x**3 - 12*x**2", "2*x**3 - 6*x**2/7", false},
		{"x + 10/10", "10*x + 10", true},
		{"x/8", "x*125", true},
		{"-9*x**4/2 + 6/5", "-45*x**4 + 12", true},
		{"x/3", "x*3", false},
		{"6*x", "4*x", false},
		{"1*3", "3", false},
		{"1*3", "10*3", true},
		{"x/2", "x/20", true},
		{"x/2", "2*x", false},
		{"1 + (30*x)**2", "1 + (3*x)**2", false},
		{"2**(x - 1)", "2**(1 - x)", false},
		{"2**10", "2**1", false},
		{"-(0x1 << 0x2)", "-0x1 << 0x2", true},
		{"(1 << 20)", "(1 << 2)", false},
		{"-(7 >> 1)", "-7 >> 1", false}, // the second rounds down
		{"(0x10 - 0x2)", "(0x1 - 0x2)", false},
		{"2*x*exp(-x)", "2*x*exp(x)", false},
		{"1 + sin(2 - x)", "1 - sin(x - 2)", true},
		{"1 + cos(2 - x)", "1 + cos(x - 2)", true},
		{"1 - 2 + 3", "3 + 1 - 2", true},
		{"2*(a + 3) - b/4", "(3 + a)*2 - b/4", true},
		{"2*x**2*y - 1", "y*x^2*2 - 1", true},
		{"8/4/2", "8/2/4", true},
		{"8/4", "4/8", false},
		{"(0x1 << 0x2) * 3", "3 * (0x1 << 0x2)", true},
		{"(1 << 2)", "(2 << 1)", false},
		{"exp(x + 1)*x", "x*exp(1 + x)", true},
		{"-(-2)*3", "3*-(-2)", true},
		{"2**3", "3**2", false},
	} {
		var names map[string]string
		if strings.Contains(test.a, "x") && !strings.Contains(test.a, "0x") {
			names = map[string]string{"x": "x"}
		}
		a, b := task.Commuted(test.a, names), task.Commuted(test.b, names)
		if (a == b) != test.same {
			t.Errorf("%s and %s: %s and %s", test.a, test.b, a, b)
		}
	}
	if got := task.Commuted("sin(s)*s", map[string]string{"s": "x"}); got != "(*sin(x)*x)" {
		t.Errorf("the variable renamed: %s", got)
	}
	if a, b := task.Mirrored("3*s**2 - 2*s", "s"), task.Mirrored("3*t**2 + 2*t", "t"); a != b || a == task.Mirrored("3*t**2 + 2*t**2", "t") {
		t.Errorf("a polynomial and its mirror image: %s and %s", a, b)
	}
	deep := strings.Repeat("(", 10_000)
	for _, odd := range []string{"", "3 +", "(3", "3)", "3 $ 4", "()", deep, strings.Repeat("-", 10_000) + "1"} {
		if got := task.Commuted(odd, nil); got != strings.ReplaceAll(odd, " ", "") {
			t.Errorf("%.20q gives %.20q", odd, got)
		}
	}
}

func FuzzCommuted(f *testing.F) {
	f.Add("3 + 5*(x - 2)**2")
	f.Fuzz(func(t *testing.T, text string) {
		if got := task.Commuted(text, nil); len(got) > 4*len(text)+16 {
			t.Errorf("%d bytes give %d", len(text), len(got))
		}
	})
}
