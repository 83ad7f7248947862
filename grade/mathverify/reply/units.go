package reply

import (
	_ "embed" // the table of units
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Unit is a unit that we can convert: its size in base units, and their exponents.
type Unit struct {
	size   *big.Rat
	zero   *big.Rat // what a scale of temperature adds; nil: nothing
	powers dimension
	name   string // the first of its names; empty for products and powers
}

// A dimension has the exponents of the base units. Degree and radian are of one dimension, which π joins.
type dimension [14]int

// bases lists the base units in the order of a dimension, of which these are the angles.
const (
	bases     = "m s g A K mol degree rad bit ¢ € £ ¥ ₹"
	inDegrees = 6
	inRadians = 7
	cent      = 9 // the first of money
)

//go:embed units.txt
var table string

// prefixes lists the prefixes of the SI with their powers of ten, as letters and as words.
var prefixes = []struct {
	letter, word string
	power        int
}{
	{"p", "pico", -12}, {"n", "nano", -9}, {"µ", "micro", -6}, {"u", "", -6}, {"m", "milli", -3}, {"c", "centi", -2}, {"d", "deci", -1},
	{"h", "hecto", 2}, {"k", "kilo", 3}, {"M", "mega", 6}, {"G", "giga", 9}, {"T", "tera", 12}, {"f", "femto", -15},
}

// measures returns the units by their names, with and without a prefix.
var measures = sync.OnceValue(func() map[string]Unit {
	all := map[string]Unit{}
	zeros := map[string]*big.Rat{"degC": big.NewRat(27_315, 100), "degF": big.NewRat(229_835, 900)}
	var metric [][]string
	for line := range strings.Lines(table[strings.IndexByte(table, '\n')+1:]) {
		fields := strings.Split(strings.TrimSpace(line), "; ")
		names := strings.Fields(fields[0])
		size, _ := new(big.Rat).SetString(fields[1])
		unit := Unit{size: size, zero: zeros[names[0]], name: names[0]}
		for _, factor := range strings.Fields(fields[2]) {
			base := strings.TrimRight(factor, "-0123456789")
			unit.powers[slices.Index(strings.Fields(bases), base)] = exponentOf("", factor[len(base):])
		}
		for _, name := range names {
			all[name] = unit
		}
		if len(fields) > 3 {
			metric = append(metric, names)
		}
	}
	for _, name := range slices.Concat(metric...) {
		for _, prefix := range prefixes {
			start := prefix.letter
			if len(name) > len("mol") {
				start = prefix.word
			}
			if _, ok := all[start+name]; start != "" && !ok {
				scale, _ := new(big.Rat).SetString("1e" + strconv.Itoa(prefix.power))
				all[start+name] = Unit{size: scale.Mul(scale, all[name].size), powers: all[name].powers, name: start + name}
			}
		}
	}
	return all
})

// named returns the unit of a name. Letters of the other case count for words only.
func named(name string) (Unit, bool) {
	unit, ok := measures()[name]
	if !ok && len(name) > 1 {
		unit, ok = measures()[strings.ToLower(name)]
	}
	return unit, ok
}

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

// SameDimension reports whether two units measure the same, and with which power of a radian in
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

// MayMean reports whether two units of different dimensions may have been meant to be the same: a
// degree is also one of temperature, C also °C, and a pound also £.
func (u Unit) MayMean(other Unit) bool {
	pair := u.name + " " + other.name
	if u.name > other.name {
		pair = other.name + " " + u.name
	}
	a, b := u.powers, other.powers
	for i := cent; i < len(a); i++ { // an amount, and an amount for each of something
		if a[i] == 1 && b[i] == 1 && (u.name == "") != (other.name == "") {
			return true
		}
	}
	switch pair {
	case "degC degree", "degF degree", "C degC", "F degF", "lb £", "C degree", "F degree":
		return true
	}
	return false
}

var (
	// clean matches what LaTeX sets around units, and celsius matches a degree of temperature.
	clean   = unitTerms(`\\(?:text|textrm|textup|mathrm|mbox|operatorname|rm)\b|\\[ ,;:!$]|[{}~$*]`)
	celsius = unitTerms(`(?i)(?:\^ ?\\circ|°|º|degrees?) *(c|f|celsius|fahrenheit|centigrade)\b`)
	over    = unitTerms(`\\[dt]?frac *([^{}/ ]+) +([^{}/ ]+)`)

	// term matches a unit with its exponent, and joint a sign between two.
	term  = unitTerms(`^(square |sq\.? |cubic |cu\.? )?([A-Za-zµΩÅ℃¢$€£¥₹]+)\.?(?: ?\^ ?(-?[1-4])|(-[1-3]|[23])\b)?`)
	joint = unitTerms(`^(?:/|per |\(|\)|[·⋅×]|\\cdot\b|\\times\b)`)
)

// plainer writes the letters of units and their exponents in one form, and the sign of a degree as a word.
var plainer = strings.NewReplacer(`\mu `, "µ", `\mu`, "µ", "μ", "µ", `k \Omega`, "kΩ", `M \Omega`, "MΩ", `\Omega`, "Ω", "Ω", "Ω", "⁻¹", "^-1", "⁻²", "^-2", "⁻³", "^-3", "²", "^2", "³", "^3", " squared", "^2", " cubed", "^3",
	`^\circ`, " degrees", `^{\circ}`, " degrees", "°", " degrees", "º", " degrees")

// Size returns the size of the unit in base units. The caller does not change it.
func (u Unit) Size() *big.Rat { return u.size }

// Zero returns what a scale of temperature adds to a size, or 0. The caller does not change it.
func (u Unit) Zero() *big.Rat {
	if u.zero == nil {
		return new(big.Rat)
	}
	return u.zero
}

// IsDegree reports whether the unit is a degree.
func (u Unit) IsDegree() bool { return u.powers == measures()["degree"].powers }

// EndsInUnit reports whether a text with a number ends in the name of a unit, with its exponent.
func EndsInUnit(text string) bool {
	text = strings.TrimRight(text, " .$}*0123456789^-²³⁻¹{)'′″\"")
	if inner, ok := strings.CutSuffix(text, `\prime`); ok {
		text = strings.TrimRight(inner, " ^{0123456789\\prime")
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, " squared"), " cubed")
	for _, sign := range []string{"°", `\circ`, "€", "℃", "¢"} {
		if strings.HasSuffix(text, sign) {
			return true
		}
	}
	n := len(text)
	for n > 0 && (text[n-1] >= 'a' && text[n-1] <= 'z' || text[n-1] >= 'A' && text[n-1] <= 'Z') {
		n--
	}
	_, ok := named(text[n:])
	if !ok && strings.HasSuffix(text, "Ω") {
		ok, n = true, len(text)-len("Ω")
	}
	return ok && n > 0 && hasNumber(text[:n])
}

// hasNumber reports whether a text has a digit or π.
func hasNumber(text string) bool {
	return strings.ContainsAny(text, "0123456789") || strings.Contains(text, "pi") || strings.Contains(text, "π")
}

// The greatest lengths of a unit, a sum of two, and an answer with a unit, in bytes.
const (
	maxUnit   = 80
	maxSum    = 80
	maxAnswer = 400
)

// UnitIn reads a text as a unit.
func UnitIn(text string) (Unit, bool) {
	if len(text) > maxUnit {
		return Unit{}, false
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, `{\circ}`, `\circ`), "}{", "} {")
	text = strings.Join(strings.Fields(clean().ReplaceAllString(text, " ")), " ")
	text = over().ReplaceAllString(plainer.Replace(celsius().ReplaceAllString(text, " deg$1")), "$1/$2")
	whole, sign, terms := Unit{size: big.NewRat(1, 1)}, 1, 0
	for text = strings.Trim(text, " ."); text != ""; text = strings.TrimLeft(text, " ") {
		if mark := joint().FindString(text); mark != "" {
			if mark == "/" || mark == "per " {
				sign = -1
			}
			text = text[len(mark):]
			continue
		}
		m := term().FindStringSubmatch(text)
		if m == nil {
			return Unit{}, false
		}
		unit, ok := named(m[2])
		if !ok {
			return Unit{}, false
		}
		text = text[len(m[0]):]
		if power := sign * exponentOf(m[1], m[3]+m[4]); terms == 0 && power == 1 && text == "" {
			return unit, true
		} else if whole = whole.times(unit, power); whole.size.Num().BitLen() > maxUnit*maxUnit {
			return Unit{}, false
		}
		terms++
	}
	return whole, terms > 0
}

// exponentOf returns the exponent of a unit, from the word before it or the sign after it.
func exponentOf(word, sign string) int {
	switch {
	case strings.HasPrefix(word, "sq"):
		return 2
	case strings.HasPrefix(word, "cu"):
		return 3
	case sign == "":
		return 1
	}
	power, _ := strconv.Atoi(sign)
	return power
}

// priced matches an amount of money with its sign before it.
var priced = unitTerms(`^(-?) ?(?:US ?)?\\?(\$|€|£|¥|₹|USD|EUR|GBP|INR|JPY) ?(\d[\d.,{}!\\ ]*?(?: (?:thousand|million|billion))?)(?: ?(?:/|\bper|\ban?|\beach) ?(.*))?$`)

// SplitUnit splits an answer into its value and a unit that we can convert.
func SplitUnit(text string) (value string, unit Unit, ok bool) {
	text = strings.TrimRight(strings.TrimSpace(text), ".")
	if inner, words := strings.CutPrefix(text, `\text{`); words && strings.HasSuffix(inner, "}") && !strings.ContainsAny(inner[:len(inner)-1], "{}") {
		text = inner[:len(inner)-1]
	}
	if len(text) > maxAnswer {
		return "", unit, false
	}
	if m := priced().FindStringSubmatch(text); m != nil {
		unit, ok = named(m[2])
		if each, known := UnitIn(m[4]); known {
			unit = unit.times(each, -1)
		}
		return m[1] + m[3], unit, ok
	}
	if !EndsInUnit(text) {
		return "", unit, false
	}
	for i := max(1, len(text)-maxUnit); i < len(text); i++ {
		if c := text[i]; strings.IndexByte("0123456789)} ", text[i-1]) < 0 && c != ' ' && c != '\\' && c != '~' && c < 0x80 || !startsUnit(c) || !hasNumber(text[:i]) {
			continue
		}
		if c := text[i]; i == len(text)-1 && c >= 'A' && c <= 'J' && text[i-1] >= '0' && text[i-1] <= '9' { // a choice
			continue
		}
		if unit, ok = UnitIn(text[i:]); ok && strings.Count(text[:i], "{") == strings.Count(text[:i], "}") {
			return text[:i], unit, true
		}
	}
	return "", unit, false
}

// startsUnit reports whether a unit may start with a byte.
func startsUnit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte(` \{~^`, c) >= 0 || c >= 0x80
}

// sums matches two amounts of one dimension that are added, as "2 hours 30 minutes".
var sums = unitTerms(`^\s*(\d+(?:\.\d+)?) *([A-Za-z]+)\.?,? *(?:and )?(\d+(?:\.\d+)?) *([A-Za-z]+)[. ]*$`)

// sexagesimal matches an angle in degrees, minutes and seconds.
var sexagesimal = unitTerms(`^(\d+) *(?:\^ *\\circ|°|º) *(\d+) *(?:'|′|\^ *\\prime) *(?:(\d+) *(?:''|"|″|\^ *\\prime *\\prime))?$`)

// SumUnit returns the sum of two amounts of one dimension in the unit of the first, or an angle with its minutes and
// seconds in degrees; "" if a text is none.
func SumUnit(text string) (value string, unit Unit) {
	if len(text) > maxSum || !EndsInUnit(text) {
		return "", unit
	}
	text = strings.Join(strings.Fields(clean().ReplaceAllString(text, " ")), " ")
	if m := sexagesimal().FindStringSubmatch(text); m != nil {
		seconds, _ := new(big.Int).SetString(m[1], 10)
		for _, part := range m[2:] {
			smaller, _ := new(big.Int).SetString("0"+part, 10)
			seconds.Add(seconds.Mul(seconds, big.NewInt(60)), smaller)
		}
		return new(big.Rat).SetFrac(seconds, big.NewInt(3600)).RatString(), measures()["degree"]
	}
	m := sums().FindStringSubmatch(text)
	if m == nil {
		return "", unit
	}
	unit, ok := UnitIn(m[2])
	other, is2 := UnitIn(m[4])
	if !ok || !is2 || unit.powers != other.powers {
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
