package arithmetic

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// bitwiseArithmetic asks for the value of an expression of hexadecimal numbers.
var bitwiseArithmetic = task.Spec[bitwiseArithmeticParams, bitwiseArithmeticItem]{
	Name:     "bitwise_arithmetic",
	Category: "arithmetic",
	Doc: "Work out sums, differences, products and shifts of hexadecimal numbers. " +
		"The difficulty is the depth of the brackets; the numbers have one digit more than that, but at most four.",
	Source:  "Elementary arithmetic; the setting is that of reasoning-gym.",
	Version: 5,
	Default: bitwiseArithmeticParams{Difficulty: 2},
	Levels:  []bitwiseArithmeticParams{{0}, {1}, {2}, {3}, {4}, {5}},
	Few: []string{
		"There are few operations on two small numbers.",
		"There are few operations on three small numbers.",
	},
	Make: makeBitwiseArithmetic,
	Ask: []string{
		"Work out this expression of hexadecimal numbers:\n\n{problem}",
		"What is the value of this expression? All numbers are hexadecimal.\n\n{problem}",
		"Calculate, in hexadecimal:\n\n{problem}",
		"A program written in hexadecimal arithmetic prints the value of this expression. What does it print?\n\n{problem}",
		"Evaluate the following from the innermost brackets outward; every number is in base 16.\n\n{problem}",
		"Here is an expression in base 16. To which single number does it reduce?\n\n{problem}",
	},
	Form: "\n\nNumbers are signed and have as many bits as they need. " +
		"<< shifts to the left and >> to the right; a right shift rounds down, for negative numbers too. " +
		"Answer with the value alone, in hexadecimal, with a minus sign in front if it is negative, for example 0x1f or -0x3.",
	Short: "{problem:solid}=",
}

// bitwiseArithmeticParams are the settings of one difficulty.
type bitwiseArithmeticParams struct {
	Difficulty int `json:"difficulty" want:"0 to 10"` // depth of the brackets, 1 to 10
}

// bitwiseArithmeticItem is one expression.
type bitwiseArithmeticItem struct {
	Problem  string `json:"problem"` // with brackets around every operation
	Phrasing int    `json:"phrasing,omitempty"`
}

// makeBitwiseArithmetic draws the expression.
func makeBitwiseArithmetic(p bitwiseArithmeticParams, r *rng.Rand) (bitwiseArithmeticItem, error) {
	var room [512]byte // fits most expressions, without a heap allocation
	pen := bitwisePen{r: r, most: 1<<(4*min(p.Difficulty+1, 4)) - 1, text: room[:0]}
	pen.part(max(1, p.Difficulty))
	return bitwiseArithmeticItem{Problem: string(pen.text), Phrasing: r.Between(0, 5)}, nil
}

// A bitwisePen writes a random expression.
type bitwisePen struct {
	r    *rng.Rand
	most int // the largest number
	text []byte
}

// part writes a number, or an operation in brackets nested depth deep. The right-hand side
// of a product is shallow, so that values stay short.
func (b *bitwisePen) part(depth int) {
	if depth == 0 {
		b.text = strconv.AppendInt(append(b.text, "0x"...), int64(b.r.Between(2, b.most)), 16)
		return
	}
	left, right := depth-1, b.r.Between(0, depth-1)
	op := rng.Pick(b.r, []string{" + ", " - ", " * ", " << ", " >> "})
	b.text = append(b.text, '(')
	switch op {
	case " * ":
		right = min(right, 1)
	case " + ", " - ":
		if b.r.Chance(0.5) {
			left, right = right, left
		}
	}
	b.part(left)
	b.text = append(b.text, op...)
	if op == " << " || op == " >> " {
		b.text = append(b.text, '0', 'x', '0'+byte(b.r.Between(1, 4)))
	} else {
		b.part(right)
	}
	b.text = append(b.text, ')')
}

// Canonical is as in basic_arithmetic.
func (b bitwiseArithmeticItem) Canonical() string { return task.Commuted(b.Problem, nil) }

// Check refuses a record with an unreadable or very large expression.
func (b bitwiseArithmeticItem) Check() error {
	const mostBits = 1 << 14 // few enough digits for [answer.ReadInteger]
	value, ok := b.value()
	if !ok || value.large != nil && value.large.BitLen() > mostBits {
		return fmt.Errorf("problem %.80q has no value of up to %d bits", b.Problem, mostBits)
	}
	return nil
}

// value evaluates the expression.
func (b bitwiseArithmeticItem) value() (whole, bool) {
	return evaluated(wholes(16, withShifts), b.Problem)
}

func (b bitwiseArithmeticItem) Solve() string {
	value, _ := b.value()
	return string(value.append(make([]byte, 0, 24), "0x", 16))
}

func (b bitwiseArithmeticItem) Score(text string) quintain.Verdict {
	got, ok := answer.ReadInteger(text)
	if !ok {
		return quintain.Malformed("the answer is not a whole number with 0x in front")
	}
	if want, ok := b.value(); !ok || got.Cmp(want.big()) != 0 {
		return quintain.Wrong(fmt.Sprintf("want %.80s", b.Solve()))
	}
	return quintain.Right()
}
