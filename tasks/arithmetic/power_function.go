package arithmetic

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// powerFunction asks for a power of a decimal number, to three digits.
var powerFunction = task.Spec[powerFunctionParams, powerFunctionItem]{
	Name:     "power_function",
	Category: "arithmetic",
	Doc: "Raise a number with up to four decimal places to a whole power, and round to three significant digits. " +
		"Half of the exponents are negative. No power is halfway between two numbers of three digits.",
	Source:  "Elementary arithmetic; the settings are those of reasoning-gym.",
	Version: 4,
	Default: powerFunctionParams{MinBase: -1000, MaxBase: 1000, MinExponent: 0, MaxExponent: 8, Decimals: 4},
	Levels: []powerFunctionParams{
		{MinBase: 1, MaxBase: 10, MinExponent: 2, MaxExponent: 2, Decimals: 1},
		{MinBase: -20, MaxBase: 20, MinExponent: 2, MaxExponent: 3, Decimals: 4},
		{MinBase: -100, MaxBase: 100, MinExponent: 2, MaxExponent: 4, Decimals: 4},
		{MinBase: -1000, MaxBase: 1000, MinExponent: 3, MaxExponent: 6, Decimals: 4},
		{MinBase: -1000, MaxBase: 1000, MinExponent: 6, MaxExponent: 10, Decimals: 4},
		{MinBase: -100_000, MaxBase: 100_000, MinExponent: 10, MaxExponent: 20, Decimals: 4},
	},
	Few: []string{
		"There are few squares of numbers up to ten with one decimal.",
	},
	Make: makePowerFunction,
}

// powerFunctionParams are the settings of one difficulty.
type powerFunctionParams struct {
	MinBase     float64 `json:"min_base" want:"-1e6 to 1e6"`
	MaxBase     float64 `json:"max_base" want:"min_base to 1e6"`
	MinExponent int     `json:"min_exponent" want:"0 or more"` // before the sign is drawn
	MaxExponent int     `json:"max_exponent" want:"min_exponent to 50"`
	Decimals    int     `json:"decimals" want:"0 to 4"` // limit of the base's decimal places
}

// Check refuses what no tag does.
func (p powerFunctionParams) Check() error {
	least, most := p.parts()
	if least > most || least == 0 && most == 0 {
		return fmt.Errorf("max_base is %v and min_base %v; between them 0 is the only number with %d decimals", p.MaxBase, p.MinBase, p.Decimals)
	}
	return nil
}

// unit returns the number of last decimals in 1.
func (p powerFunctionParams) unit() float64 { return float64(powersOfTen[p.Decimals]) }

// parts returns the least and the largest base, in units of the last decimal.
func (p powerFunctionParams) parts() (least, most int64) {
	return int64(math.Ceil(p.MinBase * p.unit())), int64(math.Floor(p.MaxBase * p.unit()))
}

// powerFunctionItem is one power.
type powerFunctionItem struct {
	Base     float64 `json:"base"`
	Exponent int     `json:"exponent" want:"-1000 to 1000"`
	Solution float64 `json:"solution"` // Base to the power of Exponent, in floating point
	Phrasing int     `json:"phrasing,omitempty" want:"0 to 5"`
}

// makePowerFunction draws a base and an exponent.
func makePowerFunction(p powerFunctionParams, r *rng.Rand) (powerFunctionItem, error) {
	least, most := p.parts()
	item := powerFunctionItem{Exponent: r.Between(p.MinExponent, p.MaxExponent), Phrasing: r.Between(0, len(powerFunctionPhrasings)-1)}
	if r.Chance(0.5) {
		item.Exponent = -item.Exponent
	}
	const tries = 10 // one power in ten thousand is halfway
	for range tries {
		part := r.Between64(least, most)
		if part == 0 {
			part = max(least, min(most, 1))
		}
		item.Base = float64(part) / p.unit()
		item.Solution = power(item.Base, item.Exponent)
		if !halfway(item.Solution) {
			break
		}
	}
	return item, nil
}

// halfway reports whether x has four digits and ends in 5.
func halfway(x float64) bool {
	var room [32]byte
	text := strconv.AppendFloat(room[:0], math.Abs(x), 'e', -1, 64) // 1.235e+02
	return text[1] == '.' && text[4] == '5' && text[5] == 'e'
}

// power returns base to the power of exponent. Every step is one IEEE 754 operation, so
// that the result is the same on every machine.
func power(base float64, exponent int) float64 {
	p := 1.0
	for range max(exponent, -exponent) {
		p *= base
	}
	if exponent < 0 {
		p = 1 / p
	}
	return p
}

// decimalOf returns the finite number x as Python writes it.
func decimalOf(x float64) answer.Decimal {
	if x == 0 {
		return answer.Decimal{}
	}
	var room [32]byte
	text := strconv.AppendFloat(room[:0], math.Abs(x), 'e', -1, 64) // 1.235e+02, 5e-324
	mark := bytes.IndexByte(text, 'e')
	exponent, _ := strconv.Atoi(string(text[mark+1:]))
	digits := string(text[:1])
	if mark > 1 {
		digits += string(text[2:mark])
	}
	return answer.Decimal{Neg: x < 0, Digits: digits, Exp: int64(exponent - len(digits) + 1)}
}

// powerFunctionPhrasings are the wordings of the question, before and after the power.
var powerFunctionPhrasings = [][2]string{
	{"Work out ", "."},
	{"What is ", "?"},
	{"Calculate ", "."},
	{"To which number does ", " evaluate?"},
	{"A calculator is given ", ". What does it show?"},
	{"Find the value of ", "."},
}

func (p powerFunctionItem) Prompt() string {
	words := powerFunctionPhrasings[p.Phrasing]
	var room [32]byte
	return words[0] + string(p.appendText(room[:0])) + words[1] + " Answer with one number, rounded to three significant digits, in scientific notation, for example -1.23e+4."
}

// appendText appends the power.
func (p powerFunctionItem) appendText(b []byte) []byte {
	if p.Base < 0 {
		b = append(strconv.AppendFloat(append(b, '('), p.Base, 'f', -1, 64), ')')
	} else {
		b = strconv.AppendFloat(b, p.Base, 'f', -1, 64)
	}
	return strconv.AppendInt(append(b, '^'), int64(p.Exponent), 10)
}

func (p powerFunctionItem) Short() string { return string(append(p.appendText(nil), '=')) }

// Canonical implements [task.Canonicalizer]. The sign of the base changes only that of the answer, and
// ten times the base only its place.
func (p powerFunctionItem) Canonical() string {
	return task.Commuted("("+strconv.FormatFloat(p.Base, 'f', -1, 64)+")**"+strconv.Itoa(p.Exponent), nil)
}

// Check refuses a record with a wrong solution.
func (p powerFunctionItem) Check() error {
	want := power(p.Base, p.Exponent)
	if math.IsInf(want, 0) || math.IsNaN(want) {
		return errors.New("base to the power of exponent is not a number")
	}
	if math.Abs(p.Solution-want) > 1e-9*math.Abs(want) {
		return fmt.Errorf("solution is %v, want about %v", p.Solution, want)
	}
	return nil
}

func (p powerFunctionItem) Solve() string {
	d := threeDigits(decimalOf(p.Solution))
	exponent := d.Exp + int64(len(d.Digits)) - 1
	if d.Digits == "" {
		exponent = 0
	}
	digits := d.Digits + "000"[len(d.Digits):]
	text := digits[:1] + "." + digits[1:] + "e"
	if exponent >= 0 {
		text += "+"
	}
	if d.Neg {
		text = "-" + text
	}
	return text + strconv.FormatInt(exponent, 10)
}

// threeDigits rounds d to three significant digits, halves to even.
func threeDigits(d answer.Decimal) answer.Decimal {
	const keep = 3
	if len(d.Digits) <= keep {
		return d
	}
	head, rest := d.Digits[:keep], d.Digits[keep:]
	d.Exp += int64(len(rest))
	if rest > "5" || rest == "5" && (head[keep-1]-'0')%2 == 1 {
		n, _ := strconv.Atoi(head)
		head = strconv.Itoa(n + 1)
	}
	d.Digits = strings.TrimRight(head, "0")
	d.Exp += int64(len(head) - len(d.Digits))
	return d
}

// Score implements [task.Scorer]. It compares both numbers rounded to three digits.
func (p powerFunctionItem) Score(text string) quintain.Verdict {
	got, ok := answer.ReadDecimal(text)
	switch {
	case !ok:
		return quintain.Malformed("the answer is not a number")
	case threeDigits(got) == threeDigits(decimalOf(p.Solution)):
		return quintain.Right()
	}
	return quintain.Wrong("want " + p.Solve())
}
