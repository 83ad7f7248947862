package codetask

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// longList is the length of a long list. A solution that looks at all pairs takes too long.
const longList = 20_000

// countInversions counts pairs in a long list.
func countInversions(r *rng.Rand) draft {
	k := r.Between64(1, 50)
	pair, id := pick(r, []struct{ text, py string }{
		{"`a[i] > a[j] + $k`", "i - bisect_right(seen, y + $k)"}, {"`a[i] >= a[j] - $k`", "i - bisect_left(seen, y - $k)"}, {"`|a[i] - a[j]| <= $k`", "bisect_right(seen, y + $k) - bisect_left(seen, y - $k)"},
		{"`a[i] > 2 * a[j]`", "i - bisect_right(seen, 2 * y)"}, {"`a[i] + a[j] < $k`", "bisect_left(seen, $k - y)"}, {"`a[j] <= a[i] < a[j] + $k`", "bisect_left(seen, y + $k) - bisect_left(seen, y)"},
	})
	which, far := either(r, "`i < j`", "`i + $d <= j`")
	distance := int64(1)
	if far {
		distance = r.Between64(2, 9)
	}
	d := draft{
		task:   fill("Positions of `a` are counted from 0. Consider the pairs of positions `i` and `j` with $w and $p.", "$w", fill(which, "$d", decimal(distance)), "$p", fill(pair.text, "$k", decimal(k))),
		want:   "the number of these pairs",
		form:   number,
		fields: []field{{name: "a", form: list, len: span{0, longList}, val: span{-1000, 1000}}},
		before: "from bisect import bisect_left, bisect_right, insort\n",
		body:   fill("    seen = []\n    count = 0\n    for i, y in enumerate(a):\n        count += $p\n        insort(seen, y)\n    return count\n", "$p", fill(pair.py, "$k", decimal(k))),
		drawn:  []int64{k, id, distance},
		bend: func(r *rng.Rand, in input) {
			for a, i := in.list(0), 1; i < len(a) && len(a) < 100; i++ {
				if r.Chance(0.4) {
					a[i] = max(-1000, min(1000, a[i-1]+rng.Pick(r, []int64{k, -k, k + 1, -k - 1, k - 1, 1 - k})))
				}
			}
		},
		solve: func(in input) any {
			a := in.list(0)
			tree := make(sums, 4096) // how often each value was seen, from -1000 at 1
			below := func(x int64) int64 { return tree.upTo(max(0, min(x+1000, 2001))) }
			count := int64(0)
			for j := distance; j < int64(len(a)); j++ {
				tree.add(a[j-distance]+1001, 1)
				y, n := a[j], j-distance+1
				count += []int64{n - below(y+k+1), n - below(y-k), below(y+k+1) - below(y-k), n - below(2*y+1), below(k - y), below(y+k) - below(y)}[id]
			}
			return count
		},
	}
	if far {
		d.body = fill("    seen = []\n    count = 0\n    for i in range(len(a) - $d + 1):\n        y = a[i + $d - 1]\n        count += $p\n        insort(seen, a[i])\n    return count\n", "$p", fill(pair.py, "$k", decimal(k)), "$d", decimal(distance))
		d.body = fill("    seen = []\n    count = 0\n    for i, y in enumerate(a[$d:], 1):\n        insort(seen, a[i - 1])\n        count += $p\n    return count\n", "$p", fill(pair.py, "$k", decimal(k)), "$d", decimal(distance))
	}
	return d
}

// sums is a Fenwick tree: sums of the values at 1 to i.
type sums []int64

func (s sums) add(i, v int64) {
	for ; i < int64(len(s)); i += i & -i {
		s[i] += v
	}
}

func (s sums) upTo(i int64) (sum int64) {
	for ; i > 0; i &= i - 1 {
		sum += s[i]
	}
	return sum
}

// windowExtremes looks at the largest and smallest elements of all blocks of k.
func windowExtremes(r *rng.Rand) draft {
	limit := r.Between64(3, 30)
	result, id := pick(r, []struct{ text, py string }{
		{"the sum over all blocks of the largest element minus the smallest", "sum(x - y for x, y in zip(high, low))"}, {"the number of blocks in which the largest element exceeds the smallest by at most $k", "sum(x - y <= $k for x, y in zip(high, low))"},
		{"the smallest value that the largest element of a block has", "min(high)"}, {"the number of different values that the smallest element of a block has", "len(set(low))"}, {"the sum over all blocks of the largest element plus the smallest", "sum(x + y for x, y in zip(high, low))"},
		{"the number of blocks with a first element that is the largest or the smallest of the block", "sum(a[i] in (x, y) for i, (x, y) in enumerate(zip(high, low)))"},
	})
	d := draft{
		task:   "A block is `k` consecutive elements of `a`.",
		want:   fill(result.text, "$k", decimal(limit)),
		form:   number,
		fields: []field{{name: "a", form: list, len: span{1, 2 * longList}, val: span{-1000, 1000}}, {name: "k", form: number, val: span{1, 2 * longList}, also: ", at most the length of `a`"}},
		before: "from collections import deque\n",
		drawn:  []int64{limit, id},
		body:   fill(windowBody, "$r", fill(result.py, "$k", decimal(limit))),
		bend: func(r *rng.Rand, in input) {
			n, scale := int64(len(in.list(0))), rng.Pick(r, []int64{1, 2, 5, limit})
			for i, x := range in.list(0) {
				if n < 100 {
					in.list(0)[i] = max(-1000, min(x*scale, 1000))
				}
			}
			in[1] = r.Between64(1, n)
			if n > 1000 {
				in[1] = n / 2
			}
		},
		solve: func(in input) any {
			a, k := in.list(0), int(in.num(1))
			high, low := extremes(a, k, 1), extremes(a, k, -1)
			var spread, tight, both, first int64
			for i := range high {
				spread += high[i] - low[i]
				both += high[i] + low[i]
				tight += bit(high[i]-low[i] <= limit)
				first += bit(a[i] == high[i] || a[i] == low[i])
			}
			return []int64{spread, tight, slices.Min(high), int64(len(distinct(low))), both, first}[id]
		},
	}
	if id == 2 {
		d.body = fill(d.body, "high, low = extremes(1), extremes(-1)", "high = extremes(1)")
	}
	if id == 3 {
		d.body = fill(d.body, "high, low = extremes(1), extremes(-1)", "low = extremes(-1)")
	}
	return d
}

// windowBody is two queues of candidates.
const windowBody = `
    def extremes(sign):
        queue, out = deque(), []
        for i, x in enumerate(a):
            while queue and sign * a[queue[-1]] <= sign * x:
                queue.pop()
            queue.append(i)
            if queue[0] <= i - k:
                queue.popleft()
            if i >= k - 1:
                out.append(a[queue[0]])
        return out

    high, low = extremes(1), extremes(-1)
    return $r
`

// extremes returns the largest element of each block of k, or the smallest for sign -1. In each
// stretch of k elements it knows the extremes up to each element, and from it.
func extremes(a []int64, k int, sign int64) (out []int64) {
	to, from := make([]int64, len(a)), make([]int64, len(a))
	for i, x := range a {
		to[i] = sign * x
		if i%k > 0 {
			to[i] = max(to[i], to[i-1])
		}
	}
	for i := len(a) - 1; i >= 0; i-- {
		from[i] = sign * a[i]
		if i < len(a)-1 && (i+1)%k > 0 {
			from[i] = max(from[i], from[i+1])
		}
	}
	for i := range len(a) - k + 1 {
		out = append(out, sign*max(from[i], to[i+k-1]))
	}
	return out
}

// countBlocks counts blocks of any length with a property.
func countBlocks(r *rng.Rand) draft {
	k := r.Between64(2, 12)
	m := r.Between64(0, k-1)
	with, id := pick(r, []struct{ text, py string }{
		{"the sum of its elements is $k", "before[total - $k]"}, {"the sum of its elements leaves the remainder $m when divided by $k (as Python's `%`)", "before[(total - $m) % $k]"},
		{"the numbers of its positive and of its negative elements are equal", "before[total]"}, {"the number of its even elements is $k", "before[total - $k]"}, {"the number of its odd elements is even", "before[total % 2]"},
		{"the bitwise exclusive or of the absolute values of its elements is $k", "before[total ^ $k]"},
	})
	pairs := []string{"$k", decimal(k), "$m", decimal(m)}
	change := []string{"total += x", "total = (total + x) % $k", "total += (x > 0) - (x < 0)", "total += x % 2 == 0", "total = (total + x) % 2", "total ^= abs(x)"}[id]
	least, leastID := pick(r, []string{"", " Only blocks of at least two elements count.", " Only blocks of at least three elements count."})
	d := draft{
		task:   fill("A block is one or more consecutive elements of `a`. Consider the blocks for which $p.$l", "$p", fill(with.text, pairs...), "$l", least),
		want:   "the number of these blocks; blocks at different positions are different",
		form:   number,
		fields: []field{{name: "a", form: list, len: span{0, longList}, val: span{-100, 100}}},
		before: "from collections import Counter\n",
		drawn:  []int64{k, m, id, leastID},
	}
	if leastID == 0 {
		d.body = fill("    before = Counter([0])\n    total = count = 0\n    for x in a:\n        $change\n        count += $with\n        before[total] += 1\n    return count\n", "$change", change, "$with", with.py)
	} else {
		d.body = fill("    before = Counter()\n    waiting = [0]\n    total = count = 0\n    for x in a:\n        $change\n        if len(waiting) > $l:\n            before[waiting[-$l - 1]] += 1\n        count += $with\n        waiting.append(total)\n    return count\n", "$change", change, "$with", with.py, "$l", decimal(leastID))
	}
	d.body = fill(d.body, pairs...)
	if id == 4 {
		d.body = fill(d.body, "before[total % 2]", "before[total]")
	}
	d.solve = func(in input) any {
		total, count := int64(0), int64(0)
		totals, before := []int64{0}, map[int64]int64{}
		for i, x := range in.list(0) {
			total = []int64{total + x, modulo(total+x, k), total + bit(x > 0) - bit(x < 0), total + bit(x%2 == 0), modulo(total+x, 2), total ^ max(x, -x)}[id]
			if at := int64(i) - leastID; at >= 0 {
				before[totals[at]]++
			}
			count += before[[]int64{total - k, modulo(total-m, k), total, total - k, total, total ^ k}[id]]
			totals = append(totals, total)
		}
		return count
	}
	return d
}

// foldBars folds the smallest elements of blocks of any length.
func foldBars(r *rng.Rand) draft {
	result, id := pick(r, []string{"the greatest product of the length of a block and its smallest element", "the sum of the smallest elements of all blocks, modulo 1000000007", "the greatest product of the sum of a block and its smallest element",
		"the greatest `k` for which a block of `k` elements has only elements of at least `k`, or 0 if there is none"})
	most := rng.Pick(r, []int64{never, 4, 9, 50}) // elements of a block; of result 0 only
	cut := ""
	if id == 0 && most < never {
		cut = fill(" Only blocks of at most $m elements count.", "$m", decimal(most))
	}
	width := "i - left"
	if cut != "" {
		width = fill("min(i - left, $m)", "$m", decimal(most))
	} else {
		most = never
	}
	d := draft{
		task:   "A block is one or more consecutive elements of `a`." + cut,
		want:   result,
		form:   number,
		fields: []field{{name: "a", form: list, len: span{1, longList}, val: span{0, 100_000}}},
		drawn:  []int64{id, most},
		solve:  func(in input) any { return foldedBars(in.list(0), id, most) },
	}
	if id == 1 {
		d.body = `    total = run = 0
    stack = []
    for x in a:
        width = 1
        while stack and stack[-1][0] >= x:
            low, n = stack.pop()
            width += n
            run -= low * n
        stack.append((x, width))
        run += x * width
        total += run
    return total % 1000000007
`
		return d
	}
	d.body = only(fill(`
    prefix = [0]##2
    for x in a:##2
        prefix.append(prefix[-1] + x)##2
    best = 0
    stack = []
    for i, x in enumerate(a + [-1]):
        while stack and a[stack[-1]] >= x:
            low = a[stack.pop()]
            left = stack[-1] + 1 if stack else 0
            best = max(best, low * $width)##0
            best = max(best, low * (prefix[i] - prefix[left]))##2
            best = max(best, min(low, i - left))##3
        stack.append(i)
    return best
`, "low * $width", map[bool]string{false: "low * (i - left)", true: "low * " + width}[cut != ""]), id)
	return d
}

// foldedBars goes from the largest element down and joins neighbors: the block around an element
// in which it is the smallest.
func foldedBars(a []int64, result, most int64) int64 {
	order, prefix := make([]int, len(a)), make([]int64, len(a)+1)
	for i, x := range a {
		order[i], prefix[i+1] = i, prefix[i]+x
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a[j], a[i]) })
	from, to := make([]int, len(a)+2), make([]int, len(a)+2) // of the block that ends or begins here, from 1; 0: none
	best, sum := int64(0), int64(0)
	for _, i := range order {
		first, last := i+1, i+1
		if from[i] > 0 {
			first = from[i]
		}
		if to[i+2] > 0 {
			last = to[i+2]
		}
		from[last], to[first] = first, last
		x, width := a[i], int64(last-first+1)
		sum = (sum + x*int64(i+2-first)%1_000_000_007*int64(last-i)) % 1_000_000_007
		best = max(best, []int64{x * min(width, most), 0, x * (prefix[last] - prefix[first-1]), min(x, width)}[result])
	}
	return best + sum*bit(result == 1)
}

// limitTasks are questions for a limit, with the Python that tells whether one is enough.
var limitTasks = []struct{ task, want, py string }{
	{"Cut `a` into at most `k` blocks of consecutive elements; every element belongs to exactly one.", "the smallest possible value of the largest sum of a block", `
    def enough(limit):
        parts, room = 1, limit
        for x in a:
            if x > room:
                parts, room = parts + 1, limit
            room -= x
        return parts <= k

    low, high = max(a), sum(a)
`},
	{"A machine works on one element of `a` at a time. At speed `v`, an integer, the element `x` takes `x / v` hours, rounded up.", "the smallest speed, at least 1, at which all elements together take at most `len(a) + k` hours", `
    def enough(speed):
        return sum(-(-x // speed) for x in a) <= len(a) + k

    low, high = 1, max(a)
`},
	{"Each day, each element of `a` that is greater than 0 falls by 1. In addition you choose one element on each day, which falls by `k` more on that day. Elements may become negative.", "the smallest number of days after which no element is greater than 0", `
    def enough(days):
        return sum(-(-(x - days) // k) for x in a if x > days) <= days

    low, high = 0, max(a)
`},
	{"Choose at least one element of `a`, and at most `k` elements, so that every element of `a` differs from a chosen one by at most `d`, an integer.", "the smallest `d` for which this is possible", `
    points = sorted(a)

    def enough(d):
        used, reach = 0, -1
        for x in points:
            if x > reach:
                used += 1
                at = points[bisect_right(points, x + d) - 1]
                reach = at + d
        return used <= k

    low, high = 0, max(a)
`},
}

// smallestLimit finds a limit by trying: the larger it is, the easier.
func smallestLimit(r *rng.Rand) draft {
	q, id := pick(r, limitTasks)
	d := draft{
		task:   q.task,
		want:   q.want,
		form:   number,
		fields: []field{{name: "a", form: list, len: span{1, longList}, val: span{1, 1_000_000}}, {name: "k", form: number, val: span{1, longList}}},
		body:   q.py + "    while low < high:\n        middle = (low + high) // 2\n        if enough(middle):\n            high = middle\n        else:\n            low = middle + 1\n    return low\n",
		drawn:  []int64{id},
		bend: func(r *rng.Rand, in input) {
			n := int64(len(in.list(0)))
			in[1] = r.Between64(1, min(longList, []int64{n, n/3 + 1, 2 * n}[r.Between(0, 2)]))
		},
		solve: func(in input) any {
			a, k := in.list(0), in.num(1)
			low, high := int64(0), int64(1)<<40
			for low < high {
				if middle := (low + high) / 2; suffices(a, k, middle, id) {
					high = middle
				} else {
					low = middle + 1
				}
			}
			return low
		},
	}
	if id == 3 {
		d.before = "from bisect import bisect_right\n"
	}
	return d
}

// suffices tells whether a limit is large enough.
func suffices(a []int64, k, limit, rule int64) bool {
	if limit == 0 && rule < 2 || rule == 0 && slices.Max(a) > limit {
		return false
	}
	count, chosen := int64(0), int64(0)
	switch rule {
	case 0:
		for at, sum := 0, int64(0); at < len(a); sum, count = 0, count+1 {
			for at < len(a) && sum+a[at] <= limit {
				sum, at = sum+a[at], at+1
			}
		}
	case 1:
		k += int64(len(a))
		for _, x := range a {
			count += (x + limit - 1) / limit
		}
	case 2:
		for _, x := range a {
			count += (max(0, x-limit) + k - 1) / k
		}
		k = limit
	case 3:
		a = distinct(a)
		for len(a) > 0 {
			reach := a[0] + limit
			for at := 0; at < len(a) && a[at] <= reach; at++ {
				chosen = a[at]
			}
			for len(a) > 0 && a[0] <= chosen+limit {
				a = a[1:]
			}
			count++
		}
	}
	return count <= k
}
