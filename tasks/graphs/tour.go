package graphs

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// closed returns a written tour without its last point if that is the first again.
func closed(text string) string {
	text = strings.TrimSuffix(answer.Trim(text), ".")
	if len(text) > 1 && text[0] == text[len(text)-1] {
		return text[:len(text)-1]
	}
	return text
}

// A tourSearch looks for a shortest tour by branch and bound. Lengths are scaled, so that
// the weights of points are whole numbers.
type tourSearch struct {
	n      int
	cost   [mostPoints][mostPoints]int // scaled, with the weights of both ends
	weight int                         // of all points, twice: a tour costs so much more than its length
	path   []int
	best   []int
	length int // of best
	nodes  int // what is left to try
	points [][2]int
}

const (
	tourScale = 16
	tourNodes = 500 // nodes of the search tree
	ascents   = 60  // steps to better weights
)

// newTourSearch begins with the best tour from any start to the nearest points, improved.
func newTourSearch(points [][2]int) *tourSearch {
	s := &tourSearch{n: len(points), points: points, nodes: tourNodes, length: math.MaxInt}
	item := salesmanItem{Points: points}
	for start := range points {
		tour := untangled(item, item.nearestFirst(start))
		if length := item.length(tour); length < s.length {
			s.best, s.length = tour, length
		}
	}
	for i, p := range points {
		for j, q := range points {
			s.cost[i][j] = tourScale * streets(p, q)
		}
	}
	return s
}

// untangled reverses parts of a tour as long as that makes it shorter (2-opt; G. Croes, 1958).
func untangled(item salesmanItem, tour []int) []int {
	for better := true; better; {
		better = false
		for i := range len(tour) - 1 {
			better = uncrossed(item, tour, i) || better
		}
	}
	return tour
}

// uncrossed reverses the parts after place i whose reversal makes a tour shorter. It reports whether
// there is one.
func uncrossed(item salesmanItem, tour []int, i int) (better bool) {
	for j := i + 2; j < len(tour); j++ {
		a, b, c, d := tour[i], tour[i+1], tour[j], tour[(j+1)%len(tour)]
		if item.apart(a, c)+item.apart(b, d) < item.apart(a, b)+item.apart(c, d) {
			slices.Reverse(tour[i+1 : j+1])
			better = true
		}
	}
	return better
}

// run reports whether best is proven to be the shortest.
func (s *tourSearch) run() bool {
	if s.ascend() {
		return true
	}
	s.path = append(s.path, 0)
	s.extend(1, 0)
	return s.nodes > 0
}

// better returns the cost of a better tour: on a grid every tour has an even length, so that it is
// shorter by 2.
func (s *tourSearch) better() int { return tourScale*(s.length-2) + s.weight }

// ascend gives points weights that bring the least spanning tree near a tour, and adds them to the
// costs. It reports whether the tree proves that best is the shortest.
func (s *tourSearch) ascend() bool {
	var weight, kept [mostPoints]int
	base, most := s.cost, math.MinInt
	for step := range ascents {
		degree, bound := s.oneTree()
		sum := 0
		for i := range s.n {
			sum += weight[i]
		}
		if bound -= 2 * sum; bound > most {
			most, kept = bound, weight
		}
		if most > tourScale*(s.length-2) {
			return true
		}
		size := max(1, s.length*tourScale/s.n/8*(ascents-step)/ascents)
		for i := range s.n {
			weight[i] += size * (degree[i] - 2)
		}
		s.weigh(&base, &weight)
	}
	s.weigh(&base, &kept)
	return false
}

// weigh sets the costs to those of base with the weights of both ends.
func (s *tourSearch) weigh(base *[mostPoints][mostPoints]int, weight *[mostPoints]int) {
	s.weight = 0
	for i := range s.n {
		s.weight += 2 * weight[i]
		for j := range s.n {
			s.cost[i][j] = base[i][j] + weight[i] + weight[j]
		}
	}
}

// oneTree returns the degrees and the cost of a least spanning tree of all points but the first,
// with the two cheapest links to that.
func (s *tourSearch) oneTree() (degree [mostPoints]int, cost int) {
	cost = s.tree(1, (uint32(1)<<s.n-1)&^3, &degree)
	first, second := -1, -1
	for i := 1; i < s.n; i++ {
		switch {
		case first < 0 || s.cost[0][i] < s.cost[0][first]:
			first, second = i, first
		case second < 0 || s.cost[0][i] < s.cost[0][second]:
			second = i
		}
	}
	degree[0] = 2
	degree[first]++
	degree[second]++
	return degree, cost + s.cost[0][first] + s.cost[0][second]
}

// tree returns the cost of a least spanning tree of root and rest (R. Prim, 1957), and adds up the
// degrees.
func (s *tourSearch) tree(root int, rest uint32, degree *[mostPoints]int) (cost int) {
	var open, near, gap [mostPoints]int // points outside the tree, where they would join it, at what cost
	n := 0
	for ; rest != 0; rest &= rest - 1 {
		open[n] = bits.TrailingZeros32(rest)
		near[n], gap[n] = root, s.cost[root][open[n]]
		n++
	}
	for n > 0 {
		at := 0
		for k := range n {
			if gap[k] < gap[at] {
				at = k
			}
		}
		next := open[at]
		cost += gap[at]
		degree[next]++
		degree[near[at]]++
		n--
		open[at], near[at], gap[at] = open[n], near[n], gap[n]
		costs := &s.cost[next]
		for k := range n {
			if c := costs[open[k]]; c < gap[k] {
				near[k], gap[k] = next, c
			}
		}
	}
	return cost
}

// extend tries all ways on from the path, which goes through the points in seen and costs so much.
func (s *tourSearch) extend(seen uint32, cost int) {
	last, all := s.path[len(s.path)-1], uint32(1)<<s.n-1
	if s.nodes--; s.nodes <= 0 {
		return
	}
	if seen == all {
		if cost+s.cost[last][0] <= s.better() {
			s.best = slices.Clone(s.path)
			s.length = salesmanItem{Points: s.points}.length(s.best)
		}
		return
	}
	rest := all &^ seen
	if last != 0 {
		var degree [mostPoints]int
		if cost+s.tree(last, rest|1, &degree) > s.better() {
			return
		}
	}
	for tried := uint32(0); tried != rest; {
		next := -1
		for i := range s.n {
			if (rest&^tried)>>i&1 != 0 && (next < 0 || s.cost[last][i] < s.cost[last][next]) {
				next = i
			}
		}
		tried |= 1 << next
		s.path = append(s.path, next)
		s.extend(seen|1<<next, cost+s.cost[last][next])
		s.path = s.path[:len(s.path)-1]
	}
}
