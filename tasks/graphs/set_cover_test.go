package graphs

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSetCoverScore(t *testing.T) {
	item := setCoverItem{
		NumItems: 4, Sets: [][]int{{1, 2}, {3, 4}, {1, 2, 3}, {4}, {1, 4}}, Costs: []int{6, 6, 7, 8, 100}, Chosen: []int{0, 1},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	if got := item.trivial(); got != 13 {
		t.Fatalf("the greedy choice costs %d, want 13", got)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"A B", 1, ""},
		{"B, A.", 1, "any order, and commas"},
		{"B C", 0, "the greedy choice"},
		{"C D", 0, "more than the greedy choice"},
		{"A B C D E", 0, "everything"},
		{"A", 0, "3 is in none"},
		{"A B B", 0, "a set twice"},
		{"A B F", 0, "no such set"},
		{"a b", 0, "names are in upper case"},
		{"1 2", 0, ""},
	})
}

// A choice between the greedy one and the best earns up to half, the cheaper the more.
func TestSetCoverCredit(t *testing.T) {
	partly := 0
	tasktest.Every(t, setCover.Task(), 300, func(item setCoverItem, _, _ string) error {
		best, _ := item.cost(item.Chosen)
		trivial := item.trivial()
		if trivial <= best {
			return fmt.Errorf("the greedy choice is the best")
		}
		for i := range item.Sets {
			chosen := slices.Clone(item.Chosen)
			if !slices.Contains(chosen, i) {
				chosen = append(chosen, i)
			}
			cost, _ := item.cost(chosen)
			want := max(0, 0.5*float64(trivial-cost)/float64(trivial-best))
			if cost == best {
				want = 1
			}
			if v := item.Score(writeNames(chosen)); math.Abs(v.Score-want) > 1e-12 {
				return fmt.Errorf("a choice that costs %d gets %+v, want %v", cost, v, want)
			}
			partly += int(math.Ceil(want)) - int(want)
		}
		return nil
	})
	if partly < 20 {
		t.Errorf("only %d choices earn a part", partly)
	}
}

func TestSetCoverParams(t *testing.T) {
	tasktest.RefusedRecords(t, setCover.Task(), []string{
		`{}`,
		`{"num_items":2,"sets":[[1],[2]],"costs":[1,1],"chosen":[0]}`,
		`{"num_items":2,"sets":[[1],[2]],"costs":[1,1],"chosen":[0,2]}`,
		`{"num_items":2,"sets":[[1],[3]],"costs":[1,1],"chosen":[0,1]}`,
		`{"num_items":2,"sets":[[1],[2]],"costs":[1,0],"chosen":[0,1]}`,
		`{"num_items":2,"sets":[[1],[2]],"costs":[1],"chosen":[0,1]}`,
		`{"num_items":25,"sets":[[1],[2]],"costs":[1,1],"chosen":[0,1]}`,
		`{"num_items":2,"sets":[[1],[2]],"costs":[1,1],"chosen":[0,1],"phrasing":6}`,
	})
}

var (
	coverRE  = regexp.MustCompile(`(?m)^([A-Z]) \(cost (\d+)\): (.+)$`)
	numberRE = regexp.MustCompile(`\d+`)
)

// The second solver reads the sets from the prompt, and finds for every set of items what it costs
// at least.
func TestSetCoverSecond(t *testing.T) {
	tasktest.Second(t, setCover.Task(), 1002, func(_ setCoverItem, prompt, got string) error {
		count, err := strconv.Atoi(numberRE.FindString(strings.ReplaceAll(prompt, "numbers from 1 to", "")))
		if err != nil {
			return err
		}
		if upTo := regexp.MustCompile(`\{1, \.\.\., (\d+)\}`).FindStringSubmatch(prompt); upTo != nil {
			count, _ = strconv.Atoi(upTo[1])
		}
		least := make([]int, 1<<count)
		for i := range least[1:] {
			least[i+1] = math.MaxInt / 2
		}
		union, sum := 0, 0
		for _, line := range coverRE.FindAllStringSubmatch(prompt, -1) {
			cost, _ := strconv.Atoi(line[2])
			items := 0
			for _, item := range numberRE.FindAllString(line[3], -1) {
				n, _ := strconv.Atoi(item)
				items |= 1 << (n - 1)
			}
			for have, paid := range least {
				least[have|items] = min(least[have|items], paid+cost)
			}
			if slices.Contains(strings.Fields(got), line[1]) {
				union, sum = union|items, sum+cost
			}
		}
		if want := least[len(least)-1]; sum != want || union != len(least)-1 {
			return fmt.Errorf("%s costs %d and has %b, want %d", got, sum, union, want)
		}
		return nil
	})
}

func TestSetCoverKeys(t *testing.T) {
	all := setCover.Task()
	tasktest.Variant(t, all, "other numbers of the items", func(s *setCoverItem, r *rng.Rand) func(string) string {
		to := renumbered(r, s.NumItems)
		for _, set := range s.Sets {
			for k, item := range set {
				set[k] = to[item-1] + 1
			}
			rng.Shuffle(r, set)
		}
		return nil
	})
	tasktest.Variant(t, all, "another order of the sets", func(s *setCoverItem, r *rng.Rand) func(string) string {
		to := renumbered(r, len(s.Sets))
		sets, costs := make([][]int, len(to)), make([]int, len(to))
		for i := range to {
			sets[to[i]], costs[to[i]] = s.Sets[i], s.Costs[i]
		}
		s.Sets, s.Costs = sets, costs
		for i, set := range s.Chosen {
			s.Chosen[i] = to[set]
		}
		return renamed(to)
	})
	tasktest.Variant(t, all, "another unit of the costs", func(s *setCoverItem, _ *rng.Rand) func(string) string {
		for i := range s.Costs {
			s.Costs[i] *= 2
		}
		return nil
	})
	tasktest.Other(t, all, "another cost", func(s *setCoverItem) { s.Costs[s.Chosen[0]] += 50 })
	tasktest.Other(t, all, "an item more", func(s *setCoverItem) {
		for item := 1; item <= s.NumItems; item++ {
			if !slices.Contains(s.Sets[0], item) {
				s.Sets[0] = append(s.Sets[0], item)
				return
			}
		}
	})
}
