package patterns

import (
	"fmt"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// natural rules are those that a reader may think of besides ours, in their own words.
func naturals() map[string]func([]int) []int {
	all := map[string]func([]int) []int{
		"without the last place but one": func(x []int) []int {
			return slices.Concat(x[:max(0, len(x)-2)], x[max(0, len(x)-1):])
		},
		"the first half": func(x []int) []int { return x[:len(x)/2] },
		"the last half":  func(x []int) []int { return x[len(x)/2:] },
		"every second one from the end": func(x []int) (out []int) {
			for i := len(x) - 1; i >= 0; i -= 2 {
				out = append([]int{x[i]}, out...)
			}
			return out
		},
		"without neighbors that are equal": func(x []int) []int { return slices.Compact(slices.Clone(x)) },
		"the middle one":                   func(x []int) []int { return []int{x[len(x)/2]} },
		"first and last added":             func(x []int) []int { return []int{x[0] + x[len(x)-1]} },
	}
	for n := range 101 {
		above := func(x []int) []int { return slices.DeleteFunc(slices.Clone(x), func(v int) bool { return v <= n }) }
		all[fmt.Sprint("above ", n)] = above
		all[fmt.Sprint("up to ", n)] = func(x []int) []int { return slices.DeleteFunc(slices.Clone(x), func(v int) bool { return v > n }) }
		all[fmt.Sprint("raised to ", n)] = func(x []int) (out []int) {
			for _, v := range x {
				out = append(out, max(v, n))
			}
			return out
		}
	}
	for n := range 9 {
		all[fmt.Sprint("the number at ", n)] = func(x []int) []int { return x[min(n, len(x)-1):min(n+1, len(x))] }
		all[fmt.Sprint("all but the number at ", n)] = func(x []int) []int { return slices.Concat(x[:min(n, len(x))], x[min(n+1, len(x)):]) }
		all[fmt.Sprint("the last ", n)] = func(x []int) []int { return x[max(0, len(x)-n):] }
		for factor := range 4 {
			all[fmt.Sprint(factor, " times, plus ", n)] = func(x []int) (out []int) {
				for _, v := range x {
					out = append(out, factor*v+n)
				}
				return out
			}
		}
	}
	return all
}

// No natural rule fits the examples and gives another answer.
func TestListHasNoRival(t *testing.T) {
	rules := naturals()
	tasktest.Every(t, listFunctions.Task(), tasktest.Count(1000, 200), func(item listItem, _, got string) error {
		want, _ := readList(got)
		for name, of := range rules {
			fits := !slices.ContainsFunc(item.Examples, func(e listExample) bool { return !slices.Equal(of(e.Input), e.Output) })
			if fits && !slices.Equal(of(item.Input), want) {
				return fmt.Errorf("%v: the rule %q fits too, and makes %v of %v, not %v", item.Functions, name, of(item.Input), item.Input, want)
			}
		}
		return nil
	})
}
