package codetask

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// encodeRuns writes the runs of equal letters of a text.
func encodeRuns(r *rng.Rand) draft {
	form, after := either(r, "its length and then its letter", "its letter and then its length")
	omit := r.Chance(0.5)
	order, byLength := either(r, "in the order of the text", "longest first, runs of the same length in the order of the text")
	sep, sepID := pick(r, []string{"", "-", ","})
	least := r.Between64(1, 2)
	d := draft{
		task:   fill("Split `s` into runs: as few pieces as possible, each of one letter repeated. $leastWrite each run as $f, such as `$e`$leave. The runs stand $o, $sep.", "$f", form, "$o", order),
		want:   "the runs so written, as one string",
		form:   word,
		fields: []field{{name: "s", form: word, len: span{0, 80}, letters: "abcx"}},
		before: "from itertools import groupby\n",
		body: fill("    runs = [(c, len(list(run))) for c, run in groupby(s)]\n$least$sort    return $sep.join($f for c, n in runs)\n",
			"$sort", map[bool]string{true: "    runs.sort(key=lambda run: -run[1])\n"}[byLength], "$sep", literal(sep)),
		drawn: []int64{bit(after), bit(omit), bit(byLength), sepID, least},
		bend: func(r *rng.Rand, in input) {
			s := []byte(in.text(0))
			for i := 1; i < len(s); i++ {
				if r.Chance(0.4) {
					s[i] = s[i-1]
				}
			}
			in[0] = string(s)
		},
		solve: func(in input) any { return encoded(in.text(0), runForm{after, omit, byLength, sep, least}) },
	}
	count := map[bool]string{false: "str(n)", true: "(str(n) if n > 1 else \"\")"}[omit]
	d.body = fill(d.body, "$f", map[bool]string{false: count + " + c", true: "c + " + count}[after], "$least", map[bool]string{true: "    runs = [run for run in runs if run[1] >= 2]\n"}[least == 2])
	d.task = fill(d.task, "$least", map[bool]string{true: "Leave out the runs of a single letter. "}[least == 2], "$e", map[bool]string{false: "3a", true: "a3"}[after],
		"$leave", map[bool]string{true: "; a length of 1 is not written"}[omit], "$sep", map[bool]string{true: "with nothing between them", false: "with `" + sep + "` between them"}[sep == ""])
	return d
}

// A runForm is how runs are written.
type runForm struct {
	after, omit, byLength bool
	sep                   string
	least                 int64
}

func encoded(s string, form runForm) string {
	var runs []string
	for s != "" {
		n := len(s) - len(strings.TrimLeft(s, s[:1]))
		if int64(n) >= form.least {
			runs = append(runs, s[:n])
		}
		s = s[n:]
	}
	if form.byLength {
		slices.SortStableFunc(runs, func(a, b string) int { return len(b) - len(a) })
	}
	return joined(runs, form.sep, func(run string) string {
		count := decimal(int64(len(run)))
		if form.omit && len(run) == 1 {
			count = ""
		}
		if form.after {
			return run[:1] + count
		}
		return count + run[:1]
	})
}

// neighbors are conditions on an element y and the one before, x.
var neighbors = []property{
	{"is greater than the one before", "y > x", span{}, nil},
	{"is at least the one before", "y >= x", span{}, nil},
	{"is less than the one before", "y < x", span{}, nil},
	{"is equal to the one before", "y == x", span{}, nil},
	{"differs from the one before by at most $k", "abs(y - x) <= $k", span{1, 4}, nil},
	{"differs from the one before by at least $k", "abs(y - x) >= $k", span{2, 5}, nil},
	{"is even if the one before is odd, and odd if it is even", "(y - x) % 2 == 1", span{}, nil},
	{"exceeds the one before by exactly 1", "y == x + 1", span{}, nil},
}

// goesOn tells whether y may follow x.
func goesOn(id, k, x, y int64) bool {
	distance := max(y-x, x-y)
	return []bool{y > x, y >= x, y < x, y == x, distance <= k, distance >= k, distance%2 == 1, y == x+1}[id]
}

// longestRun finds the longest run of neighbors that keep a condition.
func longestRun(r *rng.Rand) draft {
	condition, id := pick(r, neighbors)
	k := r.Between64(condition.k[0], condition.k[1])
	which, last := either(r, "the first", "the last")
	result, resultID := pick(r, []string{"the length of that run, or 0 if `a` is empty", "the sum of that run, or 0 if `a` is empty", "the position in `a` at which that run begins, counted from 0, or -1 if `a` is empty"})
	return draft{
		task: fill("A run is a sequence of consecutive elements of `a` in which every element but the first $c. A single element is a run too. Find the longest run; if several are equally long, $w of them.",
			"$c", fill(condition.text, "$k", decimal(k)), "$w", which),
		want:   result,
		form:   number,
		fields: []field{{name: "a", form: list, len: span{0, 80}, val: span{-99, 99}}},
		body: only(fill(`
    best, start = 0, 0
    at = -1##12
    for i, y in enumerate(a):
        x = a[i - 1]
        if not ($c):
            start = i
        length = i - start + 1
        if length $better best:
            best = length
            at = start##12
    return $result
`, "$c", fill(condition.py, "$k", decimal(k)), "$better", map[bool]string{false: ">", true: ">="}[last], "$result", []string{"best", "sum(a[at:at + best])", "at"}[resultID]), resultID),
		drawn: []int64{id, k, bit(last), resultID},
		bend: func(r *rng.Rand, in input) {
			for a, i := in.list(0), 1; i < len(a); i++ {
				if r.Chance(0.5) {
					a[i] = max(-99, min(a[i-1]+[]int64{r.Between64(-k, k), 1, 0, 3}[r.Between(0, 3)], 99))
				}
			}
		},
		solve: func(in input) any {
			a := in.list(0)
			var best []int64
			at := int64(-1)
			for start := 0; start < len(a); {
				end := start + 1
				for end < len(a) && goesOn(id, k, a[end-1], a[end]) {
					end++
				}
				if end-start > len(best) || last && end-start == len(best) {
					best, at = a[start:end], int64(start)
				}
				start = end
			}
			return []int64{int64(len(best)), total(best), at}[resultID]
		},
	}
}

// bestWindow finds the best block of k neighbors.
func bestWindow(r *rng.Rand) draft {
	m, id := pick(r, []struct{ text, py string }{
		{"the sum of its elements", "sum(w)"}, {"the difference between its largest and its smallest element", "max(w) - min(w)"}, {"the number of different values in it", "len(set(w))"},
		{"its last element minus its first", "w[-1] - w[0]"}, {"the number of its elements that are smaller than its first", "sum(x < w[0] for x in w)"}, {"its largest element", "max(w)"},
	})
	end, most := either(r, "smallest", "largest")
	result, resultID := pick(r, []string{"that value", "the position in `a` at which the first such block begins, counted from 0", "the position in `a` at which the last such block begins, counted from 0"})
	none := r.Between64(-2, -1) * 1000
	numbers := field{name: "a", form: list, len: span{1, 60}, val: span{-99, 99}}
	best := map[bool]string{false: "min", true: "max"}[most]
	return draft{
		task:   fill("A block is `k` consecutive elements of `a`. Its value is $m. Find the $e value of a block.", "$m", m.text, "$e", end),
		want:   fill("$r. If `k` is greater than the length of `a`, the result is $none", "$r", result, "$none", decimal(none)),
		form:   number,
		fields: []field{numbers, {name: "k", form: number, val: span{1, 60}}},
		body: fill("    if k > len(a):\n        return $none\n    blocks = [a[i:i + k] for i in range(len(a) - k + 1)]\n    values = [$m for w in blocks]\n    return $r\n", "$m", m.py, "$none", decimal(none),
			"$r", []string{best + "(values)", "values.index(" + best + "(values))", "len(values) - 1 - values[::-1].index(" + best + "(values))"}[resultID]),
		drawn: []int64{id, bit(most), resultID, none},
		bend: func(r *rng.Rand, in input) {
			n := int64(len(in.list(0)))
			in[1] = r.Between64(1, n)
			if r.Chance(0.1) {
				in[1] = min(60, n+r.Between64(0, 2))
			}
		},
		solve: func(in input) any {
			a, k := in.list(0), int(in.num(1))
			if k > len(a) {
				return none
			}
			var values []int64
			for i := range len(a) - k + 1 {
				values = append(values, blockValue(id, a[i:i+k]))
			}
			best := slices.Min(values)
			if most {
				best = slices.Max(values)
			}
			first := int64(slices.Index(values, best))
			slices.Reverse(values)
			return []int64{best, first, int64(len(values) - 1 - slices.Index(values, best))}[resultID]
		},
	}
}

func blockValue(id int64, w []int64) int64 {
	var below int64
	for _, x := range w {
		below += bit(x < w[0])
	}
	return []int64{total(w), slices.Max(w) - slices.Min(w), int64(len(distinct(w))), w[len(w)-1] - w[0], below, slices.Max(w)}[id]
}
