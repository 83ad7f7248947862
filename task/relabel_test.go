package task_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// arrows is the question of a directed graph, whose arrows have no order.
func arrows(edges [][2]int) func([]int) string {
	return func(labels []int) string {
		var lines []string
		for _, e := range edges {
			lines = append(lines, fmt.Sprint(labels[e[0]], ">", labels[e[1]]))
		}
		slices.Sort(lines)
		return strings.Join(lines, " ")
	}
}

func TestRelabeled(t *testing.T) {
	for _, test := range []struct {
		n    int
		a, b [][2]int
		same bool
		why  string
	}{
		{3, [][2]int{{0, 1}, {1, 2}}, [][2]int{{2, 0}, {1, 2}}, true, "a path in other names"},
		{3, [][2]int{{0, 1}, {1, 2}}, [][2]int{{0, 1}, {2, 1}}, false, "an arrow is turned"},
		{5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}, [][2]int{{0, 2}, {2, 4}, {4, 1}, {1, 3}, {3, 0}}, true, "a cycle: all things are alike"},
		{5, [][2]int{{0, 1}, {1, 0}, {2, 3}, {3, 4}, {4, 2}}, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}, false, "two cycles, whose things are alike until they are told apart"},
		{0, nil, nil, true, "nothing"},
		{1, [][2]int{{0, 0}}, [][2]int{{0, 0}}, true, "one thing"},
	} {
		if a, b := task.Relabeled(test.n, arrows(test.a)), task.Relabeled(test.n, arrows(test.b)); (a == b) != test.same {
			t.Errorf("%s: %q and %q", test.why, a, b)
		}
	}
}

// Any other names and order give the same text, few things alike or many.
func TestRelabeledAnyNames(t *testing.T) {
	r := rng.New(1, "relabeled")
	for range 300 {
		n := r.Between(2, 9)
		var edges [][2]int
		for range r.Between(0, 2*n) {
			edges = append(edges, [2]int{r.Between(0, n-1), r.Between(0, n-1)})
		}
		names := make([]int, n)
		for i := range names {
			names[i] = i
		}
		rng.Shuffle(r, names)
		other := slices.Clone(edges)
		for i, e := range edges {
			other[i] = [2]int{names[e[0]], names[e[1]]}
		}
		rng.Shuffle(r, other)
		if a, b := task.Relabeled(n, arrows(edges)), task.Relabeled(n, arrows(other)); a != b {
			t.Fatalf("%v and %v: %q and %q", edges, other, a, b)
		}
	}
}
