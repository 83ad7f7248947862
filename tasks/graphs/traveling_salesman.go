package graphs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// travelingSalesman asks for a shortest round trip through points of a grid.
var travelingSalesman = task.Spec[salesmanParams, salesmanItem]{
	Name:     "traveling_salesman",
	Category: "optimization",
	Doc: "Find a shortest round trip through points on a grid of streets. A trip that is longer than the shortest, but shorter than the points in their order and " +
		"than every trip that always goes to the nearest point, the first in the list of equally near ones, earns up to 0.5; none of those is the best.",
	Source:  "The classic problem of combinatorial optimization; the bound of the search is that of M. Held and R. Karp (1970).",
	Version: 2,
	List:    " ",
	Default: salesmanParams{MinPoints: 7, MaxPoints: 9, Size: 20},
	Levels: []salesmanParams{
		{MinPoints: 6, MaxPoints: 6, Size: 12},
		{MinPoints: 7, MaxPoints: 7, Size: 20},
		{MinPoints: 8, MaxPoints: 9, Size: 20},
		{MinPoints: 10, MaxPoints: 11, Size: 30},
		{MinPoints: 12, MaxPoints: 13, Size: 40},
		{MinPoints: 14, MaxPoints: 16, Size: 60},
	},
	Make: makeSalesman,
	Many: true,
}

// salesmanParams are the settings of one difficulty.
type salesmanParams struct {
	MinPoints int `json:"min_points" want:"5 to 16"`
	MaxPoints int `json:"max_points" want:"min_points to 16"`
	Size      int `json:"size" want:"6 to 999"` // coordinates are 0 to size
}

const mostPoints = 16

// salesmanItem is one set of points, with a shortest tour.
type salesmanItem struct {
	Points   [][2]int `json:"points" want:"3 to 16" each:"0 to 999"`
	Tour     []int    `json:"tour" want:"points" each:"0 or more and less than points"` // indices of the points
	Phrasing int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeSalesman draws points until the trivial tours are not the best.
func makeSalesman(p salesmanParams, r *rng.Rand) (salesmanItem, error) {
	item := salesmanItem{Phrasing: r.Between(0, len(salesmanPhrasings)-1)}
	n, side := r.Between(p.MinPoints, p.MaxPoints), int64(p.Size+1)
	for range mostTries {
		points := make([][2]int, n)
		for i, cell := range rng.Different(r, n, 0, side*side-1) {
			points[i] = [2]int{int(cell % side), int(cell / side)}
		}
		search := newTourSearch(points)
		if !search.run() {
			continue
		}
		item.Points, item.Tour = points, search.best
		if item.length(item.Tour) < item.trivial() {
			return item, nil
		}
	}
	if item.Tour == nil {
		return item, errors.New("found no points with a proven tour")
	}
	return item, nil
}

// apart returns the distance of points i and j along the streets.
func (s salesmanItem) apart(i, j int) int { return streets(s.Points[i], s.Points[j]) }

func streets(a, b [2]int) int {
	return max(a[0]-b[0], b[0]-a[0]) + max(a[1]-b[1], b[1]-a[1])
}

// length returns the length of a round trip.
func (s salesmanItem) length(tour []int) int {
	sum, last := 0, tour[len(tour)-1]
	for _, i := range tour {
		sum, last = sum+s.apart(last, i), i
	}
	return sum
}

// trivial returns the length of the best round trip that nobody had to think about: the points in
// their order, or always the nearest, from any start.
func (s salesmanItem) trivial() int {
	order := make([]int, len(s.Points))
	for i := range order {
		order[i] = i
	}
	best := s.length(order)
	for start := range s.Points {
		best = min(best, s.length(s.nearestFirst(start)))
	}
	return best
}

// nearestFirst returns the tour that always goes to the nearest point, the first of several.
func (s salesmanItem) nearestFirst(start int) []int {
	tour := []int{start}
	for len(tour) < len(s.Points) {
		nearest, last := -1, tour[len(tour)-1]
		for i := range s.Points {
			if !slices.Contains(tour, i) && (nearest < 0 || s.apart(last, i) < s.apart(last, nearest)) {
				nearest = i
			}
		}
		tour = append(tour, nearest)
	}
	return tour
}

// salesmanPhrasings are the wordings of the question, before the points.
var salesmanPhrasings = []string{
	"A courier starts at one of these points, visits every other point once and returns to the start. From one point to the next, the courier goes |x1 - x2| + |y1 - y2|. Find a round trip that is as short as possible.",
	"In a town with a grid of streets, the distance between two places is their difference in x plus their difference in y. Which closed tour through all the places below is the shortest?",
	"Find a shortest closed path that goes through each of these points exactly once. The distance of (x1, y1) and (x2, y2) is |x1 - x2| + |y1 - y2|.",
	"A drill must make a hole at each of the points below and then come back to the first hole. It moves along x and along y, one after the other, so each move costs the sum of both differences. In which order is the total cost least?",
	"Here is a traveling salesman problem with Manhattan distances: the distance between two points is the sum of the differences of their coordinates. Give a tour of least total length.",
	"The points below are stops of a bus that drives in a loop: it calls at every stop once and ends where it began. The streets run north-south and east-west only, so the way from (x1, y1) to (x2, y2) has length |x1 - x2| + |y1 - y2|. Find the shortest loop.",
}

func (s salesmanItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = append(b, salesmanPhrasings[s.Phrasing]...)
	for i, p := range s.Points {
		b = append(b, '\n', byte('A'+i))
		b = strconv.AppendInt(append(b, " ("...), int64(p[0]), 10)
		b = strconv.AppendInt(append(b, ", "...), int64(p[1]), 10)
		b = append(b, ')')
	}
	return string(append(b, "\nAnswer with the letters of all points in order, each once, beginning with any of them, for example: B A C"...))
}

// Canonical implements [task.Canonicalizer]: the points as a set, wherever they lie, in any of the
// eight positions of a square and in any scale.
func (s salesmanItem) Canonical() string {
	best := [][2]int(nil)
	for turn := range 8 {
		points := slices.Clone(s.Points)
		for i, p := range points {
			if turn&1 != 0 {
				p[0] = -p[0]
			}
			if turn&2 != 0 {
				p[1] = -p[1]
			}
			if turn&4 != 0 {
				p[0], p[1] = p[1], p[0]
			}
			points[i] = p
		}
		points = atOrigin(points)
		if best == nil || slices.CompareFunc(points, best, comparePoints) < 0 {
			best = points
		}
	}
	return fmt.Sprint(best)
}

// atOrigin moves points so that the least coordinates are 0, divides them by their common divisor,
// and sorts them.
func atOrigin(points [][2]int) [][2]int {
	low := points[0]
	for _, p := range points {
		low = [2]int{min(low[0], p[0]), min(low[1], p[1])}
	}
	scale := 0
	for i, p := range points {
		points[i] = [2]int{p[0] - low[0], p[1] - low[1]}
		scale = divisor(scale, divisor(points[i][0], points[i][1]))
	}
	for i, p := range points {
		points[i] = [2]int{p[0] / scale, p[1] / scale}
	}
	slices.SortFunc(points, comparePoints)
	return points
}

func comparePoints(a, b [2]int) int { return slices.Compare(a[:], b[:]) }

// Check refuses a record without a tour.
func (s salesmanItem) Check() error {
	if tour := slices.Sorted(slices.Values(s.Tour)); len(slices.Compact(tour)) != len(s.Points) {
		return errors.New("tour does not have every point once")
	}
	return nil
}

func (s salesmanItem) Solve() string { return writeNames(s.Tour) }

// Score implements [task.Scorer]. The first point may be repeated at the end.
func (s salesmanItem) Score(text string) quintain.Verdict {
	tour, fault := readNames(closed(text), len(s.Points))
	if fault != "" {
		return quintain.Malformed(fault)
	}
	if len(tour) != len(s.Points) {
		return quintain.Wrong(fmt.Sprintf("the tour has %d points, want all %d", len(tour), len(s.Points)))
	}
	return graded("the length of the tour", s.length(tour), s.length(s.Tour), s.trivial)
}
