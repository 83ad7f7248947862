package mathematics

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// complexArithmetic asks for the sum, difference, product or quotient of two complex
// numbers.
var complexArithmetic = task.Spec[complexParams, complexItem]{
	Name:     "complex_arithmetic",
	Category: "algebra",
	Doc:      "Add, subtract, multiply or divide two complex numbers with whole real and imaginary parts. Quotients have whole parts too.",
	Source:   "Elementary algebra; the settings are those of reasoning-gym.",
	Version:  4,
	Default:  complexParams{-10, 10, -10, 10, []string{"+", "-", "*", "/"}, []float64{0.4, 0.4, 0.1, 0.1}},
	Levels: []complexParams{
		{-5, 5, -5, 5, []string{"+", "-"}, []float64{0.5, 0.5}},
		{-10, 10, -10, 10, []string{"+", "-", "*", "/"}, []float64{0.4, 0.4, 0.1, 0.1}},
		{-10, 10, -10, 10, []string{"+", "-", "*", "/"}, []float64{0.2, 0.2, 0.3, 0.3}},
		{-100, 100, -100, 100, []string{"+", "-", "*", "/"}, []float64{0.1, 0.1, 0.4, 0.4}},
		{-1000, 1000, -1000, 1000, []string{"*", "/"}, []float64{0.5, 0.5}},
		{-100_000, 100_000, -100_000, 100_000, []string{"*", "/"}, []float64{0.3, 0.7}},
	},
	Few:  []string{"There are few sums of two numbers with parts up to 5, up to signs, order and a factor i."},
	Make: makeComplex,
}

// complexParams are the settings of one difficulty.
type complexParams struct {
	MinReal    int       `json:"min_real" want:"-50000000 or more"` // of both numbers, or of divisor and quotient
	MaxReal    int       `json:"max_real" want:"min_real to 50000000"`
	MinImag    int       `json:"min_imag" want:"-50000000 or more"`
	MaxImag    int       `json:"max_imag" want:"min_imag to 50000000"`
	Operations []string  `json:"operations" oneof:"+ - * /"`
	Weights    []float64 `json:"operations_weights"` // shares of the operations
}

// Check refuses what no tag does.
func (p complexParams) Check() error {
	if p.MinReal == 0 && p.MaxReal == 0 && p.MinImag == 0 && p.MaxImag == 0 {
		return fmt.Errorf("max_real and max_imag are 0: 0 is the only number")
	}
	return task.CheckWeights("operations", len(p.Operations), p.Weights)
}

// A complexNumber is a real and an imaginary part.
type complexNumber [2]float64

// complexItem is one question.
type complexItem struct {
	Num1      complexNumber `json:"num1"`
	Num2      complexNumber `json:"num2"`
	Operation string        `json:"operation"` // + - * or /
	Result    complexNumber `json:"result"`    // whole numbers
	Phrasing  int           `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeComplex draws an operation and two numbers; for a quotient, the divisor and the
// result. Neither is 0.
func makeComplex(p complexParams, r *rng.Rand) (complexItem, error) {
	item := complexItem{Operation: p.Operations[task.Weighted(p.Weights, r.Float())]}
	a, b := p.number(r), p.number(r)
	item.Num1, item.Num2 = a, b
	switch item.Operation {
	case "+":
		item.Result = complexNumber{a[0] + b[0], a[1] + b[1]}
	case "-":
		item.Result = complexNumber{a[0] - b[0], a[1] - b[1]}
	case "*":
		item.Result = a.times(b)
	default:
		item.Num1, item.Num2, item.Result = a.times(b), b, a
	}
	item.Phrasing = r.Between(0, len(complexPhrasings)-1)
	return item, nil
}

// number draws a number other than 0.
func (p complexParams) number(r *rng.Rand) complexNumber {
	z := complexNumber{float64(r.Between(p.MinReal, p.MaxReal)), float64(r.Between(p.MinImag, p.MaxImag))}
	if z != (complexNumber{}) {
		return z
	}
	switch {
	case p.MaxReal > 0:
		z[0] = float64(r.Between(1, p.MaxReal))
	case p.MinReal < 0:
		z[0] = float64(r.Between(p.MinReal, -1))
	case p.MaxImag > 0:
		z[1] = float64(r.Between(1, p.MaxImag))
	default:
		z[1] = float64(r.Between(p.MinImag, -1))
	}
	return z
}

// times returns z·w.
func (z complexNumber) times(w complexNumber) complexNumber {
	return complexNumber{z[0]*w[0] - z[1]*w[1], z[0]*w[1] + z[1]*w[0]}
}

// String writes z as a + bi, without a part equal to 0.
func (z complexNumber) String() string {
	var room [48]byte
	b := room[:0]
	if z[0] != 0 || z[1] == 0 {
		b = strconv.AppendFloat(b, z[0], 'f', -1, 64)
	}
	switch {
	case z[1] == 0:
		return string(b)
	case z[0] != 0 && z[1] < 0:
		b = append(b, " - "...)
	case z[0] != 0:
		b = append(b, " + "...)
	case z[1] < 0:
		b = append(b, '-')
	}
	if size := math.Abs(z[1]); size != 1 {
		b = strconv.AppendFloat(b, size, 'f', -1, 64)
	}
	return string(append(b, 'i'))
}

// complexPhrasings are the wordings of the question, around the two numbers and the sign of
// the operation.
var complexPhrasings = [][2]string{
	{"What is ", "?"},
	{"Calculate ", "."},
	{"Here i is the imaginary unit, whose square is -1. Work out ", "."},
	{"Give the value of ", "."},
	{"If i stands for the imaginary unit, which complex number is ", "?"},
	{"A calculator for complex numbers is given the input ", ". Which number does it show?"},
}

// complexSigns maps operations to their signs in prompts.
var complexSigns = map[string]string{"+": " + ", "-": " - ", "*": " * ", "/": " / "}

func (c complexItem) Prompt() string {
	words := complexPhrasings[c.Phrasing]
	return words[0] + "(" + c.Num1.String() + ")" + complexSigns[c.Operation] + "(" + c.Num2.String() + ")" + words[1] +
		" Answer with one complex number, the real part first, in the form 12 - 7i; a part that is 0 may be left out."
}

func (c complexItem) Short() string {
	text := "(" + c.Num1.String() + ")" + c.Operation + "(" + c.Num2.String() + ")="
	return strings.ReplaceAll(text, " ", "")
}

// Canonical implements [task.Canonicalizer]. The terms are signed numbers up to a common unit (1, i, -1
// or -i), a factor is one up to its own unit, and i may be -i in all numbers.
func (c complexItem) Canonical() string {
	units := [2][2][2]string{{{"r", "i"}, {"i", "-r"}}, {{"r", "-i"}, {"i", "r"}}} // what stands for 1 and i
	text := fmt.Sprintf("(%.0f*r+%.0f*i)%s(%.0f*s+%.0f*j)", c.Num1[0], c.Num1[1], c.Operation, c.Num2[0], c.Num2[1])
	return canon.Least(8, func(way int) string {
		one, other := units[way/4][way%2], units[way/4][way/2%2]
		if c.Operation == "+" || c.Operation == "-" {
			other = one
		}
		return task.Commuted(text, map[string]string{"r": one[0], "i": one[1], "s": other[0], "j": other[1]})
	})
}

// Check refuses a record with a wrong result.
func (c complexItem) Check() error {
	a, b, z := c.Num1, c.Num2, c.Result
	for _, part := range []float64{a[0], a[1], b[0], b[1], z[0], z[1]} {
		if math.Abs(part) > 1e17 || part != math.Trunc(part) {
			return fmt.Errorf("%v is not a whole number of up to 17 digits", part)
		}
	}
	var want complexNumber
	switch c.Operation {
	case "+":
		want = complexNumber{a[0] + b[0], a[1] + b[1]}
	case "-":
		want = complexNumber{a[0] - b[0], a[1] - b[1]}
	case "*":
		want = a.times(b)
	case "/":
		want, z = a, z.times(b)
	default:
		return fmt.Errorf("operation is %.20q, want + - * or /", c.Operation)
	}
	// At reasoning-gym's highest level, numbers are no longer exact.
	if !z.near(want, 1e-12*(1+math.Hypot(want[0], want[1]))) {
		return fmt.Errorf("result is %v, which is not (%v) %s (%v)", c.Result, c.Num1, c.Operation, c.Num2)
	}
	return nil
}

// near reports whether z and w are at most d apart.
func (z complexNumber) near(w complexNumber, d float64) bool {
	return math.Hypot(z[0]-w[0], z[1]-w[1]) <= d
}

func (c complexItem) Solve() string { return c.Result.String() }

// Score implements [task.Scorer]. Numbers are read as Python's complex does. The parts
// are whole, so nearly right is wrong.
func (c complexItem) Score(text string) quintain.Verdict {
	got, ok := readComplex(text)
	if !ok {
		return quintain.Malformed("want one complex number in the form 12 - 7i")
	}
	if got != c.Result {
		return quintain.Wrong("want " + c.Solve())
	}
	return quintain.Right()
}

// readComplex reads text as reasoning-gym does: it ignores spaces and case, accepts j for
// i, and brackets around the whole. The imaginary part comes last.
func readComplex(text string) (z complexNumber, ok bool) {
	const longest = 1000 // limit in characters
	if len(text) > longest && len(answer.Trim(text)) > longest {
		return z, false
	}
	text = strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(text, " ", "")), "i", "j")
	for len(text) > 1 && text[0] == '(' && text[len(text)-1] == ')' {
		text = text[1 : len(text)-1]
	}
	last, has := strings.CutSuffix(text, "j")
	if !has {
		z[0], ok = answer.ReadFloat(text)
		return z, ok
	}
	last = strings.TrimLeftFunc(last, answer.Space)
	if strings.ContainsFunc(last, answer.Space) {
		return z, false
	}
	at := strings.LastIndexFunc(last, func(r rune) bool { return r == '+' || r == '-' })
	if at > 0 && last[at-1] == 'e' { // the sign of an exponent
		at = strings.LastIndexFunc(last[:at], func(r rune) bool { return r == '+' || r == '-' })
	}
	if at > 0 {
		if z[0], ok = answer.ReadFloat(last[:at]); !ok {
			return z, false
		}
		last = last[at:]
	}
	if last == "" || last == "+" || last == "-" {
		last += "1"
	}
	z[1], ok = answer.ReadFloat(last)
	return z, ok
}
