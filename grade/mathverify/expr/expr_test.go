package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ why, text, want string }{
		{"a product binds more tightly than a sum", "1+2x", "(+ 1 (* 2 x))"},
		{"a minus binds less tightly than a power", "-x^2", "(- (^ x 2))"},
		{"powers are read from the right", "x^y^z", "(^ x (^ y z))"},
		{"digits of a fraction", `\frac12`, "(/ 1 2)"},
		{"a fraction of a digit and a group", `\frac1{72}`, "(/ 1 72)"},
		{"a mixed number", `1\frac{1}{2}`, "(+ 1 (/ 1 2))"},
		{"no mixed number", `1\frac{3}{2}`, "(* 1 (/ 3 2))"},
		{"a factor after a divisor multiplies", "1/2x", "(* (/ 1 2) x)"},
		{"a function takes the factors that follow", `\sin 2x + 1`, "(+ (sin (* 2 x)) 1)"},
		{"a function ends at the next one", `\sin x\cos y`, "(* (sin x) (cos y))"},
		{"a power of a function", `\sin^2 x`, "(^ (sin x) 2)"},
		{"the inverse of a function", `\tan^{-1} x`, "(arctan x)"},
		{"letters without spaces", "sinx", "(sin x)"},
		{"a root", `\sqrt[3]{x}`, "(^ x (/ 1 3))"},
		{"a logarithm with its base", `\log_2 8`, "(/ (ln 8) (ln 2))"},
		{"subscripts", "x_{12}+v^2_0", "(+ x_12 (^ v_0 2))"},
		{"bars in bars", `\left|\left|x\right|\right|`, "(abs (abs x))"},
		{"bars side by side", "|x||y|", "(* (abs x) (abs y))"},
		{"a group of three digits", "12,345", "12345"},
		{"a list", "12, 345", "(list 12 345)"},
		{"a tuple", "(12,345)", "(tuple () 12 345)"},
		{"an interval", "[0,1)", "(tuple [) 0 1)"},
		{"a chain", "0<x\\le 1", "(<≤ 0 x 1)"},
		{"a decimal remembers its digits", "0.120", "3/25~3"},
		{"repeating digits", `0.1\overline{6}`, "1/6"},
		{"an exponent", "1.5e3", "1500~2"},
		{"a unit", `3\text{ cm}^2`, "3"},
		{"percent", `50\%`, "1/2"},
		{"a matrix", `\begin{pmatrix}1&2\\3&4\end{pmatrix}`, "(matrix (list 1 2) (list 3 4))"},
		{"a sum", `\sum_{k=1}^{n} k^2 + 1`, "(+ (sum k 1 n (^ k 2)) 1)"},
		{"an integral", `\int_0^1 x^2\,dx`, "(int x 0 1 (^ x 2))"},
		{"a derivative", `\frac{d}{dx} x^2`, "(diff x (^ x 2))"},
		{"Unicode", "½x²≤π", "(≤ (* (/ 1 2) (^ x 2)) pi)"},
	} {
		n, err := expr.Parse(expr.Fold(test.text))
		if err != nil {
			t.Errorf("%s: %q: %v", test.why, test.text, err)
		} else if got := n.String(); got != test.want {
			t.Errorf("%s: %q is %s, want %s", test.why, test.text, got, test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ why, text, want string }{
		{"nothing", "", "the end is all there is"},
		{"an unknown command", `\foo`, `\foo is not known`},
		{"a definition", `\def\x{1}\x`, "is not known"},
		{"two numbers side by side", "1 2 3", "does not belong here"},
		{"an open bracket", "(1", "should be closed"},
		{"a missing operand", "1+", "expected"},
		{"an ellipsis", `1,2,\ldots`, "leaves something out"},
		{"deep nesting", strings.Repeat("(", 500), "nested more than"},
		{"a long text", strings.Repeat("1+", expr.MaxLength), "at most"},
		{"a long number", strings.Repeat("9", 20_000), "more than 10000 digits"},
		{"a condition", `5\text{ or more}`, "changes the meaning of the text before it"},
	} {
		if n, err := expr.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v; want an error with %q", test.why, n, err, test.want)
		}
	}
}

func TestDiff(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"5", "0"},
		{"y", "0"},
		{"x", "1"},
		{`\sin x`, "(* (cos x) 1)"},
		{"x^3", "(* 3 (^ x (+ 3 -1)) 1)"},
		{"e^x", "(* (^ e x) 1)"},
	} {
		n, err := expr.Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := expr.Diff(n, "x"); err != nil || d.String() != test.want {
			t.Errorf("the derivative of %s is %v, %v, want %s", test.text, d, err, test.want)
		}
	}
	unknown, err := expr.Parse("f(x)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := expr.Diff(unknown, "x"); !errors.Is(err, expr.ErrDiff) {
		t.Errorf("the derivative of an unknown function: %v", err)
	}
	large := expr.Var("x")
	for range 60 {
		large = expr.New(expr.Mul, large, large)
	}
	if _, err := expr.Diff(large, "x"); !errors.Is(err, expr.ErrLarge) {
		t.Errorf("the derivative of a large product: %v", err)
	}
	deep, err := expr.Parse(strings.Repeat("x*", 20_000) + "x") // its derivative would have the square of that many nodes
	if err != nil {
		t.Fatal(err)
	}
	if _, err := expr.Diff(deep, "x"); !errors.Is(err, expr.ErrLarge) {
		t.Errorf("the derivative of a deep product: %v", err)
	}
}
