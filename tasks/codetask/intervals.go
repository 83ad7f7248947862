package codetask

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// intervalField describes intervals of integers.
func intervalField(n, high int64) field {
	return field{name: "spans", form: rows, len: span{0, n}, wide: span{2, 2}, val: span{-high, high}, what: "two integers, a start and a greater end, from " + between(span{-high, high})}
}

// drawIntervals draws intervals of which many meet.
func drawIntervals(r *rng.Rand, f field, s size) [][]int64 {
	high := f.val[1]
	width := min(2*high, max(12, rng.Pick(r, []int64{3, 8, 30})*s.len))
	if s.span < 0 {
		width = 2 * high
	}
	low := r.Between64(-high, high-width)
	list := make([][]int64, f.len.of(s.len))
	for i := range list {
		start := r.Between64(low, low+width-1)
		longest := max(2, width/rng.Pick(r, []int64{2, 4, width / 8, width / 7}))
		list[i] = []int64{start, min(high, r.Between64(start+1, start+longest))}
		if i > 0 && r.Chance(0.3) {
			list[i] = touching(r, list[i-1], list[i], high)
		}
	}
	return list
}

// touching returns an interval that begins near an end of another, or is the same.
func touching(r *rng.Rand, other, own []int64, high int64) []int64 {
	start := other[1] + r.Between64(-1, 2)
	if start < high {
		own = []int64{start, min(high, start+r.Between64(1, 6))}
	}
	if r.Chance(0.2) {
		own = slices.Clone(other)
	}
	return own
}

// mergeIntervals merges intervals that meet.
func mergeIntervals(r *rng.Rand) draft {
	meet, id := pick(r, []struct{ text, py string }{
		{"if they have at least one integer in common", "start <= merged[-1][1]"}, {"if they have more than one integer in common", "start < merged[-1][1]"},
		{"if they have an integer in common, or if at most one integer lies between them", "start <= merged[-1][1] + 2"}, {"if they have an integer in common, or the end of one and the start of the other are neighbors, such as 4 and 5", "start <= merged[-1][1] + 1"},
	})
	least := rng.Pick(r, []int64{0, 0, 3, 5})
	result, resultID := pick(r, []struct{ text, py string }{
		{"the remaining intervals, each as start and end, by ascending start", "merged"}, {"the number of integers in the remaining intervals; one in two intervals counts twice", "sum(end - start + 1 for start, end in merged)"},
		{"the number of remaining intervals", "len(merged)"}, {"the greatest distance from the end of a remaining interval to the start of the next one by start, or 0 if there are fewer than two", "max((b[0] - a[1] for a, b in zip(merged, merged[1:])), default=0)"},
		{"a single row with the start and the end of the longest remaining interval (of several, the one with the smallest start), or no row if none remains", "[max(merged, key=lambda one: one[1] - one[0])] if merged else []"},
	})
	d := draft{
		task:   fill("Each interval in `spans` holds the integers from its start to its end, both included. Two intervals are merged $m; the result reaches from the smaller start to the larger end and may be merged again. Merge until no two can be merged.", "$m", meet.text),
		want:   result.text,
		form:   []form{rows, number, number, number, rows}[resultID],
		fields: []field{intervalField(60, 1000)},
		body: fill(`
    merged = []
    for start, end in sorted(spans):
        if merged and $m:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
$least    return $r
`, "$m", meet.py, "$r", result.py, "$least", map[bool]string{true: fill("    merged = [one for one in merged if one[1] - one[0] >= $l]\n", "$l", decimal(least))}[least > 0]),
		drawn: []int64{id, least, resultID},
		solve: func(in input) any {
			merged := mergedIntervals(in.rows(0), []int64{0, -1, 2, 1}[id], least)
			var held, gap int64
			best := [][]int64{}
			for i, one := range merged {
				held += one[1] - one[0] + 1
				if i > 0 {
					gap = max(gap, one[0]-merged[i-1][1])
				}
				if i == 0 || one[1]-one[0] > best[0][1]-best[0][0] {
					best = [][]int64{one}
				}
			}
			return []any{merged, held, int64(len(merged)), gap, best}[resultID]
		},
	}
	if least > 0 {
		d.task += fill(" Then leave out the intervals with fewer than $l integers.", "$l", decimal(least+1))
	}
	d.make = func(r *rng.Rand, s size) input {
		spans := drawIntervals(r, d.fields[0], s)
		for i, one := range spans {
			if near := least > 0 && r.Chance(0.5); near {
				spans[i] = []int64{one[0], min(1000, one[0]+least-r.Between64(0, 1))}
			}
		}
		return input{spans}
	}
	return d
}

func mergedIntervals(spans [][]int64, reach, least int64) [][]int64 {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b []int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	merged := [][]int64{}
	for _, one := range spans {
		if last := len(merged) - 1; last >= 0 && one[0] <= merged[last][1]+reach {
			merged[last] = []int64{merged[last][0], max(merged[last][1], one[1])}
			continue
		}
		merged = append(merged, one)
	}
	return slices.DeleteFunc(merged, func(one []int64) bool { return one[1]-one[0] < least })
}
