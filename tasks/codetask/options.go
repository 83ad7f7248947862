package codetask

import (
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A property is one that numbers have or lack. $k stands for a number from k.
type property struct {
	text string // after "numbers that"
	py   string // of x
	k    span
	is   func(x, k int64) bool
}

var properties = []property{
	{"are even", "x % 2 == 0", span{}, func(x, _ int64) bool { return x%2 == 0 }},
	{"are odd", "x % 2 == 1", span{}, func(x, _ int64) bool { return x%2 != 0 }},
	{"are divisible by $k", "x % $k == 0", span{3, 6}, func(x, k int64) bool { return x%k == 0 }},
	{"are not divisible by $k", "x % $k != 0", span{2, 5}, func(x, k int64) bool { return x%k != 0 }},
	{"are greater than $k", "x > $k", span{-1, 3}, func(x, k int64) bool { return x > k }},
	{"are less than $k", "x < $k", span{0, 4}, func(x, k int64) bool { return x < k }},
	{"are at most $k", "x <= $k", span{-1, 4}, func(x, k int64) bool { return x <= k }},
	{"are at least $k", "x >= $k", span{-2, 3}, func(x, k int64) bool { return x >= k }},
	{"have an absolute value of at most $k", "abs(x) <= $k", span{2, 5}, func(x, k int64) bool { return -k <= x && x <= k }},
	{"have an absolute value greater than $k", "abs(x) > $k", span{1, 4}, func(x, k int64) bool { return max(x, -x) > k }},
	{"end in the digit $k", "abs(x) % 10 == $k", span{0, 5}, func(x, k int64) bool { return max(x, -x)%10 == k }},
	{"have an even sum of digits", "sum(map(int, str(abs(x)))) % 2 == 0", span{}, func(x, _ int64) bool { return digitSum(x)%2 == 0 }},
}

// The indices of a property and of a formula.
const (
	endsIn    = 10
	lastDigit = 9
)

// A formula makes a number of a number.
type formula struct {
	text string // after "replace each number x by"
	py   string // of x
	k    span
	of   func(x, k int64) int64
}

var formulas = []formula{
	{"its square", "x * x", span{}, func(x, _ int64) int64 { return x * x }},
	{"its absolute value", "abs(x)", span{}, func(x, _ int64) int64 { return max(x, -x) }},
	{"$k times the number", "$k * x", span{2, 9}, func(x, k int64) int64 { return k * x }},
	{"$k minus the number", "$k - x", span{0, 20}, func(x, k int64) int64 { return k - x }},
	{"its distance to $k", "abs(x - $k)", span{1, 9}, func(x, k int64) int64 { return max(x-k, k-x) }},
	{"the larger of the number and $k", "max(x, $k)", span{-2, 3}, func(x, k int64) int64 { return max(x, k) }},
	{"the smaller of the number and $k", "min(x, $k)", span{0, 5}, func(x, k int64) int64 { return min(x, k) }},
	{"its remainder when divided by $k, which is never negative (as Python's `%`)", "x % $k", span{3, 9}, modulo},
	{"the sum of its decimal digits, without its sign", "sum(map(int, str(abs(x))))", span{}, func(x, _ int64) int64 { return digitSum(x) }},
	{"the last digit of its absolute value", "abs(x) % 10", span{}, func(x, _ int64) int64 { return max(x, -x) % 10 }},
	{"the number of its decimal digits, without its sign", "len(str(abs(x)))", span{}, func(x, _ int64) int64 { return digitCount(x) }},
	{"half of it, rounded down", "x // 2", span{}, func(x, _ int64) int64 { return x >> 1 }},
}

// modulo is the remainder of a division as Python has it, for k > 0.
func modulo(x, k int64) int64 { return ((x % k) + k) % k }

func digitSum(x int64) (sum int64) {
	for x = max(x, -x); x > 0; x /= 10 {
		sum += x % 10
	}
	return sum
}

func digitCount(x int64) int64 {
	n := int64(1)
	for x = max(x, -x); x > 9; x /= 10 {
		n++
	}
	return n
}

// A rule is a property with its number.
type rule struct {
	text, py string
	id, k    int64
	is       func(x int64) bool
}

func drawProperty(r *rng.Rand) rule {
	id := r.Between(0, len(properties)-1)
	p := properties[id]
	k := r.Between64(p.k[0], p.k[1])
	return rule{fill(p.text, "$k", decimal(k)), fill(p.py, "$k", decimal(k)), int64(id), k, func(x int64) bool { return p.is(x, k) }}
}

// A change is a formula with its number.
type change struct {
	text, py string
	id, k    int64
	of       func(x int64) int64
}

func drawFormula(r *rng.Rand) change {
	id := r.Between(0, len(formulas)-1)
	f := formulas[id]
	k := r.Between64(f.k[0], f.k[1])
	return change{fill(f.text, "$k", decimal(k)), fill(f.py, "$k", decimal(k)), int64(id), k, func(x int64) int64 { return f.of(x, k) }}
}

// pick draws an element and returns its index too.
func pick[T any](r *rng.Rand, of []T) (T, int64) {
	i := r.Between(0, len(of)-1)
	return of[i], int64(i)
}

// either draws one of two texts, and whether it is the second.
func either(r *rng.Rand, first, second string) (string, bool) {
	if r.Chance(0.5) {
		return second, true
	}
	return first, false
}

// bit is 1 for true.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// only keeps the lines of a text that end in ## and a list of digits with the given one, without
// that mark, and those without a mark.
func only(text string, id int64) string {
	var kept strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		code, ids, marked := strings.Cut(line, "##")
		if marked {
			line = strings.TrimRight(code, " ") + "\n"
		}
		if !marked || strings.Contains(ids, decimal(id)) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
