package codetask

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// never is greater than any cost.
const never = int64(1) << 60

// payAmount pays an amount with coins.
func payAmount(r *rng.Rand) draft {
	often, times := pick(r, []string{"any number of times", "at most once", "at most twice"})
	result, id := pick(r, []string{"the smallest number of coins, or -1 if the amount cannot be paid", "the number of ways to choose the coins, where only the number of coins of each value counts, modulo 1000007", "the largest number of coins, or -1 if the amount cannot be paid"})
	order := r.Chance(0.5)
	body := fill(`
    best = [0] + [-1] * amount
    for coin in coins:
$loop
$indent            if best[total - coin] >= 0 and (best[total] < 0 or best[total - coin] + 1 $c best[total]):
$indent                best[total] = best[total - coin] + 1
    return best[amount]
`, "$c", map[bool]string{true: "<", false: ">"}[id == 0])
	if id == 1 {
		body = "    ways = [1] + [0] * amount\n    for coin in coins:\n$loop\n$indent            ways[total] = (ways[total] + ways[total - coin]) % 1000007\n    return ways[amount]\n"
	}
	loop, indent := "        for total in range(coin, amount + 1):", ""
	switch {
	case times == 1:
		loop = "        for total in range(amount, coin - 1, -1):"
	case times == 2 && id == 1:
		body = "    ways = [1] + [0] * amount\n    for coin in coins:\n        ways = [sum(ways[t - n * coin] for n in range(3) if t >= n * coin) % 1000007 for t in range(amount + 1)]\n    return ways[amount]\n"
	case times == 2:
		loop, indent = "        for _ in range(2):\n            for total in range(amount, coin - 1, -1):", "    "
	}
	d := draft{
		task:   fill("Pay exactly `amount` with coins of the values in `coins`. Each value may be used $o.", "$o", often),
		want:   result,
		form:   number,
		fields: []field{{name: "amount", form: number, val: span{0, 400}}, {name: "coins", form: list, len: span{1, 12}, val: span{1, 100}, also: "; all are different"}},
		body:   fill(body, "$loop", loop, "$indent", indent),
		drawn:  []int64{times, id},
		bend: func(r *rng.Rand, in input) {
			coins := distinct(in.list(1))
			if rng.Shuffle(r, coins); r.Chance(0.8) {
				in[0] = min(400, r.Between64(0, 2*total(coins)))
			}
			in[1] = coins
		},
		solve: func(in input) any { return paid(in, times, id) },
	}
	if order {
		slices.Reverse(d.fields)
		d.drawn = append(d.drawn, 1)
		bend, solve := d.bend, d.solve
		d.bend = func(r *rng.Rand, in input) {
			slices.Reverse(in)
			bend(r, in)
			slices.Reverse(in)
		}
		d.solve = func(in input) any { return solve(input{in[1], in[0]}) }
	}
	return d
}

// paid counts coins or ways, coin by coin.
func paid(in input, times, result int64) int64 {
	amount := in.num(0)
	now := make([]int64, amount+1) // of each total
	for t := range now {
		now[t] = []int64{never, 0, -never}[result]
	}
	now[0] = bit(result == 1)
	for _, coin := range in.list(1) {
		after := slices.Clone(now)
		for n := int64(1); n*coin <= amount && (times == 0 || n <= times); n++ {
			for t := n * coin; t <= amount; t++ {
				before := now[t-n*coin]
				after[t] = []int64{min(after[t], before+n), (after[t] + before) % 1000007, max(after[t], before+n)}[result]
			}
		}
		now = after
	}
	if result != 1 && (now[amount] < 0 || now[amount] >= never/2) {
		return -1
	}
	return now[amount]
}

// links are conditions on an element y of a subsequence and the one before, x.
var links = []property{
	{"is greater than the one before", "y > x", span{}, func(d, _ int64) bool { return d > 0 }},
	{"is at least the one before", "y >= x", span{}, func(d, _ int64) bool { return d >= 0 }},
	{"is less than the one before by at least $k", "y <= x - $k", span{2, 5}, func(d, k int64) bool { return d <= -k }},
	{"differs from the one before by exactly $k", "abs(y - x) == $k", span{1, 4}, func(d, k int64) bool { return max(d, -d) == k }},
	{"differs from the one before by at most $k", "abs(y - x) <= $k", span{1, 4}, func(d, k int64) bool { return max(d, -d) <= k }},
	{"is greater than the one before, by at most $k", "x < y <= x + $k", span{3, 8}, func(d, k int64) bool { return 0 < d && d <= k }},
	{"differs from the one before by an odd number", "(y - x) % 2 == 1", span{}, func(d, _ int64) bool { return modulo(d, 2) == 1 }},
}

// longestSubsequence finds the best subsequence with linked neighbors.
func longestSubsequence(r *rng.Rand) draft {
	link, id := pick(r, links)
	k := r.Between64(link.k[0], link.k[1])
	result, resultID := pick(r, []string{"the length of the longest such subsequence, or 0 if `a` is empty", "the greatest sum of such a subsequence, or 0 if `a` is empty", "the number of such subsequences, counted by their positions in `a`, modulo 1000007"})
	gap := r.Between64(1, 3)
	d := draft{
		task:   fill("A subsequence of `a` is one or more of its elements in their order, not necessarily neighbors. Consider the subsequences in which every element but the first $c.$g", "$c", fill(link.text, "$k", decimal(k))),
		want:   result,
		form:   number,
		fields: []field{{name: "a", form: list, len: span{0, 150}, val: span{-100, 100}}},
		body: fill(`
    best = []
    for j, y in enumerate(a):
        $start
        for i in range(j$gap):
            x = a[i]
            if $c:
                $next
        best.append($item)
    return $end
`, "$start", []string{"one = 1", "one = y", "one = 1"}[resultID], "$c", fill(link.py, "$k", decimal(k)), "$next", []string{"one = max(one, best[i] + 1)", "one = max(one, best[i] + y)", "one += best[i]"}[resultID],
			"$item", []string{"one", "one", "one % 1000007"}[resultID], "$end", []string{"max(best, default=0)", "max(best, default=0)", "sum(best) % 1000007"}[resultID], "$gap", []string{"", "", " - 1", " - 2"}[gap]),
		drawn: []int64{id, k, resultID, gap},
		solve: func(in input) any {
			a := in.list(0)
			best := make([]int64, len(a))
			for j, y := range a {
				best[j] = []int64{1, y, 1}[resultID]
				for i := range max(0, j-int(gap)+1) {
					if link.is(y-a[i], k) {
						best[j] = []int64{max(best[j], best[i]+1), max(best[j], best[i]+y), (best[j] + best[i]) % 1000007}[resultID]
					}
				}
			}
			if resultID == 2 {
				return total(best) % 1000007
			}
			return largest(best, 0)
		},
	}
	d.task = fill(d.task, "$g", []string{"", "", " Elements next to each other in `a` must not both be in it.", " Between two elements of it, at least two elements of `a` must be left out."}[gap])
	return d
}

// editCost finds the smallest cost of turning one text into another.
func editCost(r *rng.Rand) draft {
	insert, remove, replace := r.Between64(1, 3), r.Between64(1, 3), r.Between64(1, 4)
	swap := rng.Pick(r, []int64{0, 1, 2})
	free, equal := pick(r, []string{"", " Replacing a vowel (`a` or `e`) by another vowel costs nothing.", " Replacing a letter by the next or the previous one in the alphabet costs 1."})
	if equal == 2 && replace == 1 {
		replace = 3
	}
	d := draft{
		task: fill("Turn `s` into `t`. Inserting a character costs $i, removing one costs $d, and replacing one by another costs $r.$s$f No character may take part in two of these steps.",
			"$i", decimal(insert), "$d", decimal(remove), "$r", decimal(replace), "$f", free, "$s", []string{"", " Swapping two neighboring characters of `s`, which must stay neighbors in `t`, costs 1.", " Swapping two neighboring characters of `s`, which must stay neighbors in `t`, costs 2."}[swap]),
		want:   "the smallest total cost",
		form:   number,
		fields: []field{{name: "s", form: word, len: span{0, 60}, letters: "abcdef"}, {name: "t", form: word, len: span{0, 60}, letters: "abcdef"}},
		drawn:  []int64{insert, remove, replace, swap, equal},
		bend: func(r *rng.Rand, in input) {
			if s := in.text(0); len(s) > 3 && r.Chance(0.7) {
				at := r.Between(0, len(s)-2)
				in[1] = strings.Replace(s[:at]+s[at+1:at+2]+s[at:at+1]+s[at+2:], rng.Pick(r, []string{"a", "b", "d"}), rng.Pick(r, []string{"", "e", "cf"}), r.Between(0, 2))
				in[1] = in.text(1)[:min(60, len(in.text(1)))]
			}
		},
		solve: func(in input) any {
			return editing{in.text(0), in.text(1), insert, remove, replace, swap, equal}.cost()
		},
	}
	price := []string{"$r", "0 if a in \"ae\" and b in \"ae\" else $r", "1 if abs(ord(a) - ord(b)) == 1 else $r"}[equal]
	d.body = fill(`
    cost = [[j * $i for j in range(len(t) + 1)]]
    for i, a in enumerate(s, 1):
        row = [i * $d]
        for j, b in enumerate(t, 1):
            change = 0 if a == b else $p
            best = min(cost[i - 1][j] + $d, row[j - 1] + $i, cost[i - 1][j - 1] + change)
$swap            row.append(best)
        cost.append(row)
    return cost[len(s)][len(t)]
`, "$p", fill(price, "$r", decimal(replace)), "$i", decimal(insert), "$d", decimal(remove),
		"$swap", map[bool]string{true: fill("            if i > 1 and j > 1 and s[i - 2:i] == b + t[j - 2]:\n                best = min(best, cost[i - 2][j - 2] + $s)\n", "$s", decimal(swap))}[swap > 0])
	return d
}

// An editing is the costs of turning s into t.
type editing struct {
	s, t                                string
	insert, remove, replace, swap, rule int64
}

// change is the cost of having b in place of a.
func (e editing) change(a, b byte) int64 {
	switch {
	case a == b:
		return 0
	case e.rule == 1 && strings.IndexByte("ae", a) >= 0 && strings.IndexByte("ae", b) >= 0:
		return 0
	case e.rule == 2 && max(a, b)-min(a, b) == 1:
		return 1
	}
	return e.replace
}

func (e editing) cost() int64 {
	table := make([][]int64, len(e.s)+1)
	for i := range table {
		table[i] = make([]int64, len(e.t)+1)
		for j := range table[i] {
			table[i][j] = e.cell(table, i, j)
		}
	}
	return table[len(e.s)][len(e.t)]
}

func (e editing) cell(table [][]int64, i, j int) int64 {
	if i == 0 || j == 0 {
		return int64(i)*e.remove + int64(j)*e.insert
	}
	best := min(table[i-1][j]+e.remove, table[i][j-1]+e.insert, table[i-1][j-1]+e.change(e.s[i-1], e.t[j-1]))
	if e.swap > 0 && i > 1 && j > 1 && e.s[i-1] == e.t[j-2] && e.s[i-2] == e.t[j-1] {
		best = min(best, table[i-2][j-2]+e.swap)
	}
	return best
}

// chooseIntervals chooses intervals that keep a distance.
func chooseIntervals(r *rng.Rand) draft {
	gap, gapID := pick(r, []int64{0, 1, 2, 5})
	worth, id := pick(r, []struct{ text, py string }{{"1", "1"}, {"its length, the end minus the start", "end - start"}, {"its weight", "weight"}, {"its weight times its length, the end minus the start", "weight * (end - start)"}})
	most := rng.Pick(r, []int64{0, 0, 2, 3})
	d := draft{
		task: fill("Each entry of `jobs` is a start, a greater end and a weight. Choose jobs so that between any two of them, the later one starts at least $g after the end of the earlier one$z. The value of a job is $w.$m",
			"$g", decimal(gap), "$w", worth.text, "$z", map[bool]string{true: " (it may start exactly then)"}[gap == 0]),
		want:   "the greatest possible sum of the values of the chosen jobs, or 0 if there are no jobs",
		form:   number,
		fields: []field{{name: "jobs", form: rows, len: span{0, 120}, wide: span{3, 3}, what: "three integers: the start and the end from -1000 to 1000, and the weight from 1 to 50"}},
		before: "from bisect import bisect_right\n",
		drawn:  []int64{gap, gapID, id, most},
		solve: func(in input) any {
			jobs := slices.Clone(in.rows(0))
			slices.SortFunc(jobs, func(a, b []int64) int { return cmp.Compare(a[1], b[1]) })
			limit := most
			if most == 0 {
				limit = int64(len(jobs))
			}
			return chosen(jobs, gap, limit, func(job []int64) int64 {
				length := job[1] - job[0]
				return []int64{1, length, job[2], job[2] * length}[id]
			})
		},
	}
	d.make = func(r *rng.Rand, s size) input {
		jobs := drawIntervals(r, intervalField(120, 1000), s)
		for i := range jobs {
			jobs[i] = append(jobs[i][:2:2], r.Between64(1, []int64{5, 50}[bit(s.span < 0)]))
		}
		return input{jobs}
	}
	if most == 0 {
		d.task = fill(d.task, "$m", "")
		d.body = fill("    jobs = sorted(jobs, key=lambda job: job[1])\n    ends = [job[1] for job in jobs]\n    best = [0]\n    for i, (start, end, weight) in enumerate(jobs):\n        before = bisect_right(ends, start$g, 0, i)\n        best.append(max(best[-1], best[before] + $w))\n    return best[-1]\n", "$w", worth.py, "$g", map[bool]string{true: " - " + decimal(gap)}[gap > 0])
		return d
	}
	d.task = fill(d.task, "$m", fill(" Choose at most $n jobs.", "$n", decimal(most)))
	d.body = fill("    jobs = sorted(jobs, key=lambda job: job[1])\n    ends = [job[1] for job in jobs]\n    best = [0] * (len(jobs) + 1)\n    for _ in range($n):\n        after = [0]\n        for i, (start, end, weight) in enumerate(jobs):\n            before = bisect_right(ends, start$g, 0, i)\n            after.append(max(after[-1], best[before] + $w))\n        best = after\n    return best[-1]\n", "$w", worth.py, "$n", decimal(most), "$g", map[bool]string{true: " - " + decimal(gap)}[gap > 0])
	return d
}

// chosen finds the best choice of at most limit jobs, which are sorted by their ends.
func chosen(jobs [][]int64, gap, limit int64, worth func([]int64) int64) int64 {
	best := make([]int64, len(jobs)+1)
	for range limit {
		after := make([]int64, len(jobs)+1)
		for i, job := range jobs {
			before := i
			for before > 0 && jobs[before-1][1]+gap > job[0] {
				before--
			}
			after[i+1] = max(after[i], best[before]+worth(job))
		}
		if slices.Equal(best, after) {
			break
		}
		best = after
	}
	return best[len(jobs)]
}
