package languages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// operators are invented operations on numbers, and a calculation with them.
type operators struct {
	Signs   []operator `json:"signs" want:"1 to 6"`
	Modulus int64      `json:"modulus" want:"2 to 9973"`        // every result is reduced by it
	Order   string     `json:"order" oneof:"left right listed"` // left, right, or listed: all of the first sign first, and so on
	Numbers []int64    `json:"numbers" want:"2 to 40" each:"0 to 9973"`
	Between []int      `json:"between" each:"0 or more and less than signs"` // indices of the signs between the numbers
}

// An operator is a sign with one formula, or with two and a condition that decides.
type operator struct {
	Sign string  `json:"sign"`
	If   string  `json:"if,omitempty"` // a key of tests
	Then formula `json:"then"`
	Else formula `json:"else"` // as Then if there is no condition
}

// A formula is a form with two constants.
type formula struct {
	Form string `json:"form" oneof:"sum apart product larger bracket square"` // a key of forms
	P    int64  `json:"p" want:"1 to 9"`
	Q    int64  `json:"q" want:"1 to 9"`
}

var (
	signs  = []string{"◇", "○", "△", "☆", "□", "▽"}
	orders = []string{"left", "right", "listed"}
	forms  = []string{"sum", "apart", "product", "larger", "bracket", "square"}
	tests  = []string{"less", "even", "same_parity"}
)

const (
	mostConstant = 9
	mostModulus  = 9973
)

// value returns what a formula gives.
func (f formula) value(a, b int64) int64 {
	switch f.Form {
	case "sum":
		return f.P*a + f.Q*b
	case "apart":
		return f.P*max(a-b, b-a) + f.Q
	case "product":
		return a*b + f.P*a + f.Q
	case "larger":
		return f.P*max(a, b) + f.Q*min(a, b)
	case "bracket":
		return f.P * (a + b + f.Q)
	}
	return a*a + f.P*b + f.Q
}

// text writes a formula.
func (f formula) text() string {
	p, q := timesOf(f.P), timesOf(f.Q)
	switch f.Form {
	case "sum":
		return p + "a + " + q + "b"
	case "apart":
		return fmt.Sprintf("%s|a - b| + %d", p, f.Q)
	case "product":
		return fmt.Sprintf("ab + %sa + %d", p, f.Q)
	case "larger":
		return p + "max(a, b) + " + q + "min(a, b)"
	case "bracket":
		if f.P == 1 {
			return fmt.Sprintf("a + b + %d", f.Q)
		}
		return fmt.Sprintf("%s(a + b + %d)", p, f.Q)
	}
	return fmt.Sprintf("a² + %sb + %d", p, f.Q)
}

// timesOf writes a factor; 1 is left out.
func timesOf(n int64) string {
	if n == 1 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// value applies an operator.
func (o operator) value(a, b int64) int64 {
	holds := true
	switch o.If {
	case "less":
		holds = a < b
	case "even":
		holds = a%2 == 0
	case "same_parity":
		holds = a%2 == b%2
	}
	if holds {
		return o.Then.value(a, b)
	}
	return o.Else.value(a, b)
}

// text writes the definition of an operator.
func (o operator) text() string {
	defined := "a " + o.Sign + " b = " + o.Then.text()
	switch o.If {
	case "less":
		defined += " if a is less than b, otherwise " + o.Else.text()
	case "even":
		defined += " if a is even, otherwise " + o.Else.text()
	case "same_parity":
		defined += " if a and b are both even or both odd, otherwise " + o.Else.text()
	}
	return defined
}

// drawOperators draws operators, all of which occur if there are enough numbers.
func drawOperators(p newRulesParams, r *rng.Rand) *operators {
	const mostSigns = 4
	o := &operators{Order: rng.Pick(r, orders), Modulus: r.Between64(50, 200)}
	count := min(p.Rules, mostSigns, len(signs))
	if count == 1 {
		o.Order = rng.Pick(r, orders[:2])
	}
	for _, sign := range rng.Sample(r, signs, count) {
		one := operator{Sign: sign, Then: drawFormula(r)}
		one.Else = one.Then
		if p.Rules > 1 && r.Chance(0.6) {
			one.If, one.Else = rng.Pick(r, tests), drawFormula(r)
		}
		o.Signs = append(o.Signs, one)
	}
	for i := range p.Length {
		o.Numbers = append(o.Numbers, r.Between64(2, 20))
		if i > 0 {
			o.Between = append(o.Between, (i-1)%count)
		}
	}
	rng.Shuffle(r, o.Between)
	return o
}

func drawFormula(r *rng.Rand) formula {
	return formula{rng.Pick(r, forms), r.Between64(1, 5), r.Between64(1, mostConstant)}
}

// operatorPhrasings are the wordings of the question: before the definitions, and before the
// calculation.
var operatorPhrasings = [wordings][2]string{
	{"New operations on whole numbers are defined as follows.", "What is the value of this calculation?"},
	{"On a distant planet people calculate with these signs:", "What do they get for the following?"},
	{"Let the signs below stand for operations on whole numbers a and b.", "Calculate:"},
	{"Here are some operations that you have never seen.", "Use them to work out"},
	{"A calculator has only the following keys for operations.", "Which number does it show in the end if this is typed in?"},
	{"Read the definitions of these operations carefully.", "Then evaluate"},
}

func (o *operators) appendPrompt(b []byte, phrasing int) []byte {
	words := operatorPhrasings[phrasing]
	b = append(b, words[0]...)
	for _, one := range o.Signs {
		b = append(append(b, '\n'), one.text()...)
	}
	b = append(strconv.AppendInt(append(b, "\nEvery result is divided by "...), o.Modulus, 10), " at once, and only the remainder is kept. "...)
	switch o.Order {
	case "left":
		b = append(b, "Calculations go strictly from left to right."...)
	case "right":
		b = append(b, "Calculations go strictly from right to left: the last two numbers come first."...)
	default:
		for i, one := range o.Signs {
			lead := " then every "
			if i == 0 {
				lead = "First every "
			}
			b = append(append(append(b, lead...), one.Sign...), ',')
		}
		b = append(b[:len(b)-1], " is carried out, those with the same sign from left to right."...)
	}
	b = append(append(append(b, '\n'), words[1]...), '\n')
	for i, n := range o.Numbers {
		if i > 0 {
			b = append(append(append(b, ' '), o.Signs[o.Between[i-1]].Sign...), ' ')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return append(b, "\nAnswer with one whole number."...)
}

func (o *operators) result() string {
	numbers, between := slices.Clone(o.Numbers), slices.Clone(o.Between)
	apply := func(i int) {
		numbers[i] = o.Signs[between[i]].value(numbers[i], numbers[i+1]) % o.Modulus
		numbers, between = slices.Delete(numbers, i+1, i+2), slices.Delete(between, i, i+1)
	}
	for sign := 0; len(between) > 0; {
		switch o.Order {
		case "left":
			apply(0)
		case "right":
			apply(len(between) - 1)
		default:
			if i := slices.Index(between, sign); i >= 0 {
				apply(i)
			} else {
				sign++
			}
		}
	}
	return strconv.FormatInt(numbers[0], 10)
}

func (o *operators) score(answer string) quintain.Verdict {
	return task.MatchWhole(answer, o.result())
}

// canonical leaves out signs that do not occur. It names the others by their first occurrence, or
// by their order if that matters.
func (o *operators) canonical() string {
	var used []int
	for _, sign := range o.Between {
		if !slices.Contains(used, sign) {
			used = append(used, sign)
		}
	}
	order := o.Order
	switch {
	case order == "listed" && len(used) == 1:
		order = "left"
	case order == "listed":
		slices.Sort(used)
	}
	var b strings.Builder
	fmt.Fprint(&b, order, o.Modulus, o.Numbers)
	for _, sign := range used {
		one := o.Signs[sign]
		fmt.Fprint(&b, one.If, one.Then, one.Else)
	}
	for _, sign := range o.Between {
		fmt.Fprint(&b, " ", slices.Index(used, sign))
	}
	return b.String()
}

func (o *operators) check() error {
	if len(o.Between) != len(o.Numbers)-1 {
		return fmt.Errorf("operators: there are %d signs between %d numbers, want one less", len(o.Between), len(o.Numbers))
	}
	for i, one := range o.Signs {
		if !slices.Contains(signs, one.Sign) || slices.ContainsFunc(o.Signs[:i], func(other operator) bool { return other.Sign == one.Sign }) {
			return fmt.Errorf("operators: sign %q, want different ones out of %s", one.Sign, strings.Join(signs, " "))
		}
		if one.If != "" && !slices.Contains(tests, one.If) || one.If == "" && one.Then != one.Else {
			return fmt.Errorf("operators: the condition %q does not fit the formulas", one.If)
		}
	}
	return nil
}
