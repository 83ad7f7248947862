package arithmetic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// decimalArithmetic asks for the value of an expression of decimal fractions.
var decimalArithmetic = task.Spec[decimalArithmeticParams, decimalArithmeticItem]{
	Name:     "decimal_arithmetic",
	Category: "arithmetic",
	Doc: "Work out an expression of decimal fractions, the four operations and brackets. " +
		"The answer is rounded to the largest number of decimal places that a number may have, or to more.",
	Source:  "Elementary arithmetic; the settings are those of reasoning-gym.",
	Version: 6,
	Default: decimalArithmeticParams{MinNumDecimalPlaces: 3, MaxNumDecimalPlaces: 3, MinTerms: 2, MaxTerms: 6, Precision: 12},
	Levels: []decimalArithmeticParams{
		{MinNumDecimalPlaces: 2, MaxNumDecimalPlaces: 2, MinTerms: 2, MaxTerms: 2, Precision: 6},
		{MinNumDecimalPlaces: 2, MaxNumDecimalPlaces: 3, MinTerms: 2, MaxTerms: 3, Precision: 8},
		{MinNumDecimalPlaces: 3, MaxNumDecimalPlaces: 3, MinTerms: 3, MaxTerms: 4, Precision: 10},
		{MinNumDecimalPlaces: 3, MaxNumDecimalPlaces: 4, MinTerms: 4, MaxTerms: 6, Precision: 12},
		{MinNumDecimalPlaces: 4, MaxNumDecimalPlaces: 6, MinTerms: 6, MaxTerms: 9, Precision: 18},
		{MinNumDecimalPlaces: 5, MaxNumDecimalPlaces: 8, MinTerms: 9, MaxTerms: 14, Precision: 28},
	},
	Make: makeDecimalArithmetic,
	Ask: []string{
		"Work out {expression}.",
		"What is {expression}?",
		"Calculate {expression}.",
		"A calculator is given {expression}. What does it show?",
		"Find the value of {expression}.",
		"To which number does {expression} come?",
	},
	Form:  " Answer with one decimal number, rounded to {places} or more, but of no more than {precision} significant digits.",
	Short: "{expression:solid}=, {decimal_places} places",
}

// decimalArithmeticParams are the settings of one difficulty.
type decimalArithmeticParams struct {
	MinNumDecimalPlaces int `json:"min_num_decimal_places" want:"0 or more"` // decimal places of each number
	MaxNumDecimalPlaces int `json:"max_num_decimal_places" want:"min_num_decimal_places to 17"`
	MinTerms            int `json:"min_terms" want:"1 or more"` // count of numbers
	MaxTerms            int `json:"max_terms" want:"min_terms to 50"`
	Precision           int `json:"precision"` // significant digits of the answer, at most; raised where the problem needs more
}

// Check refuses what no tag does.
func (p decimalArithmeticParams) Check() error {
	if p.Precision <= p.MaxNumDecimalPlaces+1 || p.Precision > mostPrecision {
		return fmt.Errorf("precision is %d, want more than max_num_decimal_places (%d) and one, to %d", p.Precision, p.MaxNumDecimalPlaces, mostPrecision)
	}
	return nil
}

const (
	mostPrecision = 100
	mostDecimal   = 4096 // limit of an expression in bytes
)

// decimalArithmeticItem is one expression. Entries of reasoning-gym have the expression and
// the precision only in the question.
type decimalArithmeticItem struct {
	DecimalPlaces int    `json:"decimal_places" want:"0 to 100"` // maximum of the numbers, minimum of the answer
	NumTerms      int    `json:"num_terms"`
	Expression    string `json:"expression"`
	Precision     int    `json:"precision" want:"1 to 100"` // significant digits of every step
	Phrasing      int    `json:"phrasing,omitempty"`
}

// makeDecimalArithmetic draws the count of numbers, then the expression. No number is below
// 1, so that n of them reach 10^n at most. The precision is high enough to leave the answer
// right though every step is rounded.
func makeDecimalArithmetic(p decimalArithmeticParams, r *rng.Rand) (decimalArithmeticItem, error) {
	item := decimalArithmeticItem{
		DecimalPlaces: r.Between(p.MinNumDecimalPlaces, p.MaxNumDecimalPlaces),
		NumTerms:      r.Between(p.MinTerms, p.MaxTerms),
		Phrasing:      r.Between(0, 5),
	}
	item.Precision = max(p.Precision, item.NumTerms+item.DecimalPlaces+2)
	pen := decimalPen{r: r, least: p.MinNumDecimalPlaces, most: item.DecimalPlaces, text: make([]byte, 0, 128)}
	c := composer{r: r, operators: []byte("+-*/"), brackets: true, to: &pen}
	c.compose(item.NumTerms, 0)
	item.Expression = string(pen.text)
	return item, nil
}

// A decimalPen writes an expression in decimal fractions.
type decimalPen struct {
	r           *rng.Rand
	least, most int // decimal places
	text        []byte
}

func (d *decimalPen) open()   { d.text = append(d.text, '(') }
func (d *decimalPen) close()  { d.text = append(d.text, ')') }
func (d *decimalPen) negate() { d.text = append(d.text, '-') }

func (d *decimalPen) operator(op byte) byte {
	d.text = append(d.text, ' ', op, ' ')
	return op
}

// number writes a number from 1 to 10.
func (d *decimalPen) number(byte) {
	d.text = append(d.text, '0'+byte(d.r.Between(1, 9)))
	if places := d.r.Between(d.least, d.most); places > 0 {
		d.text = appendPlaces(append(d.text, '.'), d.r.Between64(0, powersOfTen[places]-1), places)
	}
}

// Fill writes the number of decimal places.
func (d decimalArithmeticItem) Fill(string) string {
	if d.DecimalPlaces == 1 {
		return "1 decimal place"
	}
	return strconv.Itoa(d.DecimalPlaces) + " decimal places"
}

// Canonical is as in basic_arithmetic.
func (d decimalArithmeticItem) Canonical() string {
	return fmt.Sprint(d.DecimalPlaces, " ", d.Precision, " ", task.Commuted(d.Expression, nil))
}

// Check refuses a record with an unreadable expression.
func (d decimalArithmeticItem) Check() error {
	if _, ok := d.value(); !ok {
		return fmt.Errorf("expression %.80q has no value", d.Expression)
	}
	return nil
}

// value evaluates the expression.
func (d decimalArithmeticItem) value() (decimal, bool) {
	if len(d.Expression) > mostDecimal {
		return decimal{}, false
	}
	return evaluated(decimals(fourOperators, d.Precision), d.Expression)
}

func (d decimalArithmeticItem) Solve() string {
	value, _ := d.value()
	return value.String()
}

// Score implements [task.Scorer]. The answer may be off by half of its last decimal
// place, as a rounded number is.
func (d decimalArithmeticItem) Score(text string) quintain.Verdict {
	got, ok := answer.ReadDecimal(text)
	if !ok {
		return quintain.Malformed("the answer is not a decimal number")
	}
	if want, ok := d.value(); !ok || !want.near(got, d.DecimalPlaces) {
		return quintain.Wrong("want about " + d.Solve())
	}
	return quintain.Right()
}

// Complete implements [task.Completer]: the expression is in the last line.
func (d *decimalArithmeticItem) Complete(question string) {
	_, rest, _ := strings.Cut(question, "maximum of ")
	digits, _, _ := strings.Cut(rest, " ")
	precision, err := strconv.Atoi(digits)
	if d.Expression != "" || err != nil {
		return
	}
	line := question[strings.LastIndexByte(question, '\n')+1:]
	d.Expression, _, _ = strings.Cut(line, " =")
	d.Precision = precision
}
