package reasoninggym

import (
	"math"
	"math/big"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// symPyValue returns the value of a formula without variables, as float(parse_expr(text)) does; a
// text in quotes is the number in it.
func symPyValue(text string) (v float64, ok bool) {
	n, is := readSymPy(text)
	if !is {
		return 0, false
	}
	switch {
	case n.Op == expr.Named:
		return pyReadFloat(n.Name)
	case n.Op == expr.Symbol && n.Name == "nan":
		return math.NaN(), true
	case n.Op == expr.Symbol && n.Name == "oo":
		return math.Inf(1), true
	}
	e := newEvaluator()
	v, is = e.value(e.form(n))
	return v, is && !e.fault
}

// symPyWhole returns the value of a formula of whole numbers.
func symPyWhole(text string) (*big.Int, bool) {
	n, ok := readSymPy(text)
	if !ok {
		return nil, false
	}
	e := newEvaluator()
	v, ok := e.form(n).number()
	if !ok || e.fault {
		return nil, false
	}
	return v.whole()
}

// symPyForm returns a text that two formulas share if SymPy brings them into the same form by
// itself.
func symPyForm(text string) (string, bool) {
	n, ok := readSymPy(text)
	if !ok {
		return "", false
	}
	e := newEvaluator()
	f := e.form(n)
	return f.text(), !e.fault
}
