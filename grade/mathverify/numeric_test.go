package mathverify

import (
	"math/big"
	"testing"

	"github.com/quintain-rl/quintain/grade/mathverify/exact"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

func parse(t *testing.T, text string) *expr.Node {
	t.Helper()
	n, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		why, a, b string
		want      exact.Verdict
	}{
		{"an identity", `\sin^2 x+\cos^2 x`, "1", exact.Equal},
		{"no identity", `\sin x+\cos x`, "1", exact.Different},
		{"complex constants", `e^{i\pi}`, "-1", exact.Equal},
		{"Machin's formula", `16\arctan\frac15-4\arctan\frac1{239}`, `\pi`, exact.Equal},
		{"a value that agrees to 30 digits", `\frac{\ln(640320^3+744)}{\sqrt{163}}`, `\pi`, exact.Different},
		{"a tiny difference", `\sin^2 x+\cos^2 x+10^{-60}`, "1", exact.Different},
		{"positive variables", `\ln x^2`, `2\ln x`, exact.Equal},
		{"signs", "|x|", "x", exact.Different},
		{"values at whole numbers", "(n+1)!", "(n+1)n!", exact.Equal},
		{"endless sums", `\sum_{n=0}^{\infty}\frac{1}{n!}`, "e", exact.Equal},
		{"sums that fall too slowly", `\sum_{n=1}^{\infty}\frac{1}{n^2}`, `\frac{\pi^2}{6}`, exact.Unknown},
		{"no common point", `\sqrt{-1-x^2}`, `\ln(-x^2)`, exact.Unknown},
		{"hyperbolic functions", `\tanh x`, `\frac{e^{2x}-1}{e^{2x}+1}`, exact.Equal},
		{"inverse functions", `\arcsin x+\arccos x`, `\frac{\pi}{2}`, exact.Equal},
	} {
		got, _ := compareValues(parse(t, test.a), parse(t, test.b), exact.NewBudget(t.Context(), 100_000))
		if got != test.want {
			t.Errorf("%s: %s and %s: %v, want %v", test.why, test.a, test.b, got, test.want)
		}
	}
}

// The functions agree with known digits.
func TestNear(t *testing.T) {
	for _, test := range []struct{ text, digits string }{
		{`\pi`, "3.14159265358979323846264338327950288419716939937510"},
		{"e", "2.71828182845904523536028747135266249775724709369995"},
		{`\ln 2`, "0.69314718055994530941723212145817656807550013436025"},
		{`\sqrt 2`, "1.41421356237309504880168872420969807856967187537694"},
		{`\sin 1`, "0.84147098480789650665250232163029899962256306079837"},
		{`\arctan 2`, "1.10714871779409050301706546017853704007004764540143"},
		{`\cosh 1`, "1.54308063481524377847790562075706168260152911236586"},
	} {
		value, _ := new(big.Rat).SetString(test.digits)
		tolerance := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(49), nil))
		if near, err := nearValue(parse(t, test.text), value, tolerance, exact.NewBudget(t.Context(), 10_000)); !near || err != nil {
			t.Errorf("%s is not near %s: %v", test.text, test.digits, err)
		}
		value.Add(value, tolerance.Mul(tolerance, big.NewRat(100, 1)))
		if near, err := nearValue(parse(t, test.text), value, big.NewRat(1, 1).Quo(tolerance, big.NewRat(1000, 1)), exact.NewBudget(t.Context(), 10_000)); near || err != nil {
			t.Errorf("%s is near a value off by 1e-47: %v", test.text, err)
		}
	}
}

func TestSign(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{{`\sqrt2-\frac{141}{100}`, 1}, {`\pi-\frac{22}{7}`, -1}, {"1-1", 0}} {
		if got, err := signOf(parse(t, test.text), exact.NewBudget(t.Context(), 1000)); got != test.want || err != nil {
			t.Errorf("the sign of %s is %d, %v, want %d", test.text, got, err, test.want)
		}
	}
}
