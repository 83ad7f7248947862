package arithmetic

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// basicArithmetic asks for the value of an expression of whole numbers.
var basicArithmetic = task.Spec[basicArithmeticParams, basicArithmeticItem]{
	Name:     "basic_arithmetic",
	Category: "arithmetic",
	Doc: "Work out an expression of whole numbers, the four operations and brackets. " +
		"Every division has a whole result.",
	Source:  "Elementary arithmetic; the settings are those of reasoning-gym.",
	Version: 5,
	Default: basicArithmeticParams{
		MinTerms: 2, MaxTerms: 6, MinDigits: 1, MaxDigits: 4, Operators: []string{"+", "-", "*", "/"},
		AllowParentheses: true, AllowNegation: true, FormatStyle: styleSimple, Whitespace: spaceSingle,
	},
	Levels: []basicArithmeticParams{
		{2, 2, 1, 2, []string{"+", "-"}, false, false, styleSimple, spaceSingle},
		{2, 3, 1, 1, []string{"+", "-", "*", "/"}, false, false, styleNatural, spaceSingle},
		{3, 4, 1, 2, []string{"+", "-", "*", "/"}, true, false, styleNatural, spaceSingle},
		{4, 6, 1, 3, []string{"+", "-", "*", "/"}, true, true, styleNatural, spaceSingle},
		{6, 10, 2, 4, []string{"+", "-", "*", "/"}, true, true, styleNatural, spaceRandom},
		{10, 16, 3, 5, []string{"+", "-", "*", "/"}, true, true, styleNatural, spaceNone},
	},
	Few: []string{
		"There are few sums and differences of two digits.",
		"There are few ways to combine two or three digits.",
	},
	Make: makeBasicArithmetic,
	Ask: []string{ // the first is the simple one
		"Calculate {expression}.",
		"What is {expression}?",
		"Work out the value of {expression}.",
		"How much is {expression}?",
		"A calculator is given {expression}. Which number does it show?",
		"To which number does the expression {expression} evaluate?",
	},
	Form:  " Answer with one whole number.",
	Short: "{expression:solid}=",
	Match: task.MatchNumber,
}

// Values of the settings format_style and whitespace.
const (
	styleSimple  = "simple"   // one wording
	styleNatural = "natural"  // several wordings
	spaceNone    = "no_space" // between numbers and operations
	spaceSingle  = "single"
	spaceRandom  = "random" // one or none, by chance
)

// basicArithmeticParams are the settings of one difficulty.
type basicArithmeticParams struct {
	MinTerms         int      `json:"min_terms" want:"1 or more"` // count of numbers
	MaxTerms         int      `json:"max_terms" want:"min_terms to 200"`
	MinDigits        int      `json:"min_digits" want:"1 or more"` // of every number; divisors may have fewer
	MaxDigits        int      `json:"max_digits" want:"min_digits to 18"`
	Operators        []string `json:"operators" want:"1 or more" oneof:"+ - * /"` // of + - * /
	AllowParentheses bool     `json:"allow_parentheses"`
	AllowNegation    bool     `json:"allow_negation"` // numbers and brackets may be negated
	FormatStyle      string   `json:"format_style" oneof:"simple natural"`
	Whitespace       string   `json:"whitespace" oneof:"no_space single random"`
}

// basicArithmeticItem is one expression.
type basicArithmeticItem struct {
	Expression string `json:"expression"`
	NumTerms   int    `json:"num_terms"`
	NumDigits  int    `json:"num_digits"` // of every number; divisors may have fewer
	Phrasing   int    `json:"phrasing,omitempty"`
}

// makeBasicArithmetic draws the counts of numbers and of digits, then the expression.
func makeBasicArithmetic(p basicArithmeticParams, r *rng.Rand) (basicArithmeticItem, error) {
	item := basicArithmeticItem{NumTerms: r.Between(p.MinTerms, p.MaxTerms), NumDigits: r.Between(p.MinDigits, p.MaxDigits)}
	if p.FormatStyle == styleNatural {
		item.Phrasing = r.Between(1, 5)
	}
	operators := make([]byte, 0, 8)
	for _, op := range p.Operators {
		operators = append(operators, op[0])
	}
	pen := basicPen{r: r, operators: operators, digits: item.NumDigits, space: p.Whitespace, text: make([]byte, 0, 128)}
	pen.evaluator = wholes(10, withShifts)
	c := composer{r: r, operators: operators, brackets: p.AllowParentheses, negatives: p.AllowNegation, to: &pen}
	c.compose(item.NumTerms, 0)
	item.Expression = string(pen.text)
	return item, nil
}

// A basicPen writes an expression in whole numbers and evaluates it as it goes, so that
// every division has a whole result.
type basicPen struct {
	evaluator answer.Evaluator[whole]
	r         *rng.Rand
	operators []byte
	digits    int
	space     string
	text      []byte
	divisor   int64 // of the last division, if it was just written; else 0
}

func (b *basicPen) open()  { b.text = append(b.text, '('); b.evaluator.Open() }
func (b *basicPen) close() { b.text = append(b.text, ')'); b.evaluator.Close() }

func (b *basicPen) negate() { b.text = append(b.text, '-'); b.evaluator.Negate() }

// operator writes op. It replaces a division with no divisor above 1 by another operation,
// if there is one.
func (b *basicPen) operator(op byte) byte {
	value := b.evaluator.Settle(op)
	b.divisor = 0
	if op == '/' {
		b.divisor = b.divisorOf(value)
		if b.divisor == 1 {
			op = b.otherThanDivision()
		}
	}
	if op != '/' {
		b.divisor = 0
	}
	b.blank()
	b.text = append(b.text, op)
	b.blank()
	b.evaluator.Operator(op)
	return op
}

// otherThanDivision draws an operation, division only if there is no other.
func (b *basicPen) otherThanDivision() byte {
	var room [8]byte
	others := room[:0]
	for _, op := range b.operators {
		if op != '/' {
			others = append(others, op)
		}
	}
	if len(others) == 0 {
		return '/'
	}
	return rng.Pick(b.r, others)
}

// number writes a number: after a division a divisor, before one a number with small
// divisors.
func (b *basicPen) number(next byte) {
	least, most := powersOfTen[b.digits-1], powersOfTen[b.digits]-1
	var n int64
	switch {
	case b.divisor > 0:
		n = b.divisor
	case next == '/':
		factor := b.r.Between64(2, min(12, max(most/2, 2)))
		n = factor * b.r.Between64((least+factor-1)/factor, most/factor)
	default:
		n = b.r.Between64(least, most)
	}
	b.divisor = 0
	b.text = strconv.AppendInt(b.text, n, 10)
	b.evaluator.Number(whole{n: n})
}

// blank writes the space on one side of an operation.
func (b *basicPen) blank() {
	if b.space == spaceSingle || b.space == spaceRandom && b.r.Chance(0.5) {
		b.text = append(b.text, ' ')
	}
}

// smallPrimes are the prime factors of divisors.
var smallPrimes = [...]int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}

// divisorOf draws a divisor of n with at most the digits of the numbers, or returns 1 if it
// finds none.
func (b *basicPen) divisorOf(n whole) int64 {
	most := powersOfTen[b.digits] - 1
	rest := max(n.n, -n.n)
	switch {
	case n.large != nil || rest == 1:
		return 1
	case rest == 0:
		return b.r.Between64(1, most)
	}
	divisor, smallest := int64(1), int64(1)
	for _, p := range smallPrimes {
		for ; rest%p == 0; rest /= p {
			if smallest == 1 {
				smallest = p
			}
			if divisor*p <= most && b.r.Chance(0.5) {
				divisor *= p
			}
		}
	}
	switch {
	case divisor > 1:
		return divisor
	case smallest > 1 && smallest <= most:
		return smallest
	case rest <= most:
		return rest
	}
	return 1
}

// Canonical leaves out the orders of terms and of factors, their signs as far as [task.Commuted] says, and a power of ten.
func (b basicArithmeticItem) Canonical() string { return task.Commuted(b.Expression, nil) }

// Check refuses a record with an unreadable expression.
func (b basicArithmeticItem) Check() error {
	if _, ok := b.value(); !ok {
		return fmt.Errorf("expression %.80q has no value", b.Expression)
	}
	return nil
}

// value evaluates the expression. Divisions with a remainder, which reasoning-gym has, are
// rounded down as there.
func (b basicArithmeticItem) value() (whole, bool) {
	return evaluated(wholes(10, withShifts), b.Expression)
}

func (b basicArithmeticItem) Solve() string {
	value, _ := b.value()
	return value.String()
}
