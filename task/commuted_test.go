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
		{"3 - 5", "5 - 3", false},
		{"3 - 5", "-5 + 3", false}, // a minus sign of a number is not that of a difference
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
		a, b := task.Commuted(test.a, nil), task.Commuted(test.b, nil)
		if (a == b) != test.same {
			t.Errorf("%s and %s: %s and %s", test.a, test.b, a, b)
		}
	}
	if got := task.Commuted("sin(s)*s", map[string]string{"s": "x"}); got != "*sin(x)*x" {
		t.Errorf("the variable renamed: %s", got)
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
