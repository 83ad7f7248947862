package codetask

import (
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// updateRanges changes ranges of a long list, and looks up single elements.
func updateRanges(r *rng.Rand) draft {
	op, id := pick(r, []struct{ text, py string }{
		{"v is added to them", "x + v"}, {"each of them, x, becomes the larger of x and v", "max(x, v)"}, {"each of them, x, becomes the bitwise exclusive or of x and v", "x ^ v"}, {"each of them, x, becomes the bitwise or of x and v", "x | v"}, {"each of them, x, becomes the sum x + v modulo 1009", "(x + v) % 1009"},
	})
	ends, open := either(r, "i to j (both included)", "i to j - 1 (both included)")
	result, fold := either(r, "the elements that are looked up, in the order of the steps", "the sum of the elements that are looked up, each times its number among them (the first times 1, the second times 2, and so on), modulo 1000000007")
	d := draft{
		task:   fill("A list has `n` elements, all 0, at the positions 0 to `n` - 1. In an entry (i, j, v) of `steps` with v greater than 0, the elements at the positions $e are changed: $o. If v is 0, the element at position i is looked up.", "$e", ends, "$o", op.text),
		want:   result,
		form:   list,
		fields: []field{{name: "n", form: number, val: span{1, 100_000}}, {name: "steps", form: rows, len: span{0, 5000}, wide: span{3, 3}, what: "three integers: i and j with 0 <= i <= j < `n`, and v from 0 to 1000"}},
		drawn:  []int64{id, bit(open), bit(fold)},
		make: func(r *rng.Rand, s size) input {
			n := max(1, s.len)
			if s.len > 1000 {
				n = 100_000
			}
			steps := make([][]int64, min(5000, 2*s.len))
			for i := range steps {
				a, b := r.Between64(0, n-1), r.Between64(0, n-1)
				steps[i] = []int64{min(a, b), max(a, b), r.Between64(1, 1000) * bit(r.Chance(0.6))}
			}
			return input{n, steps}
		},
		solve: func(in input) any { return lookedUp(in.num(0), in.rows(1), [3]int64{id, bit(open), bit(fold)}) },
	}
	d.body = fill(updateBody, "$op", op.py, "$plus", map[bool]string{false: " + 1"}[open], "$r", map[bool]string{false: "found", true: "sum(i * x for i, x in enumerate(found, 1)) % 1000000007"}[fold])
	if fold {
		d.form = number
	}
	return d
}

// updateBody is a tree of halves: a change is kept at the fewest nodes that make up its range.
const updateBody = `
    size = 1
    while size < n:
        size *= 2
    tree = [0] * (2 * size)
    found = []
    for i, j, v in steps:
        i += size
        if v == 0:
            x = 0
            while i:
                v = tree[i]
                x = $op
                i //= 2
            found.append(x)
            continue
        j += size$plus
        while i < j:
            if i % 2 == 1:
                x = tree[i]
                tree[i] = $op
                i += 1
            if j % 2 == 1:
                j -= 1
                x = tree[j]
                tree[j] = $op
            i //= 2
            j //= 2
    return $r
`

// lookedUp goes through the steps with a square root decomposition: changes of whole blocks are
// kept with the block.
func lookedUp(n int64, steps [][]int64, how [3]int64) any {
	const width = 320
	blocks, elements := make([]int64, n/width+1), make([]int64, n)
	change := func(x *int64, v int64) {
		*x = []int64{*x + v, max(*x, v), *x ^ v, *x | v, (*x + v) % 1009}[how[0]]
	}
	found, sum := []int64{}, int64(0)
	for _, s := range steps {
		i, end, v := s[0], s[1]+1-how[1], s[2]
		if v == 0 {
			x := elements[i]
			change(&x, blocks[i/width])
			found = append(found, x)
			sum = (sum + int64(len(found))*x) % 1_000_000_007
			continue
		}
		for i < end {
			if i%width == 0 && i+width <= end {
				change(&blocks[i/width], v)
				i += width
				continue
			}
			change(&elements[i], v)
			i++
		}
	}
	return []any{found, sum}[how[2]]
}

// textBorders looks at the borders of the prefixes of a long text.
func textBorders(r *rng.Rand) draft {
	result, id := pick(r, []struct{ text, py string }{
		{"the sum of the border lengths of all prefixes", "sum(border)"}, {"the number of prefixes with the border length 0", "border.count(0)"}, {"the greatest border length of a prefix", "max(border, default=0)"},
		{"the length of the shortest text that, written again and again, gives a text that begins with `s`", "len(s) - border[-1] if s else 0"}, {"the number of times that the whole border of `s`, if it is longer than 0, is in `s`; places may overlap; 0 if the border is empty", "sum(s.startswith(s[:border[-1]], i) for i in range(len(s))) if s and border[-1] else 0"},
		{"the number of prefixes with a border that is at least half as long as the prefix", "sum(2 * b >= i for i, b in enumerate(border, 1))"},
	})
	most, limit := pick(r, []int64{0, 1, 3})
	folded := r.Chance(0.4)
	d := draft{
		task:   "A prefix of `s` is its first character, or its first two, three and so on, up to the whole of `s`. The border length of a prefix is the length of the longest text, shorter than the prefix, with which the prefix both begins and ends, or 0 if there is none.",
		want:   result.text,
		form:   number,
		fields: []field{{name: "s", form: word, len: span{0, 30_000}, letters: "abAB"}},
		drawn:  []int64{id, most, bit(folded)},
	}
	if most > 0 && id != 3 && id != 4 {
		d.task = []string{"", "First remove the first character of `s`, if there is one. ", "First remove the first three characters of `s`, or all if there are fewer. "}[limit] + d.task
		d.body = fill("    s = s[$n:]\n", "$n", decimal(most))
	} else {
		most = 0
		d.drawn[1] = 0
	}
	if folded {
		d.task += " Upper and lower case are the same."
		d.body += "    s = s.lower()\n"
	}
	d.body += "    border = []\n    b = 0\n    for i, c in enumerate(s):\n        while b > 0 and s[b] != c:\n            b = border[b - 1]\n        if i > 0 and s[b] == c:\n            b += 1\n        border.append(b)\n    return " + result.py + "\n"
	d.bend = func(r *rng.Rand, in input) {
		s := in.text(0)
		if len(s) < 4 || r.Chance(0.2) {
			return
		}
		part := s[:r.Between(1, min(len(s)/2, 200))]
		text := []byte(strings.Repeat(part, len(s)/len(part)+1)[:len(s)])
		for range r.Between(0, 3) {
			text[r.Between(0, len(text)-1)] = "abAB"[r.Between(0, 3)]
		}
		in[0] = string(text)
	}
	d.solve = func(in input) any {
		s := in.text(0)
		s = s[min(int(most), len(s)):]
		if folded {
			s = strings.ToLower(s)
		}
		return borderFold(s, id)
	}
	return d
}

// borderFold works with the lengths of common prefixes of s and its ends (the Z algorithm).
func borderFold(s string, result int64) int64 {
	n := len(s)
	z, border := make([]int, n), make([]int64, n)
	for i, from, to := 1, 0, 0; i < n; i++ {
		if i < to {
			z[i] = min(to-i, z[i-from])
		}
		for i+z[i] < n && s[z[i]] == s[i+z[i]] {
			z[i]++
		}
		if i+z[i] > to {
			from, to = i, i+z[i]
		}
	}
	for i, to := 1, 0; i < n; i++ { // each end belongs to the first start that reaches it
		for ; to < i+z[i]; to++ {
			if to >= i {
				border[to] = int64(to - i + 1)
			}
		}
		to = max(to, i)
	}
	var none, half, times int64
	for i, b := range border {
		none += bit(b == 0)
		half += bit(2*b >= int64(i+1))
	}
	last := int64(0)
	if n > 0 {
		last = border[n-1]
	}
	for i := range n {
		times += bit(i == 0 || int64(z[i]) >= last)
	}
	return []int64{total(border), none, largest(border, 0), int64(n) - last, times * bit(last > 0), half}[result]
}

// recurrence finds a far term of a recurrence.
func recurrence(r *rng.Rand) draft {
	order := r.Between(2, 3)
	c := make([]int64, order)
	for i := range c {
		c[i] = r.Between64(1, 5) * (1 - 2*bit(i > 0 && r.Chance(0.3)))
	}
	add := rng.Pick(r, []int64{0, 0, 1, 2, 3})
	m := rng.Pick(r, []int64{1_000_000_007, 998_244_353, 1_000_003, 10_007})
	result, sum := either(r, "f(n)", "the sum f(0) + f(1) + ... + f(n)")
	d := draft{
		want: result + fill(" modulo $m (from 0 to $n)", "$m", decimal(m), "$n", decimal(m-1)),
		form: number,
		fields: []field{{name: "start", form: list, len: span{int64(order), int64(order)}, val: span{-1000, 1000}, also: ": f(0), f(1) and so on"},
			{name: "n", form: number, val: span{0, 1_000_000_000_000_000}}},
		drawn: append([]int64{add, m, bit(sum)}, c...),
		solve: func(in input) any { return term(in.list(0), c, [3]int64{add, m, bit(sum)}, in.num(1)) },
	}
	d.task = []string{"", "", "The numbers f(0) and f(1)", "The numbers f(0), f(1) and f(2)"}[order] + " are given, and for n from " + decimal(int64(order)) + " on, f(n) = "
	for i, x := range c {
		sign := []string{" + ", " - "}[bit(x < 0)]
		if i == 0 {
			sign = ""
		}
		d.task += sign + fill(decimal(max(x, -x))+" * f(n - $i)", "1 * f", "f", "$i", decimal(int64(i+1)))
	}
	if add > 0 {
		d.task += " + " + decimal(add)
	}
	d.task += "."
	one, before := 0, 0 // what the state has at its end
	if add > 0 {
		one = 1
	}
	if sum {
		before = 1
	}
	last := literal(append(append(backwards(c), []int64{add}[:one]...), []int64{0}[:before]...))
	d.body = only(fill(termBody, "$more", strings.Repeat(" + [[1]]", one)+strings.Repeat(" + [[0]]", before), "$m", decimal(m), "$last", last, "$size", fill("k + $n", "$n", decimal(int64(one+before)), "k + 0", "k"), "$k", []string{"k", "(k - 1)"}[1-one],
		"$one", decimal(int64(one)), "$zero", strings.Repeat(" + [0]", before), "$before", decimal(int64(before)), "$at", []string{"0", "-1"}[before], "$state", strings.Repeat(", 1", one)+strings.Repeat(", and the sum of the f before f(i)", before)), 1)
	d.body = fill(d.body, "k + 0", "k")
	return d
}

// termBody is a power of a matrix.
const termBody = `
    m = $m
    k = len(start)
    # The state is f(i), ..., f(i + k - 1)$state.
    step = [[int(j == i + 1) for j in range($size)] for i in range($size)]
    step[k - 1] = $last
    step[k] = [0] * k + [1]$zero##$one
    step[-1] = [1] + [0] * $k + [1]##$before

    def times(a, b):
        columns = list(zip(*b))
        return [[sum(x * y for x, y in zip(row, column)) % m for column in columns] for row in a]

    state = [[x] for x in start]$more
    n += 1##$before
    while n:
        if n % 2 == 1:
            state = times(step, state)
        step = times(step, step)
        n //= 2
    return state[$at][0] % m
`

func backwards(list []int64) []int64 {
	out := make([]int64, len(list))
	for i, x := range list {
		out[len(list)-1-i] = x
	}
	return out
}

// term returns the term n, or the sum up to it: polynomials modulo the one of the recurrence. The
// sums g(n) follow g(n) = g(n-1) + f(n), and a summand that stays is one more root 1.
func term(start, c []int64, how [3]int64, n int64) int64 {
	add, m, sum := how[0], how[1], how[2]
	poly := []int64{1} // of f: x^k - c1 x^(k-1) - ..., the highest power first
	for _, x := range c {
		poly = append(poly, modulo(-x, m))
	}
	for range 1 + sum {
		poly = append(poly, 0)
		for i := len(poly) - 1; i > 0; i-- {
			poly[i] = modulo(poly[i]-poly[i-1], m)
		}
	}
	k := len(poly) - 1
	first := make([]int64, 0, k)
	for i := range k {
		value := add
		if i < len(start) {
			value = start[i]
		} else {
			for j, x := range c {
				value += x * first[i-1-j]
			}
		}
		first = append(first, modulo(value, m))
	}
	for i := 1; i < k && sum == 1; i++ {
		first[i] = (first[i] + first[i-1]) % m
	}
	power := make([]int64, k) // x^n, the lowest power first
	power[0] = 1
	for at := int64(1) << 60; at > 0; at >>= 1 {
		power = reducedProduct(power, power, poly, m)
		if n&at > 0 {
			power = reducedProduct(power, []int64{0, 1}, poly, m)
		}
	}
	result := int64(0)
	for i, x := range power {
		result = (result + x*first[i]) % m
	}
	return result
}

// reducedProduct multiplies polynomials, the lowest power first, modulo poly and m.
func reducedProduct(a, b, poly []int64, m int64) []int64 {
	k := len(poly) - 1
	out := make([]int64, max(len(a)+len(b)-1, k))
	for i, x := range a {
		for j, y := range b {
			out[i+j] = (out[i+j] + x*y) % m
		}
	}
	for i := len(out) - 1; i >= k; i-- {
		for j := 1; j <= k; j++ {
			out[i-j] = modulo(out[i-j]-out[i]*poly[j], m)
		}
	}
	return out[:k]
}

// digitSteps are conditions on a digit d and the one before, p.
var digitSteps = []property{
	{"in which no two neighboring digits are equal", "d != p", span{}, func(d, p int64) bool { return d != p }},
	{"in which every digit but the first is at least the one before", "d >= p", span{}, func(d, p int64) bool { return d >= p }},
	{"in which neighboring digits differ by at most 2", "abs(d - p) <= 2", span{}, func(d, p int64) bool { return max(d-p, p-d) <= 2 }},
	{"in which of two neighboring digits exactly one is even", "(d + p) % 2 == 1", span{}, func(d, p int64) bool { return (d+p)%2 == 1 }},
	{"in which no two neighboring digits have the sum 9", "d + p != 9", span{}, func(d, p int64) bool { return d+p != 9 }},
	{"", "True", span{}, func(_, _ int64) bool { return true }},
}

// countNumbers counts numbers by their digits.
func countNumbers(r *rng.Rand) draft {
	step, id := pick(r, digitSteps)
	k := r.Between64(3, 9)
	rest := r.Between64(0, k-1)
	digit := r.Between64(0, 9)
	other, otherID := pick(r, []struct{ text, add, end string }{
		{"with a sum of digits that leaves the remainder $r when divided by $k", "(state + d) % $k", "state == $r"}, {"with the digit $d exactly $n times", "min($n + 1, state + (d == $d))", "state == $n"},
		{"that leave the remainder $r when divided by $k", "(10 * state + d) % $k", "state == $r"}, {"with at most $k odd digits", "min($k + 1, state + d % 2)", "state <= $k"},
	})
	n := r.Between64(1, 3)
	pairs := []string{"$r", decimal(rest), "$k", decimal(k), "$d", decimal(digit), "$n", decimal(n)}
	text := fill(other.text, pairs...)
	if step.text != "" {
		text += ", and " + step.text
	}
	text = fill(text, "exactly 1 times", "exactly once", "exactly 2 times", "exactly twice")
	rules := digitRule{step: step.is, kind: otherID, k: k, rest: rest, digit: digit, times: n}
	d := draft{
		task:   "Numbers are written in decimal, without leading zeros.",
		want:   fill("the number of integers from `lo` to `hi`, both included, $t", "$t", text),
		form:   number,
		fields: []field{{name: "lo", form: number, val: span{1, 1_000_000_000_000_000}}, {name: "hi", form: number, val: span{1, 1_000_000_000_000_000}, also: ", at least `lo`"}},
		before: "from functools import cache\n",
		drawn:  []int64{id, otherID, k, rest, digit, n},
		bend: func(r *rng.Rand, in input) {
			if a, b := in.num(0), in.num(1); a > b {
				in[0], in[1] = b, a
			} else if a < 1_000_000 && r.Chance(0.7) {
				in[1] = a + r.Between64(0, 2000)
			}
		},
		solve: func(in input) any { return rules.upTo(in.num(1)) - rules.upTo(in.num(0)-1) },
	}
	d.body = fill(`
    def up_to(limit):
        digits = [int(c) for c in str(limit)]

        @cache
        def count(at, p, state, tight):
            if at == len(digits):
                return int(p >= 0 and $end)
            result = count(at + 1, -1, 0, False) if p < 0 and at > 0 else 0
            if p < 0 and at == 0:
                result = count(1, -1, 0, False)
            for d in range(digits[at] + 1 if tight else 10):
                if p < 0 and d == 0:
                    continue
                if p < 0 or $step:
                    result += count(at + 1, d, $add, tight and d == digits[at])
            return result

        return count(0, -1, 0, True)

    return up_to(hi) - up_to(lo - 1)
`, "$end", fill(other.end, pairs...), "$add", fill(other.add, pairs...), "$step", step.py)
	d.body = fill(d.body, "            result = count(at + 1, -1, 0, False) if p < 0 and at > 0 else 0\n            if p < 0 and at == 0:\n                result = count(1, -1, 0, False)\n", "            result = count(at + 1, -1, 0, False) if p < 0 else 0\n", "                if p < 0 or True:\n    ", "")
	return d
}

// A digitRule tells which numbers count.
type digitRule struct {
	step                        func(d, p int64) bool
	kind, k, rest, digit, times int64
}

// next is the state after one more digit.
func (q digitRule) next(state, d int64) int64 {
	return []int64{(state + d) % q.k, min(q.times+1, state+bit(d == q.digit)), (10*state + d) % q.k, min(q.k+1, state+d%2)}[q.kind]
}

func (q digitRule) counts(state int64) bool {
	return []bool{state == q.rest, state == q.times, state == q.rest, state <= q.k}[q.kind]
}

// upTo counts the numbers from 1 to limit: from the first digit on, by last digit and state.
func (q digitRule) upTo(limit int64) (count int64) {
	const states = 12
	var free [10 * states]int64 // numbers below the prefix of limit, by last digit and state
	state, last, alive := int64(0), int64(-1), true
	for i, top := range digitsOf(limit) {
		var after [10 * states]int64
		for at, n := range free {
			for d := range 10 * bit(n > 0) {
				after[d*states+q.next(int64(at%states), d)] += n * bit(q.step(d, int64(at/states)))
			}
		}
		for d := range int64(10) {
			if i > 0 && d > 0 { // a shorter number
				after[d*states+q.next(0, d)]++
			}
			if below := d < top && (i > 0 || d > 0); below && alive && (last < 0 || q.step(d, last)) {
				after[d*states+q.next(state, d)]++
			}
		}
		alive = alive && (last < 0 || q.step(top, last))
		state, last, free = q.next(state, top), top, after
	}
	for at, n := range free {
		count += n * bit(q.counts(int64(at%states)))
	}
	return count + bit(limit > 0 && alive && q.counts(state))
}
