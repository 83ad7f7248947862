package reasoninggym

import (
	"math"
	"strings"
	"testing"
)

// What SymPy brings into one form by itself is the same, and all else is not.
func TestForm(t *testing.T) {
	const want = "2*x**2 + 3*x + 1"
	for text, same := range map[string]bool{
		"1 + 3*x + 2*x*x": true, "4*x**2/2 + 3*x + 1": true, "(4*x**2+6*x+2)/2": true, "1/2*(4*x**2+6*x+2)": true, "2*(x**2+1)+3*x-1": true,
		"-(-2*x**2-3*x-1)": true, "x**(1+1)*2+3*x+1!": true, "pow(x,2)*2+3*x+cos(0)": true, "sqrt(4)*x**2+3*x+1": true, " 2*x**2 +\t3*x+1 # so": true,
		"(2*x**2 +\n3*x + 1)": true, "(x+y)*(x-y) - (x+y)*(x-y) + 2*x**2+3*x+1": true,
		"(2*x+1)*(x+1)": false, "x*(2*x+3)+1": false, "(x+1)**2+x**2+x": false, "2.0*x**2+3*x+1": false, "2*x^2+3*x+1": false, "2x**2+3*x+1": false,
		"2*X**2+3*X+1": false, want + " + C": false, want + " = 0": false, "$" + want + "$": false, "2*x**2 +\n3*x + 1": false, "": false, want + ")": false,
		"02*x**2+3*x+1": false, "__import__('os')": false,
	} {
		a, isA := symPyForm(text)
		b, isB := symPyForm(want)
		if !isB || (isA && a == b) != same {
			t.Errorf("%q: the same form %v, want %v", text, isA && a == b, same)
		}
	}
}

func TestValue(t *testing.T) {
	for text, want := range map[string]float64{
		"31 + 39 - 42": 28, "2**-1": 0.5, "7//2*10 + -7%3": 32, "4!": 24, "0x1f": 31, "1_000": 1000, "1e3": 1000, "5.": 5, "x - x + 2": 2, "6^3": 5, "1 << 4 | 1": 17,
		"sqrt(2)**2": 2, "sqrt(8)": math.Sqrt(8), "max(2, sqrt(9), 1)": 3, "2 == 2": 1, "'24'": 24, "-2**2": -4, "2**3**2": 512, "+-+3": -3, "~5 + 6": math.NaN(),
		"1/0": math.NaN(), "0**-1": math.NaN(), "x": math.NaN(), "f(2)": math.NaN(), "1, 2": math.NaN(), "2 3": math.NaN(), "031": math.NaN(), "9**9**9": math.NaN(),
		"2**99999999999999999999": math.NaN(), strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500): math.NaN(), "1" + strings.Repeat("+1", 20_000): math.NaN(),
	} {
		if v, ok := symPyValue(text); ok != !math.IsNaN(want) || ok && math.Abs(v-want) > 1e-12 {
			t.Errorf("%.60q is %v (%v), want %v", text, v, ok, want)
		}
	}
}
