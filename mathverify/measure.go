package mathverify

import (
	"strings"

	"github.com/quintain-rl/quintain/mathverify/expr"
	"github.com/quintain-rl/quintain/mathverify/units"
)

// sameMeasure compares two answers with different units of one dimension, or with a sum in two
// units. If it reports nothing sure, the units do not count.
func (c *comparison) sameMeasure() (same, sure bool) {
	g, a := mayHaveUnit(c.goldText), mayHaveUnit(c.answerText)
	if !g && !a || g != a && !hasPi(c.goldText) && !hasPi(c.answerText) {
		return false, false
	}
	value, unit := units.Sum(c.goldText)
	other, otherUnit := units.Sum(c.answerText)
	summed, is, is2 := value != "" || other != "", value != "", other != ""
	if !is {
		value, unit, is = units.Split(c.goldText)
	}
	if !is2 {
		other, otherUnit, is2 = units.Split(c.answerText)
	}
	switch {
	case is && !is2:
		same = sameAngle(c, value, unit, c.answerText)
		return same, same
	case !is && is2:
		same = sameAngle(c, other, otherUnit, c.goldText)
		return same, same
	}
	radians, same := unit.SameDimension(otherUnit)
	if !is || !same || unit.Size().Cmp(otherUnit.Size()) == 0 && radians == 0 && !summed {
		return false, false
	}
	c.reason = SameExact
	x, err := read(value)
	y, err2 := read(other)
	if err != nil || err2 != nil {
		return false, false
	}
	pi := &expr.Node{Op: expr.Constant, Name: "pi"}
	radian := expr.New(expr.Div, expr.Int(180), pi)
	x = expr.New(expr.Mul, x, expr.Rational(unit.Size()), expr.New(expr.Pow, radian, expr.Int(int64(radians))))
	return c.sameScalar(x, expr.New(expr.Mul, y, expr.Rational(otherUnit.Size()))), true
}

// sameAngle reports whether an angle in degrees is a multiple of π without a unit.
func sameAngle(c *comparison, value string, unit units.Unit, text string) bool {
	if !unit.IsDegree() || !hasPi(text) {
		return false
	}
	degrees, err := read(value)
	angle, err2 := read(text)
	if err != nil || err2 != nil {
		return false
	}
	_, angle = named(angle)
	if _, degrees = named(degrees); angle == nil || degrees == nil || !closed(angle) || !isScalar(angle) || !isScalar(degrees) || degrees.Has(expr.Constant) {
		return false
	}
	pi := &expr.Node{Op: expr.Constant, Name: "pi"}
	c.reason = SameExact
	return c.sameScalar(expr.New(expr.Mul, degrees, expr.New(expr.Div, pi, expr.Int(180))), angle)
}

// mayHaveUnit reports whether a text may have a unit that we can convert.
func mayHaveUnit(text string) bool { return strings.Contains(text, "$") || units.Ends(text) }

func hasPi(text string) bool { return strings.Contains(text, "pi") || strings.Contains(text, "π") }
