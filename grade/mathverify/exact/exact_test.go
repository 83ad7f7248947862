package exact_test

import (
	"context"
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/grade/mathverify/exact"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// compare reads two expressions and compares their forms.
func compare(t *testing.T, a, b string, steps int) (exact.Verdict, error) {
	t.Helper()
	s := exact.NewSpace(exact.NewBudget(t.Context(), steps))
	var forms []*exact.Form
	for _, text := range []string{a, b} {
		n, err := expr.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.Read(n)
		if err != nil {
			return exact.Unknown, err
		}
		forms = append(forms, f)
	}
	return s.Compare(forms[0], forms[1])
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		why, a, b string
		want      exact.Verdict
	}{
		{"polynomials", "(x+1)^3", "x^3+3x^2+3x+1", exact.Equal},
		{"other polynomials are different for certain", "(x+1)^3", "x^3+3x^2+3x+2", exact.Different},
		{"quotients", `\frac{1}{x}+\frac{1}{y}`, `\frac{x+y}{xy}`, exact.Equal},
		{"roots of numbers", `\sqrt{8}`, `2\sqrt2`, exact.Equal},
		{"roots of different numbers are independent", `\sqrt2+\sqrt3`, `\sqrt5`, exact.Different},
		{"a root in the denominator", `\frac{1}{\sqrt3}`, `\frac{\sqrt3}{3}`, exact.Equal},
		{"the root of a sum in the denominator", `\frac{1}{\sqrt{x+1}}`, `\frac{\sqrt{x+1}}{x+1}`, exact.Equal},
		{"a negative power of a sum", `(1-4x^2)^{-1/2}`, `\frac{1}{\sqrt{1-4x^2}}`, exact.Equal},
		{"odd roots of negative numbers", `\sqrt[3]{-8}`, "-2", exact.Equal},
		{"the root of a square is not taken", `\sqrt{x^2}`, "x", exact.Unknown},
		{"i", "i^3", "-i", exact.Equal},
		{"logarithms of numbers", `\ln 12`, `2\ln 2+\ln 3`, exact.Equal},
		{"logarithms of products", `\ln(x^2y)`, `2\ln x+\ln y`, exact.Equal},
		{"functions of equal forms", `\sin(x+y)`, `\sin(y+x)`, exact.Equal},
		{"an identity would be needed", `\sin^2x+\cos^2x`, "1", exact.Unknown},
		{"powers beyond the limit", `2^{1000000}`, `4^{500000}`, exact.Equal},
		{"absolute values", "|x-y|", "|y-x|", exact.Equal},
		{"sums by formulas", `\sum_{k=1}^{n} k^3`, `\frac{n^2(n+1)^2}{4}`, exact.Equal},
		{"integrals of polynomials", `\int_0^a 2x\,dx`, "a^2", exact.Equal},
		{"limits of quotients", `\lim_{x\to\infty}\frac{3x+1}{x}`, "3", exact.Equal},
		{"determinants", `\begin{vmatrix}a&b\\c&d\end{vmatrix}`, "ad-bc", exact.Equal},
	} {
		if got, err := compare(t, test.a, test.b, 10_000); got != test.want || err != nil {
			t.Errorf("%s: %s and %s: %v, %v; want %v", test.why, test.a, test.b, got, err, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		why, a string
		steps  int
		want   error
	}{
		{"no value", `\frac{1}{x-x}`, 1000, exact.ErrUndefined},
		{"a power of zero", "0^0", 1000, exact.ErrUndefined},
		{"too few steps", "(a+b+c+d)^{50}", 1000, exact.ErrBudget},
		{"infinity", `\infty-\infty`, 1000, exact.ErrForm},
	} {
		if _, err := compare(t, test.a, "1", test.steps); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.why, err, test.want)
		}
	}
}

func TestBudgetEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := exact.NewBudget(ctx, 100_000)
	cancel()
	spent := 0
	for b.Spend(1) == nil {
		spent++
	}
	if err := b.Spend(10_000); !errors.Is(err, context.Canceled) || spent > 10_000 {
		t.Errorf("after %d steps: %v", spent, err)
	}
}
