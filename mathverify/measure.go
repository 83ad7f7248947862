package mathverify

import (
	"math/big"
	"strings"

	"github.com/quintain-rl/quintain/mathverify/expr"
)

// A measure is a unit that we can convert: its size in base units, and their exponents.
type measure struct {
	size   *big.Rat
	powers dimension
}

// A dimension has the exponents of metre, second, gram, litre, cent, degree and radian. The last
// two are of one dimension, which π joins.
type dimension [7]int

// The places of angles in a dimension.
const (
	inDegrees = 5
	inRadians = 6
)

// measures maps the names of units to their sizes.
var measures = func() map[string]measure {
	all := map[string]measure{}
	for _, unit := range []struct {
		names    string
		base     int
		num, den int64
	}{
		{"mm millimeter millimeters millimetre millimetres", 0, 1, 1000}, {"cm centimeter centimeters centimetre centimetres", 0, 1, 100},
		{"dm decimeter decimeters decimetre decimetres", 0, 1, 10}, {"m meter meters metre metres", 0, 1, 1}, {"km kilometer kilometers kilometre kilometres", 0, 1000, 1},
		{"in inch inches", 0, 254, 10_000}, {"ft foot feet", 0, 3048, 10_000}, {"yd yard yards", 0, 9144, 10_000}, {"mi mile miles", 0, 1_609_344, 1000},
		{"ms millisecond milliseconds", 1, 1, 1000}, {"s sec secs second seconds", 1, 1, 1}, {"min mins minute minutes", 1, 60, 1}, {"h hr hrs hour hours", 1, 3600, 1},
		{"day days", 1, 86_400, 1}, {"week weeks", 1, 604_800, 1},
		{"mg milligram milligrams", 2, 1, 1000}, {"g gram grams", 2, 1, 1}, {"kg kilogram kilograms", 2, 1000, 1}, {"tonne tonnes", 2, 1_000_000, 1},
		{"oz ounce ounces", 2, 28_349_523_125, 1_000_000_000}, {"lb lbs pound pounds", 2, 45_359_237, 100_000},
		{"mL ml milliliter milliliters millilitre millilitres", 3, 1, 1000}, {"cL cl", 3, 1, 100}, {"L l liter liters litre litres", 3, 1, 1},
		{"cent cents ¢", 4, 1, 1}, {"$ dollar dollars usd", 4, 100, 1},
		{"degree degrees deg", inDegrees, 1, 1}, {"rad radian radians", inRadians, 1, 1},
	} {
		for _, name := range strings.Fields(unit.names) {
			m := measure{size: big.NewRat(unit.num, unit.den)}
			m.powers[unit.base] = 1
			all[name] = m
		}
	}
	all["mph"], all["kph"] = all["mile"].times(all["hour"], -1), all["km"].times(all["hour"], -1)
	all["kmh"] = all["kph"]
	return all
}()

// times returns a product with a power of a unit.
func (m measure) times(other measure, power int) measure {
	product := measure{size: new(big.Rat).Set(m.size), powers: m.powers}
	factor := other.size
	if power < 0 {
		factor = new(big.Rat).Inv(factor)
	}
	for range max(power, -power) {
		product.size.Mul(product.size, factor)
	}
	for i := range product.powers {
		product.powers[i] += power * other.powers[i]
	}
	return product
}

// sameDimension reports whether two units measure the same, and with which power of a radian in
// degrees they differ.
func (m measure) sameDimension(other measure) (radians int, same bool) {
	radians = m.powers[inRadians] - other.powers[inRadians]
	a, b := m.powers, other.powers
	for _, d := range []*dimension{&a, &b} {
		d[inDegrees] += d[inRadians]
		d[inRadians] = 0
	}
	return radians, a == b
}

var (
	// unitMarkup matches what LaTeX sets around units.
	unitMarkup = compiled(`\\(?:text|textrm|textup|mathrm|mbox|operatorname|rm)\b|\\[ ,;:!$]|[{}~$*]`)

	// unitTerm matches a unit with its exponent.
	unitTerm = compiled(`^(square |sq\.? |cubic )?([A-Za-z°¢]+)(?:\^?(-?[1-3]|²|³))?$`)

	// unitJoint matches a sign of division or multiplication between units.
	unitJoint = compiled(`\s*/\s*|\s+per\s+|\s*[·*]\s*|\s*\\cdot\s*`)
)

// degrees writes the sign of a degree as a word.
var degrees = strings.NewReplacer(`^\circ`, " degrees", `^{\circ}`, " degrees", "°", " degrees")

// endsInUnit reports whether a text with a number ends in the name of a unit, with its exponent.
func endsInUnit(text string) bool {
	text = strings.TrimRight(text, " .$}*0123456789^-²³{")
	if strings.HasSuffix(text, "°") || strings.HasSuffix(text, `\circ`) {
		return true
	}
	n := len(text)
	for n > 0 && (text[n-1] >= 'a' && text[n-1] <= 'z' || text[n-1] >= 'A' && text[n-1] <= 'Z') {
		n--
	}
	_, is := measures[text[n:]]
	if !is {
		_, is = measures[strings.ToLower(text[n:])]
	}
	return is && n > 0 && strings.ContainsAny(text[:n], "0123456789")
}

// maxUnit is the greatest length of a unit.
const maxUnit = 60

// unitIn reads a text as a unit.
func unitIn(text string) (measure, bool) {
	if len(text) > maxUnit {
		return measure{}, false
	}
	text = degrees.Replace(text)
	text = strings.Trim(unitMarkup().ReplaceAllString(text, " "), " .")
	all, whole := unitJoint().FindAllString(text, -1), measure{size: big.NewRat(1, 1)}
	for i, term := range unitJoint().Split(text, -1) {
		m := unitTerm().FindStringSubmatch(strings.Join(strings.Fields(term), " "))
		if m == nil {
			return measure{}, false
		}
		unit, is := measures[m[2]]
		if !is {
			unit, is = measures[strings.ToLower(m[2])]
		}
		if !is || len(m[2]) == 1 && unit.size == nil {
			return measure{}, false
		}
		power := exponentOf(m[1], m[3])
		if i > 0 && strings.ContainsAny(all[i-1], "/p") {
			power = -power
		}
		whole = whole.times(unit, power)
	}
	return whole, true
}

// exponentOf returns the exponent of a unit, from the word before it or the sign after it.
func exponentOf(word, sign string) int {
	switch {
	case strings.HasPrefix(word, "sq"), sign == "2", sign == "²":
		return 2
	case word == "cubic ", sign == "3", sign == "³":
		return 3
	case sign == "-1":
		return -1
	case sign == "-2":
		return -2
	}
	return 1
}

// measured splits an answer into its value and a unit that we can convert.
func measured(text string) (value string, unit measure, is bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxHint {
		return "", unit, false
	}
	if rest, found := strings.CutPrefix(strings.TrimPrefix(text, `\`), "$"); found && rest != "" && isDigit(rest[0]) && plainNumber(strings.ReplaceAll(rest, ",", "")) {
		return rest, measures["$"], true
	}
	if !endsInUnit(text) {
		return "", unit, false
	}
	for i := max(1, len(text)-maxUnit); i < len(text); i++ {
		if c := text[i-1]; !isDigit(c) && strings.IndexByte(")} ", c) < 0 || !strings.ContainsAny(text[:i], "0123456789") {
			continue
		}
		if unit, is = unitIn(text[i:]); is && strings.Count(text[:i], "{") == strings.Count(text[:i], "}") {
			return text[:i], unit, true
		}
	}
	return "", unit, false
}

// following matches a unit in the text after an answer.
var following = compiled(`^(?:\\?[\])}$*]|\s)*((?:square |sq\.? |cubic )?[A-Za-z°¢]+(?:\^?[23]|²|³)?(?:\s?(?:/|per)\s?[A-Za-z]+(?:\^?[23]|²|³)?)?)`)

// withUnit returns an answer with the unit that follows it in the text.
func withUnit(found, text string) string {
	at := strings.LastIndex(text, found)
	if _, _, is := measured(found); is || found == "" || at < 0 {
		return found
	}
	rest := text[at+len(found):]
	m := following().FindStringSubmatch(rest[:min(len(rest), maxUnit)])
	if m == nil {
		return found
	}
	for _, name := range []string{m[1], strings.Fields(m[1])[0]} {
		if _, is := unitIn(name); is && name != "in" {
			return found + `\text{ ` + name + "}"
		}
	}
	return found
}

// sums matches two amounts of one dimension that are added, as "2 hours 30 minutes".
var sums = compiled(`^\s*(\d+(?:\.\d+)?) *([A-Za-z]+)\.?,? *(?:and )?(\d+(?:\.\d+)?) *([A-Za-z]+)[. ]*$`)

// inOneUnit returns the sum of two amounts of one dimension in the unit of the first; "" if a text is
// none.
func inOneUnit(text string) (value string, unit measure) {
	if len(text) > maxShort || !endsInUnit(text) {
		return "", unit
	}
	m := sums().FindStringSubmatch(strings.Join(strings.Fields(unitMarkup().ReplaceAllString(text, " ")), " "))
	if m == nil {
		return "", unit
	}
	unit, is := unitIn(m[2])
	other, is2 := unitIn(m[4])
	if !is || !is2 || unit.powers != other.powers {
		return "", unit
	}
	sum, _ := new(big.Rat).SetString(m[1])
	more, _ := new(big.Rat).SetString(m[3])
	return sum.Add(sum, more.Mul(more, new(big.Rat).Quo(other.size, unit.size))).RatString(), unit
}

// sameMeasure compares two answers with different units of one dimension, or with a sum in two
// units. If it reports nothing sure, the units do not count.
func (c *comparison) sameMeasure() (same, sure bool) {
	if !endsInUnit(c.goldText) && !endsInUnit(c.answerText) && !strings.Contains(c.goldText, "$") {
		return false, false
	}
	value, unit := inOneUnit(c.goldText)
	other, otherUnit := inOneUnit(c.answerText)
	summed, is, is2 := value != "" || other != "", value != "", other != ""
	if !is {
		value, unit, is = measured(c.goldText)
	}
	if !is2 {
		other, otherUnit, is2 = measured(c.answerText)
	}
	switch {
	case is && !is2:
		same = c.sameAngle(value, unit, c.answerText)
		return same, same
	case !is && is2:
		same = c.sameAngle(other, otherUnit, c.goldText)
		return same, same
	}
	radians, same := unit.sameDimension(otherUnit)
	if !is || !same || unit.size.Cmp(otherUnit.size) == 0 && radians == 0 && !summed {
		return false, false
	}
	c.reason = SameExact
	g, err := read(value)
	a, err2 := read(other)
	if err != nil || err2 != nil {
		return false, false
	}
	pi := &expr.Node{Op: expr.Constant, Name: "pi"}
	radian := expr.New(expr.Div, expr.Int(180), pi)
	g = expr.New(expr.Mul, g, expr.Rational(unit.size), expr.New(expr.Pow, radian, expr.Int(int64(radians))))
	return c.sameScalar(g, expr.New(expr.Mul, a, expr.Rational(otherUnit.size))), true
}

// sameAngle reports whether an angle in degrees is a multiple of π without a unit.
func (c *comparison) sameAngle(value string, unit measure, text string) bool {
	if unit.powers != measures["degree"].powers || !strings.Contains(text, "pi") && !strings.Contains(text, "π") {
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
