package patterns

import "slices"

// listRivals are more rules that a reader might think of. No problem is made of them, but if
// one fits the examples and gives another answer than ours, the problem is drawn again.
var listRivals = []listRule{
	{name: "double_and_add", ks: oneToNine, becomes: func(l []int, i, k int) int { return 2*l[i] + k }},
	{name: "triple_and_add", ks: oneToNine, becomes: func(l []int, i, k int) int { return 3*l[i] + k }},
	{name: "double_and_subtract", ks: oneToNine, becomes: func(l []int, i, k int) int { return 2*l[i] - k }},
	{name: "subtract_from", ks: append([]int{100}, oneToNine...), becomes: func(l []int, i, k int) int { return k - l[i] }},
	{name: "halve_upwards", becomes: func(l []int, i, _ int) int { return (l[i] + 1) / 2 }},
	{name: "tens_digit", becomes: func(l []int, i, _ int) int { return l[i] / 10 }},
	{name: "round_down", becomes: func(l []int, i, _ int) int { return l[i] / 10 * 10 }},
	{name: "distance", becomes: func(l []int, i, _ int) int { return max(l[i], -l[i]) }},
	{name: "double_evens", becomes: func(l []int, i, _ int) int { return l[i] * (2 - l[i]&1) }},
	{name: "double_odds", becomes: func(l []int, i, _ int) int { return l[i] * (1 + l[i]&1) }},
	{name: "plus_length", becomes: func(l []int, i, _ int) int { return l[i] + len(l) }},
	{name: "times_length", becomes: func(l []int, i, _ int) int { return l[i] * len(l) }},
	{name: "times_first", becomes: func(l []int, i, _ int) int { return l[i] * l[0] }},
	{name: "less_first", becomes: func(l []int, i, _ int) int { return l[i] - l[0] }},
	{name: "less_last", becomes: func(l []int, i, _ int) int { return l[i] - l[len(l)-1] }},
	{name: "plus_largest", becomes: func(l []int, i, _ int) int { return l[i] + slices.Max(l) }},
	{name: "plus_smallest", becomes: func(l []int, i, _ int) int { return l[i] + slices.Min(l) }},
	{name: "add_index", becomes: func(l []int, i, _ int) int { return l[i] + i }},
	{name: "subtract_index", becomes: func(l []int, i, _ int) int { return l[i] - i }},
	{name: "times_index", becomes: func(l []int, i, _ int) int { return l[i] * i }},
	{name: "plus_next", becomes: func(l []int, i, _ int) int { return l[i] + l[(i+1)%len(l)] }},
	{name: "larger_after", becomes: func(l []int, i, _ int) int { return countIf(l[i:], func(x int) bool { return x > l[i] }) }},
	{name: "larger_elsewhere", becomes: func(l []int, i, _ int) int { return countIf(l, func(x int) bool { return x > l[i] }) }},
	{name: "smallest_to_zero", becomes: func(l []int, i, _ int) int { return l[i] * (1 - same(l[i], slices.Min(l))) }},
	{name: "all_first", becomes: func(l []int, _, _ int) int { return l[0] }},
	{name: "all_largest", becomes: func(l []int, _, _ int) int { return slices.Max(l) }},
	{name: "all_smallest", becomes: func(l []int, _, _ int) int { return slices.Min(l) }},

	{name: "keep_digits", stays: func(l []int, i, _ int) bool { return l[i] < 10 }},
	{name: "keep_primes", stays: func(l []int, i, _ int) bool { return isPrime(l[i]) }},
	{name: "last_of_each", stays: func(l []int, i, _ int) bool { return !slices.Contains(l[i+1:], l[i]) }},
	{name: "no_doubles", stays: func(l []int, i, _ int) bool { return i == 0 || l[i] != l[i-1] }},
	{name: "without", ks: append([]int{10}, oneToNine...), stays: func(l []int, i, k int) bool { return l[i] != k }},
	{name: "without_place", ks: oneToNine, stays: func(_ []int, i, k int) bool { return i != k-1 }},
	{name: "without_place_from_end", ks: oneToNine, stays: func(l []int, i, k int) bool { return i != len(l)-k }},
	{name: "only_place", ks: oneToNine, stays: func(_ []int, i, k int) bool { return i == k-1 }},
	{name: "only_place_from_end", ks: oneToNine, stays: func(l []int, i, k int) bool { return i == len(l)-k }},
	{name: "first_half", stays: func(l []int, i, _ int) bool { return i < len(l)/2 }},
	{name: "first_half_and_middle", stays: func(l []int, i, _ int) bool { return i < (len(l)+1)/2 }},
	{name: "second_half", stays: func(l []int, i, _ int) bool { return i >= (len(l)+1)/2 }},
	{name: "middle_and_second_half", stays: func(l []int, i, _ int) bool { return i >= len(l)/2 }},
	{name: "middle", stays: func(l []int, i, _ int) bool { return i == len(l)/2 || i == (len(l)-1)/2 }},
	{name: "same_from_end", stays: func(l []int, i, _ int) bool { return (len(l)-1-i)&1 == 0 }},
	{name: "other_from_end", stays: func(l []int, i, _ int) bool { return (len(l)-1-i)&1 == 1 }},
	{name: "below_mean", stays: func(l []int, i, _ int) bool { return l[i]*len(l) < sum(l) }},
	{name: "below_first", stays: func(l []int, i, _ int) bool { return l[i] < l[0] }},
	{name: "not_below_first", stays: func(l []int, i, _ int) bool { return l[i] >= l[0] }},
	{name: "above_last", stays: func(l []int, i, _ int) bool { return l[i] > l[len(l)-1] }},
	{name: "below_last", stays: func(l []int, i, _ int) bool { return l[i] < l[len(l)-1] }},
	{name: "only_extremes", stays: func(l []int, i, _ int) bool { return l[i] == slices.Min(l) || l[i] == slices.Max(l) }},
	{name: "without_extremes", stays: func(l []int, i, _ int) bool { return l[i] != slices.Min(l) && l[i] != slices.Max(l) }},
	{name: "without_first_largest", stays: func(l []int, i, _ int) bool { return i != slices.Index(l, slices.Max(l)) }},
	{name: "without_first_smallest", stays: func(l []int, i, _ int) bool { return i != slices.Index(l, slices.Min(l)) }},
	{name: "before_smaller", stays: func(l []int, i, _ int) bool { return i+1 < len(l) && l[i] > l[i+1] }},
	{name: "before_larger", stays: func(l []int, i, _ int) bool { return i+1 < len(l) && l[i] < l[i+1] }},
	{name: "not_below_before", stays: func(l []int, i, _ int) bool { return i == 0 || l[i] >= l[i-1] }},

	{name: "largest_to_front", moves: func(out, l []int, _ int) []int { return moved(out, l, slices.Index(l, slices.Max(l)), false) }},
	{name: "smallest_to_end", moves: func(out, l []int, _ int) []int { return moved(out, l, slices.Index(l, slices.Min(l)), true) }},
	{name: "reverse_but_first", moves: func(out, l []int, _ int) []int { return reversed(append(out, l[0]), l[1:]) }},
	{name: "reverse_but_last", moves: func(out, l []int, _ int) []int { return append(reversed(out, l[:len(l)-1]), l[len(l)-1]) }},
	{name: "reverse_but_ends", moves: func(out, l []int, _ int) []int {
		if len(l) < 3 {
			return append(out, l...)
		}
		return append(reversed(append(out, l[0]), l[1:len(l)-1]), l[len(l)-1])
	}},

	{name: "product", makes: func(out, l []int, _ int) []int { return append(out, product(l)) }},
	{name: "median", makes: func(out, l []int, _ int) []int { return append(out, slices.Sorted(slices.Values(l))[len(l)/2]) }},
	{name: "mean", makes: func(out, l []int, _ int) []int { return append(out, sum(l)/len(l)) }},
	{name: "second_largest", makes: func(out, l []int, _ int) []int {
		return append(out, slices.Sorted(slices.Values(l))[max(0, len(l)-2)])
	}},
	{name: "number_of_values", makes: func(out, l []int, _ int) []int {
		return append(out, len(slices.Compact(slices.Sorted(slices.Values(l)))))
	}},
	{name: "number_of_evens", makes: func(out, l []int, _ int) []int {
		return append(out, countIf(l, func(x int) bool { return x&1 == 0 }))
	}},
	{name: "ends_added", makes: func(out, l []int, _ int) []int { return append(out, l[0]+l[len(l)-1]) }},
	{name: "extremes_added", makes: func(out, l []int, _ int) []int { return append(out, slices.Min(l)+slices.Max(l)) }},
	{name: "largest_and_smallest", makes: func(out, l []int, _ int) []int { return append(out, slices.Max(l), slices.Min(l)) }},
	{name: "append_first", makes: func(out, l []int, _ int) []int { return append(append(out, l...), l[0]) }},
	{name: "append_last", makes: func(out, l []int, _ int) []int { return append(append(out, l...), l[len(l)-1]) }},
	{name: "append_length", makes: func(out, l []int, _ int) []int { return append(append(out, l...), len(l)) }},
	{name: "append_largest", makes: func(out, l []int, _ int) []int { return append(append(out, l...), slices.Max(l)) }},
	{name: "prepend_sum", makes: func(out, l []int, _ int) []int { return append(append(out, sum(l)), l...) }},
	{name: "distances", makes: func(out, l []int, _ int) []int {
		return neighbors(out, l, func(a, b int) int { return max(a-b, b-a) })
	}},
	{name: "differences_down", makes: func(out, l []int, _ int) []int { return neighbors(out, l, func(a, b int) int { return a - b }) }},
	{name: "neighbor_minima", makes: func(out, l []int, _ int) []int { return neighbors(out, l, func(a, b int) int { return min(a, b) }) }},
}

func product(l []int) int {
	n := 1
	for _, x := range l {
		n *= x
	}
	return n
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return n >= 2
}

// mostOtherK limits the numbers that a reader might put into a rule.
const mostOtherK = 100

// elastic reports whether one of the function's rules fits the examples with another number
// too, such as a limit of 17 for one of 20, but gives another result.
func (m *listMaker) elastic(item *listItem, f listFunction, result []int) bool {
	for i := range f {
		if f[i].rule.ks == nil {
			continue
		}
		own := f[i].k
		for k := 1; k <= mostOtherK; k++ {
			f[i].k = k
			if k != own && m.fits(item, 0, f) && m.differs(item, f, result) {
				f[i].k = own
				return true
			}
		}
		f[i].k = own
	}
	return false
}
