package mathverify

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/mathverify/expr"
	"github.com/quintain-rl/quintain/mathverify/units"
)

// withoutUnits returns the number before units: letters that stand for them, their powers,
// products and quotients. If there is more, it returns n.
func withoutUnits(n *expr.Node) *expr.Node {
	if closed(n) {
		return n
	}
	if number := quantity(n); number != nil && closed(number) {
		return number
	}
	return n
}

// quantity returns the number in a product or a quotient of a number and units; nil if there
// is none.
func quantity(n *expr.Node) *expr.Node {
	switch n.Op {
	case expr.Mul:
		rest := slices.DeleteFunc(slices.Clone(n.Args), isUnit)
		for i, arg := range rest {
			if rest[i] = quantity(arg); rest[i] == nil {
				return nil
			}
		}
		switch len(rest) {
		case 0:
			return nil
		case 1:
			return rest[0]
		}
		return expr.New(expr.Mul, rest...)
	case expr.Div:
		over := quantity(n.Args[0])
		if over == nil || isUnit(n.Args[1]) {
			return over
		}
		if under := quantity(n.Args[1]); under != nil {
			return expr.New(expr.Div, over, under)
		}
		return nil
	case expr.Neg:
		if inner := quantity(n.Args[0]); inner != nil {
			return expr.New(expr.Neg, inner)
		}
		return nil
	}
	if closed(n) {
		return n
	}
	return nil
}

// isUnit reports whether n is a unit: letters, their powers, products and quotients.
func isUnit(n *expr.Node) bool {
	switch n.Op {
	case expr.Symbol:
		return listed(units.Letters, n.Name)
	case expr.Mul, expr.Div:
		return !slices.ContainsFunc(n.Args, func(arg *expr.Node) bool { return !isUnit(arg) })
	case expr.Pow:
		exponent := n.Args[1]
		if exponent.Op == expr.Neg {
			exponent = exponent.Args[0]
		}
		return isUnit(n.Args[0]) && exponent.Op == expr.Number
	}
	return false
}

// inWords reports whether an answer in LaTeX sets letters as words, so that they are units and
// no variables.
func inWords(text string) bool {
	return strings.Contains(text, `\text`) || strings.Contains(text, `\mathrm`) || strings.Contains(text, `\mbox`) || strings.Contains(text, `\rm`)
}
