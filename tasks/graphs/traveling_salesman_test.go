package graphs

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSalesmanScore(t *testing.T) {
	item := salesmanItem{Points: [][2]int{{0, 0}, {5, 5}, {0, 5}, {5, 0}, {2, 1}}, Tour: []int{0, 4, 3, 1, 2}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"A E D B C", 1, ""},
		{"b a", 0, "names are in upper case"},
		{"D, B, C, A, E", 1, "any start, and commas"},
		{"A -> C -> B -> D -> E -> A", 1, "the other way round, back to the start"},
		{"A E D B C.", 1, "a full stop"},
		{"A B C D E", 0, "the points in their order"},
		{"A E C B D", 0, "22 long, as the nearest points from A and E"},
		{"A E D B", 0, "a point is left out"},
		{"A E D B C C", 0, "a point comes twice"},
		{"A E D B C F", 0, "no such point"},
		{"A E D B C A E D B C", 0, "twice"},
		{strings.Repeat("A E D B C ", 1000), 0, "too long"},
	})
}

// A tour between the trivial ones and the best earns up to half, the shorter the more.
func TestSalesmanCredit(t *testing.T) {
	partly := 0
	tasktest.Every(t, travelingSalesman.Task(), 300, func(item salesmanItem, _, _ string) error {
		best, trivial := item.length(item.Tour), item.trivial()
		for i := range item.Tour {
			tour := append([]int{}, item.Tour...)
			j := (i + 1) % len(tour)
			tour[i], tour[j] = tour[j], tour[i]
			length, score := item.length(tour), item.Score(writeNames(tour)).Score
			want := max(0, 0.5*float64(trivial-length)/float64(trivial-best))
			if length == best {
				want = 1
			}
			if math.Abs(score-want) > 1e-12 {
				return fmt.Errorf("a tour of length %d scores %v, want %v", length, score, want)
			}
			if want > 0 && want < 1 {
				partly++
			}
		}
		return nil
	})
	if partly < 100 {
		t.Errorf("only %d tours earn a part", partly)
	}
}

func TestSalesmanParams(t *testing.T) {
	tasktest.RefusedRecords(t, travelingSalesman.Task(), []string{
		`{}`,
		`{"points":[[0,0],[1,1],[2,2]],"tour":[0,1]}`,
		`{"points":[[0,0],[1,1],[2,2]],"tour":[0,1,1]}`,
		`{"points":[[0,0],[1,1],[2,2]],"tour":[1,2,3]}`,
		`{"points":[[0,0],[1,1],[2,1000]],"tour":[0,1,2]}`,
		`{"points":[[0,0],[1,1],[2,2]],"tour":[0,1,2],"phrasing":6}`,
	})
}

var pointRE = regexp.MustCompile(`(?m)^([A-Z]) \((\d+), (\d+)\)$`)

// The second solver reads the points from the prompt, and finds the length of the shortest tour by
// dynamic programming over all sets of points (M. Held and R. Karp, 1962).
func TestSalesmanSecond(t *testing.T) {
	tasktest.Second(t, travelingSalesman.Task(), 1002, func(_ salesmanItem, prompt, got string) error {
		var xs, ys []int
		for _, point := range pointRE.FindAllStringSubmatch(prompt, -1) {
			x, errX := strconv.Atoi(point[2])
			y, errY := strconv.Atoi(point[3])
			if err := errors.Join(errX, errY); err != nil {
				return err
			}
			xs, ys = append(xs, x), append(ys, y)
		}
		way := func(i, j int) int { return int(math.Abs(float64(xs[i]-xs[j])) + math.Abs(float64(ys[i]-ys[j]))) }
		length, order := 0, strings.Fields(got)
		for i := range order {
			length += way(int(order[i][0]-'A'), int(order[(i+1)%len(order)][0]-'A'))
		}
		if least := heldKarp(len(xs), way); length != least || len(order) != len(xs) {
			return fmt.Errorf("%s has %d points and length %d, want %d", got, len(order), length, least)
		}
		return nil
	})
}

// heldKarp returns the length of the shortest tour of n points.
func heldKarp(n int, way func(i, j int) int) int {
	last := n - 1
	least := make([][]int, 1<<last) // by set and last point: the shortest path from the point n-1
	for set := range least {
		least[set] = make([]int, last)
		for end := range last {
			least[set][end] = math.MaxInt / 2
			if set == 1<<end {
				least[set][end] = way(last, end)
			}
			if set>>end&1 == 0 {
				continue
			}
			for before := range last {
				if set>>before&1 != 0 && before != end {
					least[set][end] = min(least[set][end], least[set&^(1<<end)][before]+way(before, end))
				}
			}
		}
	}
	best := math.MaxInt
	for end := range last {
		best = min(best, least[1<<last-1][end]+way(end, last))
	}
	return best
}

// Going to the nearest point earns nothing.
func TestSalesmanTrivial(t *testing.T) {
	tasktest.Every(t, travelingSalesman.Task(), tasktest.Count(300, 100), func(item salesmanItem, _, _ string) error {
		for start := range item.Points {
			if v := item.Score(writeNames(item.nearestFirst(start))); v.Score > 0 {
				return fmt.Errorf("the nearest points from %d get %+v", start, v)
			}
		}
		return nil
	})
}

func TestSalesmanKeys(t *testing.T) {
	all := travelingSalesman.Task()
	change := func(f func(p [2]int) [2]int) func(*salesmanItem, *rng.Rand) func(string) string {
		return func(s *salesmanItem, _ *rng.Rand) func(string) string {
			for i, p := range s.Points {
				s.Points[i] = f(p)
			}
			return nil
		}
	}
	tasktest.Variant(t, all, "another place", change(func(p [2]int) [2]int { return [2]int{p[0] + 3, p[1] + 8} }))
	tasktest.Variant(t, all, "a mirror image", change(func(p [2]int) [2]int { return [2]int{60 - p[0], p[1]} }))
	tasktest.Variant(t, all, "a quarter turn", change(func(p [2]int) [2]int { return [2]int{p[1], 60 - p[0]} }))
	tasktest.Variant(t, all, "another scale", change(func(p [2]int) [2]int { return [2]int{3 * p[0], 3 * p[1]} }))
	tasktest.Variant(t, all, "other names", func(s *salesmanItem, r *rng.Rand) func(string) string {
		to := renumbered(r, len(s.Points))
		points := make([][2]int, len(to))
		for i, p := range s.Points {
			points[to[i]] = p
		}
		s.Points = points
		for i, p := range s.Tour {
			s.Tour[i] = to[p]
		}
		return renamed(to)
	})
	tasktest.Other(t, all, "a point moves", func(s *salesmanItem) { s.Points[0][0] += 100 })
}

// renumbered draws a new number for each of n things.
func renumbered(r *rng.Rand, n int) []int {
	to := make([]int, n)
	for i := range to {
		to[i] = i
	}
	rng.Shuffle(r, to)
	return to
}

var nameRE = regexp.MustCompile(`[A-Z]`)

// renamed turns names in an answer into those of the new numbers.
func renamed(to []int) func(string) string {
	return func(answer string) string {
		return nameRE.ReplaceAllStringFunc(answer, func(name string) string { return letter(to[name[0]-'A']) })
	}
}
