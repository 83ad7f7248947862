// Package units converts the units of measurement that stand after the numbers of answers.
package units

import (
	"math/big"
	"strings"
)

// A Unit is a unit that we can convert: its size in base units, and their exponents.
type Unit struct {
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
var measures = func() map[string]Unit {
	all := map[string]Unit{}
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
			m := Unit{size: big.NewRat(unit.num, unit.den)}
			m.powers[unit.base] = 1
			all[name] = m
		}
	}
	all["mph"], all["kph"] = all["mile"].times(all["hour"], -1), all["km"].times(all["hour"], -1)
	all["kmh"] = all["kph"]
	return all
}()

// times returns a product with a power of a unit.
func (u Unit) times(other Unit, power int) Unit {
	product := Unit{size: new(big.Rat).Set(u.size), powers: u.powers}
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

// SameDimension reports whether two units Unit the same, and with which power of a radian in
// degrees they differ.
func (u Unit) SameDimension(other Unit) (radians int, same bool) {
	radians = u.powers[inRadians] - other.powers[inRadians]
	a, b := u.powers, other.powers
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
	unitTerm = compiled(`^(square |sq\.? |cubic )?([A-Za-z°¢]+)(?: ?\^ ?(-?[1-3])|(²|³|[23]))?$`)

	// unitJoint matches a sign of division or multiplication between units.
	unitJoint = compiled(`\s*/\s*|\s+per\s+|\s*[·*]\s*|\s*\\cdot\s*`)
)

// degrees writes the sign of a degree as a word.
var degrees = strings.NewReplacer(`^\circ`, " degrees", `^{\circ}`, " degrees", "°", " degrees")

// Size returns the size of the unit in base units. The caller does not change it.
func (u Unit) Size() *big.Rat { return u.size }

// IsDegree reports whether the unit is a degree.
func (u Unit) IsDegree() bool { return u.powers == measures["degree"].powers }

// Ends reports whether a text with a number ends in the name of a unit, with its exponent.
func Ends(text string) bool {
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

// The greatest lengths of a unit, a sum of two, and an answer with a unit, in bytes.
const (
	maxUnit   = 60
	maxSum    = 80
	maxAnswer = 400
)

// In reads a text as a unit.
func In(text string) (Unit, bool) {
	if len(text) > maxUnit {
		return Unit{}, false
	}
	text = degrees.Replace(text)
	text = strings.Trim(unitMarkup().ReplaceAllString(text, " "), " .")
	all, whole := unitJoint().FindAllString(text, -1), Unit{size: big.NewRat(1, 1)}
	for i, term := range unitJoint().Split(text, -1) {
		m := unitTerm().FindStringSubmatch(strings.Join(strings.Fields(term), " "))
		if m == nil {
			return Unit{}, false
		}
		unit, is := measures[m[2]]
		if !is {
			unit, is = measures[strings.ToLower(m[2])]
		}
		if !is {
			return Unit{}, false
		}
		power := exponentOf(m[1], m[3]+m[4])
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

// Split splits an answer into its value and a unit that we can convert.
func Split(text string) (value string, unit Unit, is bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxAnswer {
		return "", unit, false
	}
	if rest, found := strings.CutPrefix(strings.TrimPrefix(text, `\`), "$"); found && rest != "" && strings.Trim(rest, "0123456789.,") == "" && rest != "." {
		return rest, measures["$"], true
	}
	if !Ends(text) {
		return "", unit, false
	}
	for i := max(1, len(text)-maxUnit); i < len(text); i++ {
		if strings.IndexByte("0123456789)} ", text[i-1]) < 0 || !starts(text[i]) || !strings.ContainsAny(text[:i], "0123456789") {
			continue
		}
		if unit, is = In(text[i:]); is && strings.Count(text[:i], "{") == strings.Count(text[:i], "}") {
			return text[:i], unit, true
		}
	}
	return "", unit, false
}

// starts reports whether a unit may start with a byte.
func starts(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte(` \{~^`, c) >= 0 || c >= 0x80
}

// sums matches two amounts of one dimension that are added, as "2 hours 30 minutes".
var sums = compiled(`^\s*(\d+(?:\.\d+)?) *([A-Za-z]+)\.?,? *(?:and )?(\d+(?:\.\d+)?) *([A-Za-z]+)[. ]*$`)

// Sum returns the sum of two amounts of one dimension in the unit of the first; "" if a text is
// none.
func Sum(text string) (value string, unit Unit) {
	if len(text) > maxSum || !Ends(text) {
		return "", unit
	}
	m := sums().FindStringSubmatch(strings.Join(strings.Fields(unitMarkup().ReplaceAllString(text, " ")), " "))
	if m == nil {
		return "", unit
	}
	unit, is := In(m[2])
	other, is2 := In(m[4])
	if !is || !is2 || unit.powers != other.powers {
		return "", unit
	}
	sum, _ := new(big.Rat).SetString(m[1])
	more, _ := new(big.Rat).SetString(m[3])
	return sum.Add(sum, more.Mul(more, new(big.Rat).Quo(other.size, unit.size))).RatString(), unit
}

// Letters lists the units of one letter, and those that parse as variables.
const Letters = " s m g h L N J W V K Omega mu Hz Pa kg km cm mm mol min hr hour hours sec second seconds day days week weeks month months year years" +
	" mile miles mi ft feet foot inch inches in yd yard yards lb lbs oz ton tons meter meters metre metres gram grams kilogram kilograms kilometer kilometers" +
	" liter liters litre litres minute minutes dollar dollars cent cents euro euros person people item items unit units rad kJ kW kWh kPa mL ml cal kcal eV MeV gal gallon gallons pint pints cup cups byte bytes MB GB kB "
