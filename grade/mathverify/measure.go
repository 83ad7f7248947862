package mathverify

import (
	"math/big"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/grade/mathverify/reply"
	"github.com/quintain-rl/quintain/internal/compiled"
)

// sameUnits compares two answers, or two lists of answers, of which one may have a unit that we can convert.
func sameUnits(c *comparison) (same, sure bool) {
	if !mayHaveUnit(c.goldText) && !mayHaveUnit(c.answerText) {
		return false, false
	}
	if same, sure = c.sameMeasure(); same || sure {
		return same, sure
	}
	c.reason = SameText
	return sameMeasures(c)
}

// sameMeasure compares two answers that both have a unit that we can convert: dimension and size must
// agree. A sum in two units counts as one amount. If it reports nothing sure, the units do not count.
func (c *comparison) sameMeasure() (same, sure bool) {
	x, unit, summed, ok := measured(c.goldText)
	y, other, summed2, is2 := measured(c.answerText)
	switch {
	case ok && !is2:
		same = sameAngle(c, x, unit, c.answerText) || (summed || inWords(c.goldText) || apart().MatchString(c.goldText)) && sameAmount(c, x, c.answerText)
		return same, same
	case !ok && is2:
		same = sameAngle(c, y, other, c.goldText) || sameAmount(c, y, c.goldText)
		return same, same
	case !ok || unit.MayMean(other):
		return false, false
	}
	c.reason = SameExact
	radians, same := unit.SameDimension(other)
	if !same {
		return false, true
	}
	radian := expr.New(expr.Div, &expr.Node{Op: expr.Constant, Name: "pi"}, expr.Int(180))
	scale := new(big.Rat).Quo(other.Size(), unit.Size())
	zero := new(big.Rat).Quo(new(big.Rat).Sub(other.Zero(), unit.Zero()), unit.Size())
	y = expr.New(expr.Mul, y, expr.Rational(scale), expr.New(expr.Pow, radian, expr.Int(int64(radians))))
	same = c.sameScalar(x, expr.New(expr.Add, y, expr.Rational(zero)))
	return same, same || scale.Cmp(big.NewRat(1, 1)) != 0 || zero.Sign() != 0 || radians != 0 || summed || summed2
}

// maxAmounts bounds the members of a list of answers with units.
const maxAmounts = 16

// sameMeasures compares two lists of answers with units, in any order.
func sameMeasures(c *comparison) (same, sure bool) {
	if len(c.goldText)+len(c.answerText) > maxNormal {
		return false, false
	}
	g, a := pieces(c.goldText), pieces(c.answerText)
	if len(g) < 2 || len(g) != len(a) || len(g) > maxAmounts || strings.ContainsAny(c.goldText+c.answerText, "()[]") {
		return false, false
	}
	measuredAll := true
	same = paired(g, a, func(x, y string) bool {
		twin := *c
		twin.goldText, twin.answerText = x, y
		if same, sure := twin.sameMeasure(); sure {
			return same
		}
		measuredAll = false
		n, err := read(x)
		m, err2 := read(y)
		return err == nil && err2 == nil && c.same(n, m)
	})
	c.reason = SameExact
	return same && measuredAll, measuredAll
}

// conjunction matches a word between the members of a list.
var conjunction = compiled.Regexp(`\s*,?\s*(?:\$\s*(?:and|or)\s*\$|\\text\s*\{\s*(?:and|or)\s*\}|\s(?:and|or)\s)\s*`)

// pieces returns the members of a list.
func pieces(text string) (all []string) {
	for _, part := range strings.Split(conjunction().ReplaceAllString(text, ", "), ", ") {
		if part = strings.Trim(part, " ,;"); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// apart matches a number with a space before its unit, which is no variable then.
var apart = compiled.Regexp(`\d +[A-Za-zµμΩ°][A-Za-zµμΩ°/^·² \d()-]*$`)

// inWords reports whether an answer in LaTeX sets letters as words, so that they are units and no variables.
func inWords(text string) bool {
	return strings.Contains(text, `\text`) || strings.Contains(text, `\mathrm`) || strings.Contains(text, `\mbox`) || strings.Contains(text, `\rm`)
}

// measured returns the number in an answer with a unit, and the unit; summed says that it adds two.
func measured(text string) (number *expr.Node, unit reply.Unit, summed, ok bool) {
	value, unit := reply.SumUnit(text)
	summed = value != ""
	if value == "" {
		value, unit, ok = reply.SplitUnit(text)
	}
	if !ok && !summed {
		return nil, unit, false, false
	}
	n, err := read(value)
	if err != nil {
		return nil, unit, false, false
	}
	if _, n = named(n); n == nil || !isScalar(n) || !closed(n) || n.Has(expr.PlusMinus) {
		return nil, unit, false, false
	}
	return n, unit, summed, true
}

// sameAmount reports whether the number before a unit is a text without one.
func sameAmount(c *comparison, y *expr.Node, text string) bool {
	x, err := read(text)
	if err != nil {
		return false
	}
	_, x = named(x)
	c.reason = SameExact
	return x != nil && isScalar(x) && closed(x) && !x.Has(expr.PlusMinus) && c.sameScalar(x, y)
}

// sameAngle reports whether an angle in degrees is a multiple of π without a unit.
func sameAngle(c *comparison, degrees *expr.Node, unit reply.Unit, text string) bool {
	if !unit.IsDegree() || !hasPi(text) {
		return false
	}
	angle, err := read(text)
	if err != nil {
		return false
	}
	if _, angle = named(angle); angle == nil || !closed(angle) || !isScalar(angle) || degrees.Has(expr.Constant) {
		return false
	}
	pi := &expr.Node{Op: expr.Constant, Name: "pi"}
	c.reason = SameExact
	return c.sameScalar(expr.New(expr.Mul, degrees, expr.New(expr.Div, pi, expr.Int(180))), angle)
}

// mayHaveUnit reports whether a text may have a unit that we can convert.
func mayHaveUnit(text string) bool {
	return strings.ContainsAny(text, "$€£¥₹") || reply.EndsInUnit(text)
}

func hasPi(text string) bool { return strings.Contains(text, "pi") || strings.Contains(text, "π") }
