package codetask

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// An operator joins two numbers of an expression.
type operator struct {
	text, py string
	of       func(a, b int64) int64
}

var operators = []operator{
	{"`a + b` is the sum", "a + b", func(a, b int64) int64 { return a + b }},
	{"`a - b` is the difference", "a - b", func(a, b int64) int64 { return a - b }},
	{"`a * b` is the product modulo 1000, from 0 to 999", "a * b % 1000", func(a, b int64) int64 { return modulo(a*b, 1000) }},
	{"`a @ b` is the larger of the two", "max(a, b)", func(a, b int64) int64 { return max(a, b) }},
	{"`a # b` is the distance `|a - b|`", "abs(a - b)", func(a, b int64) int64 { return max(a-b, b-a) }},
	{"`a & b` is twice a minus b", "2 * a - b", func(a, b int64) int64 { return 2*a - b }},
	{"`a ~ b` is the smaller of the two", "min(a, b)", func(a, b int64) int64 { return min(a, b) }},
}

// An algebra is what operators mean: their signs, ranks and sides.
type algebra struct {
	signs string
	of    []operator
	rank  []int // a higher rank binds tighter
	right []bool
}

// evaluateExpression evaluates expressions with drawn operators and ranks.
func evaluateExpression(r *rng.Rand) draft {
	at := rng.Sample(r, []int{0, 1, 2, 3, 4, 5, 6}, 3)
	a := algebra{}
	for _, i := range at {
		a.signs += operators[i].text[3:4]
		a.of = append(a.of, operators[i])
	}
	a.rank = rng.Pick(r, [][]int{{1, 2, 3}, {1, 2, 2}, {1, 1, 2}, {1, 1, 1}})
	rightRank := r.Between(0, a.rank[2]) // 0: no rank is from right to left
	drawn := []int64{int64(rightRank)}
	for i, rank := range a.rank {
		a.right = append(a.right, rank == rightRank)
		drawn = append(drawn, int64(at[i]), int64(rank))
	}
	d := draft{
		task: "`s` is an expression made of unsigned integers, operators, parentheses and spaces. " + a.describe(),
		want: "the value of the expression", form: number,
		fields: []field{{name: "s", form: word, len: span{1, 120}, what: "an expression of 1 to 120 characters with at least one number; the numbers have at most two digits"}},
		before: "import re\n",
		drawn:  drawn,
		make: func(r *rng.Rand, s size) input {
			text := strings.TrimSpace(drawExpression(r, a.signs, int(min(24, s.len))))
			for len(text) > 120 {
				text = drawExpression(r, a.signs, 5)
			}
			return input{text}
		},
		solve: func(in input) any { return a.value(in.text(0)) },
	}
	var rows []string
	for i, op := range a.of {
		rows = append(rows, fmt.Sprintf("%q: (%d, %d, lambda a, b: %s)", a.signs[i:i+1], a.rank[i], a.rank[i]+int(1-bit(a.right[i])), op.py))
	}
	d.body = fill(`
    operators = {
        $rows,
    }
    tokens = re.findall(r"\d+|\S", s)[::-1]

    def expression(least):
        token = tokens.pop()
        if token == "(":
            value = expression(1)
            tokens.pop()
        else:
            value = int(token)
        while tokens and tokens[-1] != ")":
            rank, inner, combine = operators[tokens[-1]]
            if rank < least:
                break
            tokens.pop()
            value = combine(value, expression(inner))
        return value

    return expression(1)
`, "$rows", strings.Join(rows, ",\n        "))
	return d
}

// describe says what the operators mean.
func (a algebra) describe() string {
	text := joined(a.of, "", func(op operator) string { return op.text + ". " })
	var levels []string
	last := ""
	for rank := 3; rank > 0; rank-- {
		var signs []string
		side := " from left to right"
		for i := range a.of {
			if a.rank[i] == rank {
				signs = append(signs, "`"+a.signs[i:i+1]+"`")
			}
			if a.rank[i] == rank && a.right[i] {
				side = " from right to left"
			}
		}
		if len(signs) > 0 {
			levels = append(levels, strings.Join(signs, " and ")+side)
			last = side
		}
	}
	if len(levels) == 1 {
		return text + "All operators have the same rank and are evaluated" + last + ", but parentheses come first."
	}
	return text + "Parentheses come first, then " + strings.Join(levels, ", then ") + "."
}

// drawExpression draws an expression with about n operators.
func drawExpression(r *rng.Rand, signs string, n int) string {
	if n == 0 {
		return decimal(r.Between64(0, []int64{9, 99}[bit(r.Chance(0.3))]))
	}
	left := r.Between(0, n-1)
	space := strings.Repeat(" ", int(bit(r.Chance(0.2))))
	text := drawExpression(r, signs, left) + space + string(signs[r.Between(0, len(signs)-1)]) + space + drawExpression(r, signs, n-1-left)
	if r.Chance(0.3) {
		return "(" + text + ")"
	}
	return text
}

// value evaluates an expression with a stack of numbers and one of operators.
func (a algebra) value(s string) int64 {
	var values []int64
	var waiting []byte
	reduce := func() {
		op := strings.IndexByte(a.signs, waiting[len(waiting)-1])
		waiting = waiting[:len(waiting)-1]
		n := len(values) - 2
		values = append(values[:n], a.of[op].of(values[n], values[n+1]))
	}
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		switch at := strings.IndexByte(a.signs, c); {
		case c >= '0' && c <= '9' && last >= '0' && last <= '9':
			values[len(values)-1] = 10*values[len(values)-1] + int64(c-'0')
		case c >= '0' && c <= '9':
			values = append(values, int64(c-'0'))
		case c == '(':
			waiting = append(waiting, c)
		case c == ')':
			for waiting[len(waiting)-1] != '(' {
				reduce()
			}
			waiting = waiting[:len(waiting)-1]
		case at >= 0:
			for len(waiting) > 0 && a.before(waiting[len(waiting)-1], at) {
				reduce()
			}
			waiting = append(waiting, c)
		}
		last = c
	}
	for len(waiting) > 0 {
		reduce()
	}
	return values[0]
}

// before tells whether a waiting operator is applied before another that follows.
func (a algebra) before(waiting byte, next int) bool {
	at := strings.IndexByte(a.signs, waiting)
	return at >= 0 && (a.rank[at] > a.rank[next] || a.rank[at] == a.rank[next] && !a.right[next])
}
