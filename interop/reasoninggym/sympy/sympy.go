// Package sympy reads formulas in the syntax of SymPy's parse_expr, and evaluates them as SymPy
// does by itself: numbers are exact or floats, like terms are one, products of sums stay. It
// runs none of the text: it knows arithmetic and a few functions, and fails for the rest. Its
// cost is bounded.
package sympy

import (
	"math"
	"math/big"

	"github.com/quintain-rl/quintain/interop/reasoninggym/python"
	"github.com/quintain-rl/quintain/mathverify/expr"
)

// Value returns the value of a formula without variables, as float(parse_expr(text)) does; a
// text in quotes is the number in it.
func Value(text string) (v float64, ok bool) {
	n, is := Read(text)
	if !is {
		return 0, false
	}
	switch {
	case n.Op == expr.Named:
		return python.ReadFloat(n.Name)
	case n.Op == expr.Symbol && n.Name == "nan":
		return math.NaN(), true
	case n.Op == expr.Symbol && n.Name == "oo":
		return math.Inf(1), true
	}
	e := newEvaluator()
	v, is = e.value(e.form(n))
	return v, is && !e.fault
}

// Whole returns the value of a formula of whole numbers.
func Whole(text string) (*big.Int, bool) {
	n, is := Read(text)
	if !is {
		return nil, false
	}
	e := newEvaluator()
	v, is := e.form(n).number()
	if !is || e.fault {
		return nil, false
	}
	return v.whole()
}

// Form returns a text that two formulas share if SymPy brings them into the same form by
// itself.
func Form(text string) (string, bool) {
	n, is := Read(text)
	if !is {
		return "", false
	}
	e := newEvaluator()
	f := e.form(n)
	return f.text(), !e.fault
}
