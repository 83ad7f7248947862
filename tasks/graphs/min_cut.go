package graphs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// minCut asks for the cheapest roads to close between two places.
var minCut = task.Spec[minCutParams, minCutItem]{
	Name:     "min_cut",
	Category: "optimization",
	Doc: "Close roads, each at a cost, so that no way is left between two places, as cheaply as possible. Cuts that cost more than the cheapest, but less " +
		"than closing all roads of either place, earn up to 0.5.",
	Source:  "The minimum cut of L. Ford and D. Fulkerson (1956).",
	Version: 2,
	List:    ", ",
	Default: minCutParams{MinPlaces: 9, MaxPlaces: 10, MinSide: 3},
	Levels: []minCutParams{
		{MinPlaces: 6, MaxPlaces: 6, MinSide: 2},
		{MinPlaces: 7, MaxPlaces: 8, MinSide: 2},
		{MinPlaces: 9, MaxPlaces: 10, MinSide: 3},
		{MinPlaces: 12, MaxPlaces: 13, MinSide: 4},
		{MinPlaces: 15, MaxPlaces: 17, MinSide: 5},
		{MinPlaces: 19, MaxPlaces: 22, MinSide: 6},
	},
	Make: makeMinCut,
	Many: true,
}

// minCutParams are the settings of one difficulty.
type minCutParams struct {
	MinPlaces int `json:"min_places" want:"6 to 26"`
	MaxPlaces int `json:"max_places" want:"min_places to 26"`
	MinSide   int `json:"min_side"` // places on either side of the cheapest cut, at least
}

const mostPlaces = 26

// Check refuses what no tag does.
func (p minCutParams) Check() error {
	return task.Within("min_side", p.MinSide, 2, p.MinPlaces/3)
}

// A road joins two places, in both directions.
type road struct {
	From int `json:"from"`
	To   int `json:"to"`
	Cost int `json:"cost" want:"1 to 999"` // of closing it
}

// minCutItem is one map, with a cheapest cut.
type minCutItem struct {
	NumPlaces int    `json:"num_places" want:"2 to 26"`
	Roads     []road `json:"roads" want:"at most 325"`
	Start     int    `json:"start" want:"0 or more and less than num_places"`
	End       int    `json:"end" want:"0 or more and less than num_places"`
	Closed    []int  `json:"closed" each:"0 or more and less than roads"` // indices of the roads
	Phrasing  int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeMinCut draws maps until the cheapest cut leaves enough places on either side.
func makeMinCut(p minCutParams, r *rng.Rand) (minCutItem, error) {
	item := minCutItem{NumPlaces: r.Between(p.MinPlaces, p.MaxPlaces), Phrasing: r.Between(0, len(minCutPhrasings)-1)}
	for range mostTries {
		item.draw(p.MinSide, r)
		side := newFlow(item).side()
		item.Closed = nil
		here := 0
		for _, inside := range side {
			here += task.Bit(inside)
		}
		for i, road := range item.Roads {
			if side[road.From] != side[road.To] {
				item.Closed = append(item.Closed, i)
			}
		}
		if min(here, item.NumPlaces-here) >= p.MinSide && item.cost(item.Closed) < item.trivial() {
			return item, nil
		}
	}
	return item, errors.New("found no map with a cut in its middle")
}

// draw draws two halves around start and end. Roads within a half are many, roads between them
// fewer; costs do not tell them apart.
func (m *minCutItem) draw(least int, r *rng.Rand) {
	n := m.NumPlaces
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	rng.Shuffle(r, places)
	m.Start, m.End, m.Roads = places[0], places[n-1], nil
	half := r.Between(max(least, n/3), n-max(least, n/3))
	joined := make(map[[2]int]bool)
	join := func(a, b int) {
		a, b = places[a], places[b]
		if pair := [2]int{min(a, b), max(a, b)}; a != b && !joined[pair] {
			joined[pair] = true
			m.Roads = append(m.Roads, road{pair[0], pair[1], r.Between(2, 20)})
		}
	}
	for i := 1; i < half; i++ { // each half hangs together
		join(i, r.Between(0, i-1))
	}
	for i := half; i < n-1; i++ {
		join(i, r.Between(i+1, n-1))
	}
	for range n / 2 {
		join(r.Between(0, half-1), r.Between(0, half-1))
		join(r.Between(half, n-1), r.Between(half, n-1))
		join(0, r.Between(1, half-1))
		join(n-1, r.Between(half, n-2))
	}
	for range 2 + n/4 {
		join(r.Between(0, half-1), r.Between(half, n-1))
	}
	rng.Shuffle(r, m.Roads)
	for i, road := range m.Roads {
		if r.Chance(0.5) {
			m.Roads[i].From, m.Roads[i].To = road.To, road.From
		}
	}
}

// cost returns the cost of closing roads.
func (m minCutItem) cost(closed []int) (sum int) {
	for _, i := range closed {
		sum += m.Roads[i].Cost
	}
	return sum
}

// trivial returns the cost of closing all roads of the start, or of the end.
func (m minCutItem) trivial() int {
	var sums [2]int
	for _, road := range m.Roads {
		for i, place := range [2]int{m.Start, m.End} {
			if road.From == place || road.To == place {
				sums[i] += road.Cost
			}
		}
	}
	return min(sums[0], sums[1])
}

// connected reports whether a way is left from start to end.
func (m minCutItem) connected(closed []int) bool {
	group := make([]int, m.NumPlaces) // places that roads join have one group
	for i := range group {
		group[i] = i
	}
	for i, road := range m.Roads {
		if slices.Contains(closed, i) {
			continue
		}
		for old, place := group[road.From], 0; place < len(group); place++ {
			if group[place] == old {
				group[place] = group[road.To]
			}
		}
	}
	return group[m.Start] == group[m.End]
}

// minCutPhrasings are the wordings of the question. %s is the start, %e the end.
var minCutPhrasings = []string{
	"These roads join places, and closing a road has a cost. Close roads so that nobody can get from %s to %e any more, at the least total cost.",
	"A flood comes from %s and must not reach %e. It can pass through every channel below, in both directions, unless the channel is dammed at the cost given. Which channels should be dammed, so that the total cost is as small as possible?",
	"In the following network the links work in both directions. Find a cheapest set of links whose removal separates %s from %e.",
	"Thieves want to drive from %s to %e. The police can block each of the roads below with as many officers as its cost says. Which roads should be blocked, so that no way is left and as few officers as possible are needed?",
	"Find a minimum cut between %s and %e in this undirected graph, where every edge has a cost: edges of the least total cost without which no path joins the two.",
	"The cables below connect computers, and data can flow both ways. How can %s be cut off from %e most cheaply, if cutting a cable costs what is given?",
}

func (m minCutItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = task.AppendFilled(b, minCutPhrasings[m.Phrasing], func(c byte) string {
		if c == 's' {
			return letter(m.Start)
		}
		return letter(m.End)
	})
	for _, road := range m.Roads {
		b = append(append(b, '\n'), road.name()...)
		b = append(strconv.AppendInt(append(b, " (cost "...), int64(road.Cost), 10), ')')
	}
	return string(append(b, "\nAnswer with a list of those that you choose, separated by commas, for example: A-C, D-B"...))
}

func (r road) name() string { return letter(r.From) + "-" + letter(r.To) }

// Canonical implements [task.Canonicalizer]: the map without names, order and direction of its
// roads, and the unit of the costs. Start and end may be exchanged.
func (m minCutItem) Canonical() string {
	unit, marks := 0, make([]int64, m.NumPlaces)
	for _, road := range m.Roads {
		unit = divisor(unit, road.Cost)
	}
	marks[m.Start], marks[m.End] = 1, 1
	links := make([]link, len(m.Roads))
	for i, road := range m.Roads {
		links[i] = link{road.From, road.To, road.Cost / unit}
	}
	return shape(marks, links, true)
}

// Check refuses a record whose closed roads are no cut.
func (m minCutItem) Check() error {
	switch inside := func(i int) bool { return i >= 0 && i < m.NumPlaces }; {
	case m.Start == m.End:
		return errors.New("start and end are one place")
	case slices.ContainsFunc(m.Roads, func(r road) bool {
		return !inside(r.From) || !inside(r.To) || r.From == r.To
	}):
		return errors.New("roads: want two places")
	case m.connected(m.Closed):
		return errors.New("closed leaves a way")
	}
	return nil
}

func (m minCutItem) Solve() string {
	b := []byte(nil)
	for k, i := range m.Closed {
		if k > 0 {
			b = append(b, ", "...)
		}
		b = append(b, m.Roads[i].name()...)
	}
	return string(b)
}

var roadRE = regexp.MustCompile(`^([A-Z])\s?[-–—]\s?([A-Z])$`)

// Score implements [task.Scorer]. A road may be named from either end.
func (m minCutItem) Score(text string) quintain.Verdict {
	closed, fault := m.read(text)
	switch {
	case fault != "":
		return quintain.Malformed(fault)
	case m.connected(closed):
		return quintain.Wrong(fmt.Sprintf("a way is left from %s to %s", letter(m.Start), letter(m.End)))
	}
	return graded("the total cost", m.cost(closed), m.cost(m.Closed), m.trivial)
}

// read reads names of roads, separated by commas, semicolons or lines.
func (m minCutItem) read(text string) (closed []int, fault string) {
	const longest = 4000
	if len(text) > longest {
		return nil, fmt.Sprintf("the answer has %d bytes, want at most %d", len(text), longest)
	}
	for _, name := range splitList(text) {
		found := roadRE.FindStringSubmatch(answer.Trim(name))
		if found == nil {
			return nil, fmt.Sprintf("%q is not two places with a hyphen between them", name)
		}
		i := slices.IndexFunc(m.Roads, func(r road) bool {
			a, b := letter(r.From), letter(r.To)
			return a == found[1] && b == found[2] || a == found[2] && b == found[1]
		})
		if i < 0 {
			return nil, fmt.Sprintf("nothing joins %s and %s", found[1], found[2])
		}
		if slices.Contains(closed, i) {
			return nil, fmt.Sprintf("%s occurs twice", name)
		}
		closed = append(closed, i)
	}
	return closed, ""
}
