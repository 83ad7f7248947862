package codetask

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// digitFolds make a number of digits.
var digitFolds = []fold{
	{"the sum of these digits, or 0 if there are none", "sum(v)", total},
	{"the product of these digits, or 1 if there are none", "math.prod(v)", product},
	{"the number of these digits", "len(v)", func(v []int64) int64 { return int64(len(v)) }},
	{"the sum of the squares of these digits, or 0 if there are none", "sum(d * d for d in v)", func(v []int64) (sum int64) {
		for _, x := range v {
			sum += x * x
		}
		return sum
	}},
	{"the number that these digits form, from left to right, or 0 if there are none", "int(\"\".join(map(str, v)) or 0)", composed},
	{"the number that these digits form, from right to left, or 0 if there are none", "int(\"\".join(map(str, v[::-1])) or 0)", func(v []int64) int64 {
		v = slices.Clone(v)
		slices.Reverse(v)
		return composed(v)
	}},
	{"the largest number that these digits form in any order, or 0 if there are none", "int(\"\".join(map(str, sorted(v, reverse=True))) or 0)", func(v []int64) int64 {
		v = slices.Clone(v)
		slices.Sort(v)
		slices.Reverse(v)
		return composed(v)
	}},
	{"the number of different digits among these", "len(set(v))", func(v []int64) int64 { return int64(len(distinct(v))) }},
	{"the alternating sum of these digits: the first minus the second plus the third and so on, or 0 if there are none", "sum(v[::2]) - sum(v[1::2])", alternating},
}

func product(v []int64) int64 {
	result := int64(1)
	for _, x := range v {
		result *= x
	}
	return result
}

func composed(v []int64) (n int64) {
	for _, x := range v {
		n = 10*n + x
	}
	return n
}

// digitRules choose digits.
var digitRules = []property{
	{"all its digits", "True", span{}, func(_, _ int64) bool { return true }},
	{"its even digits (0 is even)", "d % 2 == 0", span{}, func(d, _ int64) bool { return d%2 == 0 }},
	{"its odd digits", "d % 2 == 1", span{}, func(d, _ int64) bool { return d%2 == 1 }},
	{"its digits greater than $k", "d > $k", span{1, 6}, func(d, k int64) bool { return d > k }},
	{"its digits less than $k", "d < $k", span{3, 8}, func(d, k int64) bool { return d < k }},
	{"its digits other than $k", "d != $k", span{0, 9}, func(d, k int64) bool { return d != k }},
	{"its digits divisible by 3 (0 is)", "d % 3 == 0", span{}, func(d, _ int64) bool { return d%3 == 0 }},
}

// digitsOf returns the decimal digits of a number, the first first.
func digitsOf(n int64) (digits []int64) {
	for _, c := range decimal(max(n, -n)) {
		digits = append(digits, int64(c-'0'))
	}
	return digits
}

// foldDigits folds some digits of a number.
func foldDigits(r *rng.Rand) draft {
	rule, ruleID := pick(r, digitRules)
	k := r.Between64(rule.k[0], rule.k[1])
	f, id := pick(r, digitFolds)
	d := draft{
		task:   fill("Write `n` in decimal, without its sign, and take $d.", "$d", fill(rule.text, "$k", decimal(k))),
		want:   f.text,
		form:   number,
		fields: []field{{name: "n", form: number, val: span{-1_000_000_000_000, 1_000_000_000_000}}},
		body:   fill("    v = [d for d in map(int, str(abs(n))) if $p]\n    return $v\n", "$p", fill(rule.py, "$k", decimal(k)), "$v", f.py),
		drawn:  []int64{ruleID, k, id},
		solve: func(in input) any {
			var v []int64
			for _, d := range digitsOf(in.num(0)) {
				if rule.is(d, k) {
					v = append(v, d)
				}
			}
			return f.of(v)
		},
	}
	d.body = fill(d.body, "[d for d in map(int, str(abs(n))) if True]", "list(map(int, str(abs(n))))")
	if id == 1 {
		d.before = "import math\n"
	}
	return d
}

// foldRange folds the numbers of a range that have two properties, or one of them.
func foldRange(r *rng.Rand) draft {
	one, other := drawProperty(r), drawProperty(r)
	for other.id == one.id {
		other = drawProperty(r)
	}
	joint, some := either(r, "and also", "or")
	member := func(x int64) bool {
		p, q := one.is(x), other.is(x)
		return p && q || some && (p || q)
	}
	ends, open := either(r, "both included", "`lo` included and `hi` not")
	f, id := pick(r, folds[:5])
	what := "the number of these integers"
	py := "len(v)"
	if id != 3 {
		what, py = f.text, f.py
	}
	return draft{
		task:   fill("Consider the integers from `lo` to `hi`, $e, that $p $j $q. If `lo` is greater than `hi`, there are none.", "$e", ends, "$p", one.text, "$j", joint, "$q", other.text),
		want:   fill(what, "$v", "these integers"),
		form:   number,
		fields: []field{{name: "lo", form: number, val: span{-120, 120}}, {name: "hi", form: number, val: span{-120, 120}}},
		body: fill("    v = [x for x in range(lo, hi$i) if $p $j $q]\n    return $v\n", "$i", map[bool]string{false: " + 1"}[open],
			"$p", one.py, "$j", map[bool]string{false: "and", true: "or"}[some], "$q", other.py, "$v", py),
		drawn: []int64{one.id, one.k, other.id, other.k, bit(some), bit(open), id},
		bend:  func(r *rng.Rand, in input) { bendRange(r, in, member) },
		solve: func(in input) any {
			var v []int64
			for x := in.num(0); x <= in.num(1)-bit(open); x++ {
				if member(x) {
					v = append(v, x)
				}
			}
			return f.of(v)
		},
	}
}

// factorResults are made of the prime factors of a number, ascending.
var factorResults = []struct {
	text, py string
	of       func(p []int64) any
}{
	{"the prime factors of `n` as a text such as `2^3*5*7^2`, in ascending order, where an exponent of 1 is not written", "\"*\".join(f\"{p}^{e}\" if e > 1 else str(p) for p, e in Counter(factors).items())", func(p []int64) any { return powersText(p) }},
	{"the sum of the prime factors of `n`, each as often as it divides `n` (12 = 2 * 2 * 3 gives 7)", "sum(factors)", func(p []int64) any { return total(p) }},
	{"the sum of the different primes that divide `n` (12 = 2 * 2 * 3 gives 5)", "sum(set(factors))", func(p []int64) any { return total(distinct(p)) }},
	{"the number of positive divisors of `n`, 1 and `n` included", "math.prod(e + 1 for e in Counter(factors).values())", func(p []int64) any {
		count := int64(1)
		for _, q := range distinct(p) {
			count *= countOf(p, q) + 1
		}
		return count
	}},
	{"the largest prime that divides `n`, minus the smallest", "factors[-1] - factors[0]", func(p []int64) any { return p[len(p)-1] - p[0] }},
	{"the number of integers from 1 to `n` that have no common divisor with `n` but 1", "math.prod((p - 1) * p ** (e - 1) for p, e in Counter(factors).items())", func(p []int64) any {
		count := product(p)
		for _, q := range distinct(p) {
			count = count / q * (q - 1)
		}
		return count
	}},
	{"the greatest integer with a square that divides `n`", "math.prod(p ** (e // 2) for p, e in Counter(factors).items())", func(p []int64) any {
		root := int64(1)
		for i := 1; i < len(p); i++ {
			if p[i] == p[i-1] {
				root *= p[i]
				i++
			}
		}
		return root
	}},
	{"the product of the different primes that divide `n`", "math.prod(set(factors))", func(p []int64) any { return product(distinct(p)) }},
}

// primeFactors returns the prime factors of n, ascending.
func primeFactors(n int64) (factors []int64) {
	for p := int64(2); p*p <= n; p++ {
		for n%p == 0 {
			factors, n = append(factors, p), n/p
		}
	}
	if n > 1 {
		factors = append(factors, n)
	}
	return factors
}

// powersText writes prime factors as 2^3*5.
func powersText(p []int64) string {
	return joined(distinct(p), "*", func(q int64) string {
		if e := countOf(p, q); e > 1 {
			return decimal(q) + "^" + decimal(e)
		}
		return decimal(q)
	})
}

// factorNumber factors a number, changed a little first.
func factorNumber(r *rng.Rand) draft {
	result, id := pick(r, factorResults)
	add := rng.Pick(r, []int64{0, 0, 1, 2, 6})
	by := rng.Pick(r, []int64{1, 1, 2, 6, 12})
	d := draft{
		task:   "",
		want:   result.text,
		form:   number,
		fields: []field{{name: "n", form: number, val: span{2, 1_000_000_000}}},
		drawn:  []int64{id, add, by},
		bend: func(r *rng.Rand, in input) {
			if n := int64(1); r.Chance(0.4) {
				for p := int64(2); n*p < 1_000_000_000 && (n == 1 || r.Chance(0.8)); {
					n *= p
					p = rng.Pick(r, []int64{2, 2, 3, 3, 5, 7, 11, 13, 101})
				}
				in[0] = max(2, (n-add)/by)
			}
		},
		solve: func(in input) any { return result.of(primeFactors(by*in.num(0) + add)) },
	}
	if id == 0 {
		d.form = word
	}
	value, py := "`n`", ""
	if add > 0 || by > 1 {
		value = fill("`m = $b * n + $a`", "$b", decimal(by), "$a", decimal(add))
		value = fill(value, "1 * n", "n", " + 0`", "`")
		d.want = fill(d.want, "`n`", "`m`")
		py = fill("    n = $b * n + $a\n", "$b", decimal(by), "$a", decimal(add))
		py = fill(py, "1 * n", "n", " + 0\n", "\n")
	}
	d.task = fill("Factor $v into primes.", "$v", value)
	d.body = py + only("    factors = []\n    p = 2\n    while p * p <= n:\n        while n % p == 0:\n            factors.append(p)\n            n //= p\n        p += 1\n    if n > 1:##0123457\n        factors.append(n)##0123457\n    return ", id) + result.py + "\n"
	if strings.Contains(d.body, "math") {
		d.before = "import math\n"
	}
	if strings.Contains(d.body, "Counter") {
		d.before += "from collections import Counter\n"
	}
	return d
}

// bendRange often moves the ends of a range to numbers at which counting begins or ends.
func bendRange(r *rng.Rand, in input, member func(x int64) bool) {
	var changes []int64
	for x := int64(-25); x <= 25; x++ {
		if member(x) != member(x-1) || member(x) != member(x+1) {
			changes = append(changes, x)
		}
	}
	if len(changes) == 0 || r.Chance(0.15) {
		return
	}
	low := rng.Pick(r, changes)
	if in[0], in[1] = low, low+r.Between64(0, 1); r.Chance(0.2) {
		return
	}
	if next := member(low + 1); next && r.Chance(0.5) { // and the range begins no earlier
		in[0], in[1] = low-r.Between64(0, 1), low
		return
	}
	if r.Chance(0.6) {
		in[0] = low - r.Between64(1, 12)
	} else {
		in[1] = low + r.Between64(1, 12)
	}
}
