package patterns

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestListScore(t *testing.T) {
	tasktest.Nears(t, listItem{Answer: "[3, -1, 20]"}.Score, []tasktest.Near{
		{"[3, -1, 20]", 1, ""}, {"[3,-1,20]", 1, "space is free"}, {"3, -1, 20", 1, "without brackets"}, {" [ 3, -1, 020 ].\n", 1, ""},
		{"[3, -1]", 0, "others pay a share"}, {"[3, -1, 20, 20]", 0, ""}, {"[20, -1, 3]", 0, "another order"}, {"[3, 1, 20]", 0, ""}, {"[[3, -1, 20]]", 0, ""}, {"[3, -1, 20", 0, "not closed"},
		{"[3, -1, 20] or [3, -1, 21]", 0, "no choice"}, {"3 -1 20", 0, "commas were asked for"}, {"[]", 0, ""}, {"", 0, "nothing"},
	})
	tasktest.Nears(t, listItem{Answer: "[]"}.Score, []tasktest.Near{{"[]", 1, "an entry of reasoning-gym may be empty"}, {"[ ]", 1, ""}, {"", 0, "nothing"}, {"[0]", 0, ""}})
}

func TestListParams(t *testing.T) {
	const examples = `"examples":[{"input":[1,2],"output":[2,1]}],"input":[3,4],`
	tasktest.RefusedRecords(t, listFunctions.Task(), []string{
		`{}`, `{"answer":"[a]"}`,
		`{` + examples + `"functions":[{"rule":"reverse"}],"answer":"[3, 4]"}`,
		`{` + examples + `"functions":[{"rule":"sort"}],"answer":"[3, 4]"}`,
		`{` + examples + `"functions":[{"rule":"shuffle"}],"answer":"[4, 3]"}`,
		`{` + examples + `"functions":[{"rule":"add","k":77}],"answer":"[4, 3]"}`,
		`{` + examples + `"functions":[{"rule":"reverse"}],"answer":"[4, 3]","phrasing":6}`,
	})
}

// listMeanings define the rules a second time, in other ways, for lists with the elements
// x0, x1, … at the indexes 0, 1, ….
var listMeanings = map[string]func(x []int, k int) []int{}

// element defines a rule that replaces each element.
func element(name string, f func(x []int, i, k int) int) {
	listMeanings[name] = func(x []int, k int) []int {
		out := make([]int, len(x))
		for i := range x {
			out[i] = f(x, i, k)
		}
		return out
	}
}

// where defines a rule that keeps some elements.
func where(name string, f func(x []int, i, k int) bool) {
	listMeanings[name] = func(x []int, k int) (out []int) {
		for i := range x {
			if f(x, i, k) {
				out = append(out, x[i])
			}
		}
		return out
	}
}

// places defines a rule by the indexes of the elements that it returns, in order.
func places(name string, f func(n, k int) []int) {
	listMeanings[name] = func(x []int, k int) (out []int) {
		for _, i := range f(len(x), k) {
			out = append(out, x[i])
		}
		return out
	}
}

// span returns the numbers from a up to, but not including, b.
func span(a, b int) (all []int) {
	for i := a; i < b; i++ {
		all = append(all, i)
	}
	return all
}

// digits returns the decimal digits of a number.
func digits(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "-") }

// inOrder sorts stably.
func inOrder(x []int, less func(a, b int) bool) []int {
	x = slices.Clone(x)
	slices.SortStableFunc(x, func(a, b int) int {
		switch {
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	})
	return x
}

// top and bottom return the largest and the smallest element.
func top(x []int) int    { s := inOrder(x, func(a, b int) bool { return a < b }); return s[len(s)-1] }
func bottom(x []int) int { s := inOrder(x, func(a, b int) bool { return a < b }); return s[0] }

// many counts the elements of x for which f holds.
func many(x []int, f func(int) bool) int {
	return len(slices.DeleteFunc(slices.Clone(x), func(n int) bool { return !f(n) }))
}

// fold adds up a list from its end.
func fold(x []int) int {
	if len(x) == 0 {
		return 0
	}
	return x[0] + fold(x[1:])
}

func odd(n int) bool { return n%2 != 0 }

func defineElements() {
	element("add", func(x []int, i, k int) int { return k + x[i] })
	element("subtract", func(x []int, i, k int) int { return -(k - x[i]) })
	element("multiply", func(x []int, i, k int) int { return fold(slices.Repeat([]int{x[i]}, k)) })
	element("divide", func(x []int, i, k int) int { return (x[i] - x[i]%k) / k })
	element("remainder", func(x []int, i, k int) int { return x[i] - x[i]/k*k })
	element("last_digit", func(x []int, i, _ int) int { return x[i] - x[i]/10*10 })
	element("square", func(x []int, i, _ int) int { return x[i] * x[i] })
	element("negate", func(x []int, i, _ int) int { return 0 - x[i] })
	element("digit_sum", func(x []int, i, _ int) int {
		total := 0
		for _, d := range digits(x[i]) {
			total += int(d - '0')
		}
		return total
	})
	element("reverse_digits", func(x []int, i, _ int) int {
		b := []byte(digits(x[i]))
		slices.Reverse(b)
		n, _ := strconv.Atoi(string(b))
		if x[i] < 0 {
			return -n
		}
		return n
	})
	element("add_place", func(x []int, i, _ int) int { return x[i] + (i + 1) })
	element("subtract_place", func(x []int, i, _ int) int { return x[i] - (i + 1) })
	element("times_place", func(x []int, i, _ int) int { return x[i]*i + x[i] })
	element("evens_to_zero", func(x []int, i, _ int) int { return map[bool]int{true: x[i]}[odd(x[i])] })
	element("odds_to_zero", func(x []int, i, _ int) int { return map[bool]int{false: x[i]}[odd(x[i])] })
	element("above_smallest", func(x []int, i, _ int) int { return x[i] - bottom(x) })
	element("below_largest", func(x []int, i, _ int) int { return top(x) - x[i] })
	element("plus_first", func(x []int, i, _ int) int { return x[0] + x[i] })
	element("plus_last", func(x []int, i, _ int) int { return x[len(x)-1] + x[i] })
	element("largest_so_far", func(x []int, i, _ int) int { return top(x[:i+1]) })
	element("smallest_so_far", func(x []int, i, _ int) int { return bottom(x[:i+1]) })
	element("sum_so_far", func(x []int, i, _ int) int { return fold(x) - fold(x[i+1:]) })
	element("sum_from_here", func(x []int, i, _ int) int { return fold(x) - fold(x[:i]) })
	element("rank", func(x []int, i, _ int) int { return len(x) - many(x, func(n int) bool { return n >= x[i] }) })
	element("occurrences", func(x []int, i, _ int) int { return many(x, func(n int) bool { return n == x[i] }) })
	element("seen_before", func(x []int, i, _ int) int { return many(x[:i], func(n int) bool { return n == x[i] }) })
	element("alternate_signs", func(x []int, i, _ int) int { return map[bool]int{false: x[i], true: -x[i]}[odd(i)] })
	element("add_at_odd_places", func(x []int, i, k int) int { return x[i] + map[bool]int{false: k}[odd(i)] })
	element("largest_to_zero", func(x []int, i, _ int) int { return map[bool]int{true: x[i]}[x[i] < top(x)] })
	element("distance_to_next", func(x []int, i, _ int) int {
		pair := []int{x[i], append(x, x[0])[i+1]}
		return top(pair) - bottom(pair)
	})
	element("plus_opposite", func(x []int, i, _ int) int { y := slices.Clone(x); slices.Reverse(y); return x[i] + y[i] })
	element("at_most", func(x []int, i, k int) int { return bottom([]int{x[i], k}) })
	element("at_least", func(x []int, i, k int) int { return top([]int{x[i], k}) })
	element("halve_or_triple", func(x []int, i, _ int) int { return map[bool]int{true: 3 * x[i], false: x[i] / 2}[odd(x[i])] })
	element("smaller_after", func(x []int, i, _ int) int { return many(x[i+1:], func(n int) bool { return n < x[i] }) })
}

func defineWheres() {
	where("keep_even", func(x []int, i, _ int) bool { return !odd(x[i]) })
	where("keep_odd", func(x []int, i, _ int) bool { return odd(x[i]) && x[i] > 0 || x[i]&1 == 1 })
	where("keep_above", func(x []int, i, k int) bool { return x[i]-k > 0 })
	where("keep_below", func(x []int, i, k int) bool { return x[i]-k < 0 })
	where("keep_multiples", func(x []int, i, k int) bool { return x[i]/k*k == x[i] })
	where("drop_multiples", func(x []int, i, k int) bool { return x[i]/k*k != x[i] })
	where("first_of_each", func(x []int, i, _ int) bool { return !slices.Contains(x[:i], x[i]) })
	where("keep_unique", func(x []int, i, _ int) bool { return !slices.Contains(x[:i], x[i]) && !slices.Contains(x[i+1:], x[i]) })
	where("keep_repeated", func(x []int, i, _ int) bool { return slices.Contains(x[:i], x[i]) || slices.Contains(x[i+1:], x[i]) })
	where("odd_places", func(_ []int, i, _ int) bool { return odd(i + 1) })
	where("even_places", func(_ []int, i, _ int) bool { return odd(i) })
	places("drop_first", func(n, k int) []int { return span(k, n) })
	places("drop_last", func(n, k int) []int { return span(0, n-k) })
	places("take_first", func(n, k int) []int { return span(0, min(n, k)) })
	places("take_last", func(n, k int) []int { return span(max(0, n-k), n) })
	places("without_ends", func(n, _ int) []int { return span(1, n-1) })
	places("ends", func(n, _ int) []int { return slices.Compact([]int{0, n - 1}) })
	where("above_mean", func(x []int, i, _ int) bool { return float64(x[i]) > float64(fold(x))/float64(len(x))+1e-9 })
	where("ascents", func(x []int, i, _ int) bool { return append([]int{1 << 30}, x...)[i] < x[i] })
	where("descents", func(x []int, i, _ int) bool { return append([]int{-1 << 30}, x...)[i] > x[i] })
	where("without_largest", func(x []int, i, _ int) bool { return many(x, func(n int) bool { return n > x[i] }) > 0 })
	where("without_smallest", func(x []int, i, _ int) bool { return many(x, func(n int) bool { return n < x[i] }) > 0 })
	where("peaks", func(x []int, i, _ int) bool {
		return i*(len(x)-1-i) != 0 && many(x[max(0, i-1):min(len(x), i+2)], func(n int) bool { return n < x[i] }) == 2
	})
	where("records", func(x []int, i, _ int) bool { return many(x[:i], func(n int) bool { return n >= x[i] }) == 0 })
	where("parity_of_first", func(x []int, i, _ int) bool { return odd(x[i]) == odd(x[0]) })
	where("above_first", func(x []int, i, _ int) bool { return x[i]-x[0] > 0 })
	where("every_third", func(_ []int, i, _ int) bool {
		return slices.Contains([]int{0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60}, i)
	})
}

func defineOrders() {
	down := func(n int) []int { s := span(0, n); slices.Reverse(s); return s }
	places("reverse", func(n, _ int) []int { return down(n) })
	places("twice", func(n, _ int) []int { return append(span(0, n), span(0, n)...) })
	places("mirrored", func(n, _ int) []int { return append(span(0, n), down(n)...) })
	places("repeat_each", func(n, _ int) []int {
		return inOrder(append(span(0, n), span(0, n)...), func(a, b int) bool { return a < b })
	})
	places("swap_ends", func(n, _ int) []int {
		return slices.Concat(span(n-1, n), span(1, n-1), span(0, 1))[:n]
	})
	places("swap_pairs", func(n, _ int) (out []int) {
		for i := range n {
			out = append(out, min(i^1, n-1))
		}
		return out
	})
	places("rotate_left", func(n, k int) (out []int) {
		for i := range n {
			out = append(out, (i+k)%n)
		}
		return out
	})
	places("rotate_right", func(n, k int) (out []int) {
		for i := range n {
			out = append(out, (i+3*n-k)%n)
		}
		return out
	})
	places("swap_halves", func(n, _ int) []int { return append(span(n-n/2, n), span(0, n-n/2)...) })
	places("interleave_halves", func(n, _ int) (out []int) {
		for i := range n {
			out = append(out, i/2+i%2*(n-n/2))
		}
		return out
	})
	places("reverse_first_half", func(n, _ int) []int { return append(down(n/2), span(n/2, n)...) })
	listMeanings["sort"] = func(x []int, _ int) []int { return inOrder(x, func(a, b int) bool { return a < b }) }
	listMeanings["sort_down"] = func(x []int, _ int) []int { return inOrder(x, func(a, b int) bool { return a > b }) }
	listMeanings["evens_first"] = func(x []int, _ int) []int { return inOrder(x, func(a, b int) bool { return !odd(a) && odd(b) }) }
	listMeanings["odds_first"] = func(x []int, _ int) []int { return inOrder(x, func(a, b int) bool { return odd(a) && !odd(b) }) }
	listMeanings["by_last_digit"] = func(x []int, _ int) []int { return inOrder(x, func(a, b int) bool { return a%10 < b%10 }) }
	listMeanings["by_digit_sum"] = func(x []int, _ int) []int {
		return inOrder(x, func(a, b int) bool {
			return listMeanings["digit_sum"]([]int{a}, 0)[0] < listMeanings["digit_sum"]([]int{b}, 0)[0]
		})
	}
	listMeanings["sort_but_first"] = func(x []int, _ int) []int {
		return append([]int{x[0]}, inOrder(x[1:], func(a, b int) bool { return a < b })...)
	}
	listMeanings["largest_to_end"] = func(x []int, _ int) []int {
		i := slices.Index(x, top(x))
		return slices.Concat(x[:i], x[i+1:], x[i:i+1])
	}
	listMeanings["smallest_to_front"] = func(x []int, _ int) []int {
		i := slices.Index(x, bottom(x))
		return slices.Concat(x[i:i+1], x[:i], x[i+1:])
	}
}

func defineOthers() {
	pairs := func(name string, f func(a, b int) int) {
		listMeanings[name] = func(x []int, _ int) (out []int) {
			for i, b := range x[1:] {
				out = append(out, f(x[i], b))
			}
			return out
		}
	}
	pairs("differences", func(a, b int) int { return b - a })
	pairs("neighbor_sums", func(a, b int) int { return b + a })
	pairs("neighbor_products", func(a, b int) int { return b * a })
	pairs("neighbor_maxima", func(a, b int) int { return top([]int{a, b}) })
	made := func(name string, f func(x []int, k int) []int) { listMeanings[name] = f }
	made("append", func(x []int, k int) []int { return slices.Insert(slices.Clone(x), len(x), k) })
	made("prepend", func(x []int, k int) []int { return slices.Insert(slices.Clone(x), 0, k) })
	made("sum", func(x []int, _ int) []int { return []int{fold(x)} })
	made("length", func(x []int, _ int) []int { return []int{many(x, func(int) bool { return true })} })
	made("largest", func(x []int, _ int) []int { return []int{top(x)} })
	made("smallest", func(x []int, _ int) []int { return []int{bottom(x)} })
	made("extremes", func(x []int, _ int) []int { return []int{bottom(x), top(x)} })
	made("spread", func(x []int, _ int) []int { return []int{top(x) - bottom(x)} })
	made("sum_and_length", func(x []int, _ int) []int { return []int{fold(x), len(x)} })
	made("append_sum", func(x []int, _ int) []int { return slices.Insert(slices.Clone(x), len(x), fold(x)) })
	made("prepend_length", func(x []int, _ int) []int { return slices.Insert(slices.Clone(x), 0, len(x)) })
	after := func(name string, f func(n int) int) {
		made(name, func(x []int, _ int) []int {
			out := make([]int, 2*len(x))
			for i, n := range x {
				out[2*i], out[2*i+1] = n, f(n)
			}
			return out
		})
	}
	after("zero_after_each", func(int) int { return 0 })
	after("successor_after_each", func(n int) int { return 1 + n })
}

// meanings defines all rules.
func meanings() map[string]func(x []int, k int) []int {
	if len(listMeanings) == 0 {
		defineElements()
		defineWheres()
		defineOrders()
		defineOthers()
	}
	return listMeanings
}

var listRE = regexp.MustCompile(`\[[-\d, ]*\]`)

var integerRE = regexp.MustCompile(`-?\d+`)

// numbersOf reads a list.
func numbersOf(text string) (x []int) {
	for _, n := range integerRE.FindAllString(text, -1) {
		v, _ := strconv.Atoi(n)
		x = append(x, v)
	}
	return x
}

// The second solver reads the lists in the prompt, and tries the meanings of all rules,
// alone or in pairs as the problem has them. Whatever fits the examples gives one answer,
// and something fits.
func TestListSecond(t *testing.T) {
	of := meanings()
	seen := map[string]bool{}
	tasktest.Every(t, listFunctions.Task(), tasktest.Count(2000, 300), func(item listItem, prompt, got string) error {
		var lists [][]int
		for _, text := range listRE.FindAllString(prompt, -1) {
			lists = append(lists, numbersOf(text))
		}
		if len(lists) != 2*len(item.Examples)+1 {
			return fmt.Errorf("the prompt has %d lists for %d examples", len(lists), len(item.Examples))
		}
		fits := func(f func([]int) []int) bool {
			for i := 0; i+1 < len(lists); i += 2 {
				if !slices.Equal(f(lists[i]), lists[i+1]) {
					return false
				}
			}
			return true
		}
		asked, want := lists[len(lists)-1], numbersOf(got)
		own := func(x []int) []int {
			x = slices.Clone(x) // some rules write into it
			for _, step := range item.Functions {
				x = of[step.Rule](x, step.K)
				seen[step.Rule] = true
			}
			return x
		}
		if !fits(own) || !slices.Equal(own(asked), want) {
			return fmt.Errorf("%v does not lead to %s, but to %v", item.Functions, got, own(asked))
		}
		for _, rule := range listRules {
			for _, k := range append(slices.Clone(rule.ks), 0)[:max(1, len(rule.ks))] {
				one := func(x []int) []int { return of[rule.name](slices.Clone(x), k) }
				if fits(one) && !slices.Equal(one(asked), want) {
					return fmt.Errorf("%s %d fits too, and gives %v", rule.name, k, one(asked))
				}
			}
		}
		return nil
	})
	if len(listRules) < 60 || tasktest.Heavy && len(seen) < len(listRules) {
		t.Errorf("%d of %d rules come up", len(seen), len(listRules))
	}
}

// fitting finds all rules that fit an example, and no others.
func TestFittingRules(t *testing.T) {
	for _, l := range [][]int{{3}, {5, 5}, {1, 2, 3, 4}, {40, 7, 7, 12, 31}, {9, 8, 1, 0, 8, 2}} {
		for _, made := range boundRules().all {
			want := made.rule.apply(nil, l, made.k)
			var plain []boundRule
			for _, b := range boundRules().all {
				if slices.Equal(b.rule.apply(nil, l, b.k), want) {
					plain = append(plain, b)
				}
			}
			got := slices.Collect(fitting(l, want, nil))
			if len(got) != len(plain) || slices.ContainsFunc(plain, func(b boundRule) bool { return !slices.Contains(got, b) }) {
				t.Errorf("%s %d makes %v of %v: %d rules fit, want %d", made.rule.name, made.k, want, l, len(got), len(plain))
			}
		}
	}
}

func TestListKeys(t *testing.T) {
	tasktest.Variant(t, listFunctions.Task(), "the examples in another order", func(l *listItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, l.Examples)
		return nil
	})
}
