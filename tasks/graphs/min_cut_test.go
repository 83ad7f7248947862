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

func TestMinCutScore(t *testing.T) {
	item := minCutItem{
		NumPlaces: 4, Start: 0, End: 3, Closed: []int{2, 4},
		Roads: []road{{0, 1, 5}, {2, 0, 6}, {1, 3, 4}, {1, 2, 3}, {2, 3, 2}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"B-D, C-D", 1, ""},
		{"D-B; D – C.", 1, "from either end, in another hand"},
		{"B-D\nC-D", 1, "a line for each"},
		{"A-B, A-C", 0, "all roads of the start: 11, while 6 is also the cost of all roads of the end"},
		{"A-B, C-A, B-D, B-C, C-D", 0, "everything"},
		{"B-D", 0, "a way is left"},
		{"B-D, C-D, D-B", 0, "a road twice"},
		{"B-D, C-D, A-D", 0, "no such road"},
		{"BD, CD", 0, ""},
		{"b-d, c-d", 0, "names are in upper case"},
		{"B-D-C", 0, ""},
		{"A", 0, ""},
	})
}

// A cut between the trivial ones and the cheapest earns up to half, the cheaper the more.
func TestMinCutCredit(t *testing.T) {
	partly := 0
	tasktest.Every(t, minCut.Task(), 300, func(item minCutItem, _, _ string) error {
		best, trivial := item.cost(item.Closed), item.trivial()
		for i, road := range item.Roads {
			if slices.Contains(item.Closed, i) {
				continue
			}
			cut := item
			cut.Closed = append(slices.Clone(item.Closed), i)
			cost := best + road.Cost
			want := max(0, 0.5*float64(trivial-cost)/float64(trivial-best))
			if v := item.Score(cut.Solve()); math.Abs(v.Score-want) > 1e-12 {
				return fmt.Errorf("a cut that costs %d gets %+v, want %v", cost, v, want)
			}
			if want > 0 {
				partly++
			}
		}
		return nil
	})
	if partly < 100 {
		t.Errorf("only %d cuts earn a part", partly)
	}
}

func TestMinCutParams(t *testing.T) {
	tasktest.Refused(t, minCut.Task(), map[string]string{
		`{"min_places":5}`:  "min_places",
		`{"max_places":27}`: "max_places",
		`{"min_side":1}`:    "min_side",
		`{"min_side":4}`:    "min_side",
	})
	tasktest.RefusedRecords(t, minCut.Task(), []string{
		`{}`,
		`{"num_places":3,"roads":[{"from":0,"to":1,"cost":1}],"start":0,"end":1,"closed":[]}`,
		`{"num_places":3,"roads":[{"from":0,"to":1,"cost":1}],"start":0,"end":1,"closed":[1]}`,
		`{"num_places":3,"roads":[{"from":0,"to":1,"cost":1}],"start":0,"end":0,"closed":[0]}`,
		`{"num_places":3,"roads":[{"from":0,"to":1,"cost":1}],"start":0,"end":3,"closed":[0]}`,
		`{"num_places":3,"roads":[{"from":0,"to":3,"cost":1}],"start":0,"end":1,"closed":[0]}`,
		`{"num_places":3,"roads":[{"from":0,"to":1,"cost":0}],"start":0,"end":1,"closed":[0]}`,
		`{"num_places":27,"roads":[{"from":0,"to":1,"cost":1}],"start":0,"end":1,"closed":[0]}`,
		`{"num_places":3,"roads":[{"from":0,"to":1,"cost":1}],"start":0,"end":1,"closed":[0],"phrasing":6}`,
	})
}

var (
	roadLineRE = regexp.MustCompile(`(?m)^([A-Z])-([A-Z]) \(cost (\d+)\)$`)
	endRE      = regexp.MustCompile(`\b[A-Z]\b`)
)

// The second solver reads the map from the prompt, and tries every side of the start.
func TestMinCutSecond(t *testing.T) {
	tasktest.Second(t, minCut.Task(), 1002, func(_ minCutItem, prompt, got string) error {
		var costs [26][26]int
		places := 0
		for _, line := range roadLineRE.FindAllStringSubmatch(prompt, -1) {
			a, b := int(line[1][0]-'A'), int(line[2][0]-'A')
			cost, _ := strconv.Atoi(line[3])
			costs[a][b], costs[b][a] = cost, cost
			places = max(places, a+1, b+1)
		}
		question := endRE.FindAllString(strings.TrimPrefix(strings.SplitN(prompt, "\n", 2)[0], "A "), -1)
		if len(question) != 2 {
			return fmt.Errorf("the prompt names %v", question)
		}
		start, end := int(question[0][0]-'A'), int(question[1][0]-'A')
		sum := 0
		for _, name := range strings.Split(got, ", ") {
			a, b := name[0]-'A', name[2]-'A'
			sum += costs[a][b]
			costs[a][b], costs[b][a] = -costs[a][b], -costs[b][a]
		}
		if joined(costs, start, end) {
			return fmt.Errorf("%s leaves a way", got)
		}
		for a := range costs {
			for b := range costs {
				costs[a][b] = max(costs[a][b], -costs[a][b])
			}
		}
		if least := cheapestSide(costs, places, start, end); sum != least {
			return fmt.Errorf("%s costs %d, want %d", got, sum, least)
		}
		return nil
	})
}

// joined reports whether a way of roads with a positive cost goes from place to end.
func joined(costs [26][26]int, place, end int) bool {
	seen, stack := map[int]bool{place: true}, []int{place}
	for len(stack) > 0 {
		place, stack = stack[len(stack)-1], stack[:len(stack)-1]
		for next, cost := range costs[place] {
			if cost > 0 && !seen[next] {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	return seen[end]
}

// cheapestSide tries all sides of the start, place after place, and leaves a side as soon as it
// costs too much.
func cheapestSide(costs [26][26]int, places, start, end int) int {
	best := math.MaxInt
	var side [26]int // 1: with the start, -1: with the end
	var try func(place, cost int)
	try = func(place, cost int) {
		if cost >= best {
			return
		}
		if place == places {
			best = cost
			return
		}
		for _, with := range []int{1, -1} {
			if place == start && with < 0 || place == end && with > 0 {
				continue
			}
			more := 0
			for before := range place {
				if side[before] != with {
					more += costs[before][place]
				}
			}
			side[place] = with
			try(place+1, cost+more)
		}
	}
	try(0, 0)
	return best
}

// roadsOf lists the roads of a place, or all if it is "".
func roadsOf(prompt, place string) string {
	var names []string
	for _, line := range roadLineRE.FindAllStringSubmatch(prompt, -1) {
		if place == "" || line[1] == place || line[2] == place {
			names = append(names, line[1]+"-"+line[2])
		}
	}
	return strings.Join(names, ", ")
}

// Closing all roads of one place earns nothing.
func TestMinCutTrivial(t *testing.T) {
	tasktest.Every(t, minCut.Task(), 300, func(item minCutItem, prompt, _ string) error {
		for _, place := range []int{item.Start, item.End} {
			if v := item.Score(roadsOf(prompt, letter(place))); v.Score > 0 {
				return fmt.Errorf("all roads of %s get %+v", letter(place), v)
			}
		}
		return nil
	})
}

func TestMinCutKeys(t *testing.T) {
	all := minCut.Task()
	tasktest.Variant(t, all, "other names", func(m *minCutItem, r *rng.Rand) func(string) string {
		to := renumbered(r, m.NumPlaces)
		m.Start, m.End = to[m.Start], to[m.End]
		for i, old := range m.Roads {
			m.Roads[i].From, m.Roads[i].To = to[old.From], to[old.To]
		}
		return renamed(to)
	})
	tasktest.Variant(t, all, "another order, each road from its other end", func(m *minCutItem, r *rng.Rand) func(string) string {
		to := renumbered(r, len(m.Roads))
		roads := make([]road, len(to))
		for i, old := range m.Roads {
			roads[to[i]] = road{old.To, old.From, old.Cost}
		}
		m.Roads = roads
		for i, old := range m.Closed {
			m.Closed[i] = to[old]
		}
		return nil
	})
	tasktest.Variant(t, all, "start and end exchanged", func(m *minCutItem, _ *rng.Rand) func(string) string {
		m.Start, m.End = m.End, m.Start
		return nil
	})
	tasktest.Variant(t, all, "another unit of the costs", func(m *minCutItem, _ *rng.Rand) func(string) string {
		for i := range m.Roads {
			m.Roads[i].Cost *= 3
		}
		return nil
	})
	tasktest.Other(t, all, "another cost", func(m *minCutItem) { m.Roads[0].Cost += 100 })
}
