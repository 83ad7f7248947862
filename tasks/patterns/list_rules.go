package patterns

import (
	"iter"
	"slices"
	"sync"
)

// A listRule is a kind of function from lists to lists, with a parameter from ks. There are
// four kinds: replace each element, keep some elements, move them all, or make a list.
type listRule struct {
	name string
	tier int   // 1 to 3, simplest first
	ks   []int // nil: no parameter

	becomes func(l []int, i, k int) int
	stays   func(l []int, i, k int) bool
	moves   func(out, l []int, k int) []int
	makes   func(out, l []int, k int) []int // the length of the result depends only on that of the list
}

// apply appends the result for a list to out.
func (r *listRule) apply(out, l []int, k int) []int {
	switch {
	case r.becomes != nil:
		for i := range l {
			out = append(out, r.becomes(l, i, k))
		}
	case r.stays != nil:
		for i, x := range l {
			if r.stays(l, i, k) {
				out = append(out, x)
			}
		}
	case r.moves != nil:
		return r.moves(out, l, k)
	default:
		return r.makes(out, l, k)
	}
	return out
}

// leaves reports whether a rule that keeps some elements turns l into want.
func (r *listRule) leaves(want, l []int, k int) bool {
	for i, x := range l {
		if r.stays(l, i, k) {
			if len(want) == 0 || want[0] != x {
				return false
			}
			want = want[1:]
		}
	}
	return len(want) == 0
}

// A boundRule is a rule with its parameter.
type boundRule struct {
	rule *listRule
	k    int
}

// A ruleBook holds all rules and rivals with all their parameters, together and by kind.
type ruleBook struct {
	all, becomes, stays, moves []boundRule
	makes                      map[[2]int][]boundRule // by the lengths of list and result
}

// boundRules returns the book.
var boundRules = sync.OnceValue(func() *ruleBook {
	book := &ruleBook{makes: map[[2]int][]boundRule{}}
	var list [2 * mostListLength]int // no rule makes a longer list from a problem's list
	for i := range len(listRules) + len(listRivals) {
		var rule *listRule
		if i < len(listRules) {
			rule = &listRules[i]
		} else {
			rule = &listRivals[i-len(listRules)]
		}
		for _, k := range append(slices.Clone(rule.ks), 0)[:max(1, len(rule.ks))] {
			bound := boundRule{rule, k}
			book.all = append(book.all, bound)
			switch {
			case rule.becomes != nil:
				book.becomes = append(book.becomes, bound)
			case rule.stays != nil:
				book.stays = append(book.stays, bound)
			case rule.moves != nil:
				book.moves = append(book.moves, bound)
			default:
				for n := 1; n <= len(list); n++ {
					lengths := [2]int{n, len(rule.makes(nil, list[:n], k))}
					book.makes[lengths] = append(book.makes[lengths], bound)
				}
			}
		}
	}
	return book
})

// fitting yields the rules that turn l, which must not be empty, into want. room is a
// buffer for results.
func fitting(l, want, room []int) iter.Seq[boundRule] {
	return func(yield func(boundRule) bool) {
		book, next := boundRules(), true
		if len(l) == len(want) {
			for i := 0; i < len(book.becomes) && next; i++ {
				b, at := &book.becomes[i], 0
				for at < len(l) && b.rule.becomes(l, at, b.k) == want[at] {
					at++
				}
				next = at < len(l) || yield(*b)
			}
		}
		if within(want, l) {
			for i := 0; i < len(book.stays) && next; i++ {
				b := &book.stays[i]
				next = !b.rule.leaves(want, l, b.k) || yield(*b)
			}
		}
		made := func(of []boundRule) {
			for i := 0; i < len(of) && next; i++ {
				next = !slices.Equal(of[i].rule.apply(room[:0], l, of[i].k), want) || yield(of[i])
			}
		}
		if len(l) == len(want) && sum(l) == sum(want) {
			made(book.moves)
		}
		made(book.makes[[2]int{len(l), len(want)}])
	}
}

// within reports whether part is l without some of its elements.
func within(part, l []int) bool {
	for _, x := range l {
		if len(part) > 0 && part[0] == x {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// The parameters of rules.
var (
	oneToNine       = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	oneToThreeRules = []int{1, 2, 3}
	twoToFour       = []int{2, 3, 4}
	twoToFive       = []int{2, 3, 4, 5}
	threeToEight    = []int{3, 4, 5, 6, 7, 8}
	threeToSix      = []int{3, 4, 5, 6}
	tens            = []int{10, 20, 30, 40, 50, 60, 70, 80}
)

// listRules are all rules. DO NOT CHANGE THE ORDER: it decides which problems a seed gives.
var listRules = []listRule{
	{name: "add", tier: 1, ks: oneToNine, becomes: func(l []int, i, k int) int { return l[i] + k }},
	{name: "subtract", tier: 1, ks: oneToNine, becomes: func(l []int, i, k int) int { return l[i] - k }},
	{name: "multiply", tier: 1, ks: twoToFive, becomes: func(l []int, i, k int) int { return l[i] * k }},
	{name: "divide", tier: 2, ks: twoToFive, becomes: func(l []int, i, k int) int { return l[i] / k }},
	{name: "remainder", tier: 2, ks: threeToEight, becomes: func(l []int, i, k int) int { return l[i] % k }},
	{name: "last_digit", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] % 10 }},
	{name: "square", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] * l[i] }},
	{name: "negate", tier: 1, becomes: func(l []int, i, _ int) int { return -l[i] }},
	{name: "digit_sum", tier: 2, becomes: func(l []int, i, _ int) int { return digitSum(l[i]) }},
	{name: "reverse_digits", tier: 2, becomes: func(l []int, i, _ int) int { return reverseDigits(l[i]) }},
	{name: "add_place", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] + i + 1 }},
	{name: "subtract_place", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] - i - 1 }},
	{name: "times_place", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] * (i + 1) }},
	{name: "evens_to_zero", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] * (l[i] & 1) }},
	{name: "odds_to_zero", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] * (1 - l[i]&1) }},
	{name: "above_smallest", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] - slices.Min(l) }},
	{name: "below_largest", tier: 2, becomes: func(l []int, i, _ int) int { return slices.Max(l) - l[i] }},
	{name: "plus_first", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] + l[0] }},
	{name: "plus_last", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] + l[len(l)-1] }},
	{name: "largest_so_far", tier: 2, becomes: func(l []int, i, _ int) int { return slices.Max(l[:i+1]) }},
	{name: "smallest_so_far", tier: 2, becomes: func(l []int, i, _ int) int { return slices.Min(l[:i+1]) }},
	{name: "sum_so_far", tier: 2, becomes: func(l []int, i, _ int) int { return sum(l[:i+1]) }},
	{name: "sum_from_here", tier: 3, becomes: func(l []int, i, _ int) int { return sum(l[i:]) }},
	{name: "rank", tier: 3, becomes: func(l []int, i, _ int) int { return countIf(l, func(x int) bool { return x < l[i] }) }},
	{name: "occurrences", tier: 3, becomes: func(l []int, i, _ int) int { return countIf(l, func(x int) bool { return x == l[i] }) }},
	{name: "seen_before", tier: 3, becomes: func(l []int, i, _ int) int { return countIf(l[:i], func(x int) bool { return x == l[i] }) }},
	{name: "alternate_signs", tier: 2, becomes: func(l []int, i, _ int) int { return l[i] * (1 - 2*(i&1)) }},
	{name: "add_at_odd_places", tier: 3, ks: oneToNine, becomes: func(l []int, i, k int) int { return l[i] + k*(1-i&1) }},
	{name: "largest_to_zero", tier: 3, becomes: func(l []int, i, _ int) int { return l[i] * (1 - same(l[i], slices.Max(l))) }},
	{name: "distance_to_next", tier: 3, becomes: func(l []int, i, _ int) int { return max(l[i]-l[(i+1)%len(l)], l[(i+1)%len(l)]-l[i]) }},
	{name: "plus_opposite", tier: 3, becomes: func(l []int, i, _ int) int { return l[i] + l[len(l)-1-i] }},
	{name: "at_most", tier: 2, ks: tens, becomes: func(l []int, i, k int) int { return min(l[i], k) }},
	{name: "at_least", tier: 2, ks: tens, becomes: func(l []int, i, k int) int { return max(l[i], k) }},
	{name: "halve_or_triple", tier: 3, becomes: func(l []int, i, _ int) int { return halveOrTriple(l[i]) }},
	{name: "smaller_after", tier: 3, becomes: func(l []int, i, _ int) int { return countIf(l[i:], func(x int) bool { return x < l[i] }) }},

	{name: "keep_even", tier: 1, stays: func(l []int, i, _ int) bool { return l[i]&1 == 0 }},
	{name: "keep_odd", tier: 1, stays: func(l []int, i, _ int) bool { return l[i]&1 == 1 }},
	{name: "keep_above", tier: 2, ks: tens, stays: func(l []int, i, k int) bool { return l[i] > k }},
	{name: "keep_below", tier: 2, ks: tens, stays: func(l []int, i, k int) bool { return l[i] < k }},
	{name: "keep_multiples", tier: 2, ks: threeToSix, stays: func(l []int, i, k int) bool { return l[i]%k == 0 }},
	{name: "drop_multiples", tier: 2, ks: threeToSix, stays: func(l []int, i, k int) bool { return l[i]%k != 0 }},
	{name: "first_of_each", tier: 2, stays: func(l []int, i, _ int) bool { return slices.Index(l, l[i]) == i }},
	{name: "keep_unique", tier: 3, stays: func(l []int, i, _ int) bool { return countIf(l, func(x int) bool { return x == l[i] }) == 1 }},
	{name: "keep_repeated", tier: 3, stays: func(l []int, i, _ int) bool { return countIf(l, func(x int) bool { return x == l[i] }) > 1 }},
	{name: "odd_places", tier: 2, stays: func(_ []int, i, _ int) bool { return i&1 == 0 }},
	{name: "even_places", tier: 2, stays: func(_ []int, i, _ int) bool { return i&1 == 1 }},
	{name: "drop_first", tier: 1, ks: oneToThreeRules, stays: func(_ []int, i, k int) bool { return i >= k }},
	{name: "drop_last", tier: 1, ks: oneToThreeRules, stays: func(l []int, i, k int) bool { return i < len(l)-k }},
	{name: "take_first", tier: 1, ks: twoToFour, stays: func(_ []int, i, k int) bool { return i < k }},
	{name: "take_last", tier: 1, ks: twoToFour, stays: func(l []int, i, k int) bool { return i >= len(l)-k }},
	{name: "without_ends", tier: 1, stays: func(l []int, i, _ int) bool { return i > 0 && i < len(l)-1 }},
	{name: "ends", tier: 1, stays: func(l []int, i, _ int) bool { return i == 0 || i == len(l)-1 }},
	{name: "above_mean", tier: 3, stays: func(l []int, i, _ int) bool { return l[i]*len(l) > sum(l) }},
	{name: "ascents", tier: 3, stays: func(l []int, i, _ int) bool { return i > 0 && l[i] > l[i-1] }},
	{name: "descents", tier: 3, stays: func(l []int, i, _ int) bool { return i > 0 && l[i] < l[i-1] }},
	{name: "without_largest", tier: 2, stays: func(l []int, i, _ int) bool { return l[i] != slices.Max(l) }},
	{name: "without_smallest", tier: 2, stays: func(l []int, i, _ int) bool { return l[i] != slices.Min(l) }},
	{name: "peaks", tier: 3, stays: func(l []int, i, _ int) bool { return i > 0 && i < len(l)-1 && l[i] > l[i-1] && l[i] > l[i+1] }},
	{name: "records", tier: 3, stays: func(l []int, i, _ int) bool { return i == 0 || l[i] > slices.Max(l[:i]) }},
	{name: "parity_of_first", tier: 3, stays: func(l []int, i, _ int) bool { return (l[i]-l[0])&1 == 0 }},
	{name: "above_first", tier: 3, stays: func(l []int, i, _ int) bool { return l[i] > l[0] }},
	{name: "every_third", tier: 3, stays: func(_ []int, i, _ int) bool { return i%3 == 0 }},

	{name: "reverse", tier: 1, moves: func(out, l []int, _ int) []int { return reversed(out, l) }},
	{name: "sort", tier: 1, moves: func(out, l []int, _ int) []int { return sorted(out, l, func(x int) int { return x }) }},
	{name: "sort_down", tier: 1, moves: func(out, l []int, _ int) []int { return sorted(out, l, func(x int) int { return -x }) }},
	{name: "twice", tier: 1, makes: func(out, l []int, _ int) []int { return append(append(out, l...), l...) }},
	{name: "mirrored", tier: 2, makes: func(out, l []int, _ int) []int { return reversed(append(out, l...), l) }},
	{name: "repeat_each", tier: 2, makes: func(out, l []int, _ int) []int { return between(out, l, func(x int) int { return x }) }},
	{name: "append", tier: 1, ks: oneToNine, makes: func(out, l []int, k int) []int { return append(append(out, l...), k) }},
	{name: "prepend", tier: 1, ks: oneToNine, makes: func(out, l []int, k int) []int { return append(append(out, k), l...) }},
	{name: "swap_ends", tier: 1, moves: func(out, l []int, _ int) []int { return swapEnds(out, l) }},
	{name: "swap_pairs", tier: 2, moves: func(out, l []int, _ int) []int { return swapPairs(out, l) }},
	{name: "rotate_left", tier: 2, ks: oneToThreeRules, moves: func(out, l []int, k int) []int { return append(append(out, l[k%len(l):]...), l[:k%len(l)]...) }},
	{name: "rotate_right", tier: 2, ks: oneToThreeRules, moves: func(out, l []int, k int) []int {
		return append(append(out, l[len(l)-k%len(l):]...), l[:len(l)-k%len(l)]...)
	}},
	{name: "swap_halves", tier: 2, moves: func(out, l []int, _ int) []int { return append(append(out, l[(len(l)+1)/2:]...), l[:(len(l)+1)/2]...) }},
	{name: "interleave_halves", tier: 3, moves: func(out, l []int, _ int) []int { return interleave(out, l) }},
	{name: "differences", tier: 2, makes: func(out, l []int, _ int) []int { return neighbors(out, l, func(a, b int) int { return b - a }) }},
	{name: "neighbor_sums", tier: 2, makes: func(out, l []int, _ int) []int { return neighbors(out, l, func(a, b int) int { return a + b }) }},
	{name: "neighbor_products", tier: 3, makes: func(out, l []int, _ int) []int { return neighbors(out, l, func(a, b int) int { return a * b }) }},
	{name: "neighbor_maxima", tier: 3, makes: func(out, l []int, _ int) []int { return neighbors(out, l, func(a, b int) int { return max(a, b) }) }},
	{name: "sum", tier: 1, makes: func(out, l []int, _ int) []int { return append(out, sum(l)) }},
	{name: "length", tier: 1, makes: func(out, l []int, _ int) []int { return append(out, len(l)) }},
	{name: "largest", tier: 1, makes: func(out, l []int, _ int) []int { return append(out, slices.Max(l)) }},
	{name: "smallest", tier: 1, makes: func(out, l []int, _ int) []int { return append(out, slices.Min(l)) }},
	{name: "extremes", tier: 2, makes: func(out, l []int, _ int) []int { return append(out, slices.Min(l), slices.Max(l)) }},
	{name: "spread", tier: 2, makes: func(out, l []int, _ int) []int { return append(out, slices.Max(l)-slices.Min(l)) }},
	{name: "sum_and_length", tier: 2, makes: func(out, l []int, _ int) []int { return append(out, sum(l), len(l)) }},
	{name: "append_sum", tier: 2, makes: func(out, l []int, _ int) []int { return append(append(out, l...), sum(l)) }},
	{name: "prepend_length", tier: 2, makes: func(out, l []int, _ int) []int { return append(append(out, len(l)), l...) }},
	{name: "evens_first", tier: 2, moves: func(out, l []int, _ int) []int { return sorted(out, l, func(x int) int { return x & 1 }) }},
	{name: "odds_first", tier: 2, moves: func(out, l []int, _ int) []int { return sorted(out, l, func(x int) int { return 1 - x&1 }) }},
	{name: "by_last_digit", tier: 3, moves: func(out, l []int, _ int) []int { return sorted(out, l, func(x int) int { return x % 10 }) }},
	{name: "by_digit_sum", tier: 3, moves: func(out, l []int, _ int) []int { return sorted(out, l, digitSum) }},
	{name: "zero_after_each", tier: 2, makes: func(out, l []int, _ int) []int { return between(out, l, func(int) int { return 0 }) }},
	{name: "successor_after_each", tier: 3, makes: func(out, l []int, _ int) []int { return between(out, l, func(x int) int { return x + 1 }) }},
	{name: "largest_to_end", tier: 3, moves: func(out, l []int, _ int) []int { return moved(out, l, slices.Index(l, slices.Max(l)), true) }},
	{name: "smallest_to_front", tier: 3, moves: func(out, l []int, _ int) []int { return moved(out, l, slices.Index(l, slices.Min(l)), false) }},
	{name: "reverse_first_half", tier: 3, moves: func(out, l []int, _ int) []int { return append(reversed(out, l[:len(l)/2]), l[len(l)/2:]...) }},
	{name: "sort_but_first", tier: 3, moves: func(out, l []int, _ int) []int {
		return sorted(append(out, l[0]), l[1:], func(x int) int { return x })
	}},
}

func sum(l []int) (n int) {
	for _, x := range l {
		n += x
	}
	return n
}

func countIf(l []int, is func(int) bool) (n int) {
	for _, x := range l {
		if is(x) {
			n++
		}
	}
	return n
}

// same returns 1 for equal numbers, else 0.
func same(a, b int) int {
	if a == b {
		return 1
	}
	return 0
}

func digitSum(x int) (n int) {
	for x = max(x, -x); x > 0; x /= 10 {
		n += x % 10
	}
	return n
}

func reverseDigits(x int) (n int) {
	for ; x != 0; x /= 10 {
		n = n*10 + x%10
	}
	return n
}

func halveOrTriple(x int) int {
	if x&1 == 0 {
		return x / 2
	}
	return 3 * x
}

func reversed(out, l []int) []int {
	for i := len(l) - 1; i >= 0; i-- {
		out = append(out, l[i])
	}
	return out
}

// sorted appends the elements in the order of key; equal keys keep their order.
func sorted(out, l []int, key func(int) int) []int {
	start := len(out)
	for _, x := range l {
		at := len(out)
		out = append(out, x)
		for ; at > start && key(out[at-1]) > key(x); at-- {
			out[at] = out[at-1]
		}
		out[at] = x
	}
	return out
}

// between appends each element, followed by another.
func between(out, l []int, after func(int) int) []int {
	for _, x := range l {
		out = append(out, x, after(x))
	}
	return out
}

func swapEnds(out, l []int) []int {
	start := len(out)
	out = append(out, l...)
	out[start], out[len(out)-1] = out[len(out)-1], out[start]
	return out
}

func swapPairs(out, l []int) []int {
	start := len(out)
	out = append(out, l...)
	for i := start; i+1 < len(out); i += 2 {
		out[i], out[i+1] = out[i+1], out[i]
	}
	return out
}

// interleave alternates elements of the first and the second half.
func interleave(out, l []int) []int {
	half := (len(l) + 1) / 2
	for i := range half {
		if out = append(out, l[i]); half+i < len(l) {
			out = append(out, l[half+i])
		}
	}
	return out
}

// neighbors appends a number for each pair of neighbors.
func neighbors(out, l []int, of func(a, b int) int) []int {
	for i := 1; i < len(l); i++ {
		out = append(out, of(l[i-1], l[i]))
	}
	return out
}

// moved appends the list with the element at index at moved to the end or the front.
func moved(out, l []int, at int, end bool) []int {
	if !end {
		out = append(out, l[at])
	}
	out = append(append(out, l[:at]...), l[at+1:]...)
	if end {
		out = append(out, l[at])
	}
	return out
}
