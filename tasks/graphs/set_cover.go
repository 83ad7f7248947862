package graphs

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// setCover asks for the cheapest choice of sets that has all items.
var setCover = task.Spec[setCoverParams, setCoverItem]{
	Name:     "set_cover",
	Category: "optimization",
	Doc: "Choose sets, each with a cost, that together have every item and cost as little as possible. A choice that costs more than the cheapest, but less " +
		"than the greedy one, earns up to 0.5; the greedy choice is never the best.",
	Source:  "The classic problem of combinatorial optimization; the greedy choice is that of V. Chvátal (1979).",
	Version: 2,
	List:    " ",
	Default: setCoverParams{MinItems: 8, MaxItems: 10, MinSets: 8, MaxSets: 10},
	Levels: []setCoverParams{
		{MinItems: 6, MaxItems: 6, MinSets: 6, MaxSets: 7},
		{MinItems: 8, MaxItems: 8, MinSets: 8, MaxSets: 10},
		{MinItems: 10, MaxItems: 11, MinSets: 12, MaxSets: 14},
		{MinItems: 13, MaxItems: 14, MinSets: 15, MaxSets: 17},
		{MinItems: 16, MaxItems: 17, MinSets: 18, MaxSets: 21},
		{MinItems: 18, MaxItems: 20, MinSets: 23, MaxSets: 26},
	},
	Make: makeSetCover,
	Many: true,
}

// setCoverParams are the settings of one difficulty.
type setCoverParams struct {
	MinItems int `json:"min_items" want:"5 to 24"`
	MaxItems int `json:"max_items" want:"min_items to 24"`
	MinSets  int `json:"min_sets" want:"5 to 26"`
	MaxSets  int `json:"max_sets" want:"min_sets to 26"`
}

const (
	mostItems = 24
	mostSets  = 26
)

// setCoverItem is one family of sets, with a cheapest choice.
type setCoverItem struct {
	NumItems int     `json:"num_items" want:"1 to 24"`                   // they are the numbers from 1
	Sets     [][]int `json:"sets" want:"1 to 26" each:"1 to num_items"`  // the items of each set
	Costs    []int   `json:"costs" want:"sets" each:"1 to 999"`          // of each set
	Chosen   []int   `json:"chosen" each:"0 or more and less than sets"` // indices of the sets
	Phrasing int     `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeSetCover draws sets until the trivial choices are not the best.
func makeSetCover(p setCoverParams, r *rng.Rand) (setCoverItem, error) {
	item := setCoverItem{NumItems: r.Between(p.MinItems, p.MaxItems), Phrasing: r.Between(0, len(setCoverPhrasings)-1)}
	sets := r.Between(p.MinSets, p.MaxSets)
	for range mostTries {
		item.draw(sets, r)
		search := coverSearch{of: item.covers(), best: item.trivial() + 1, nodes: coverNodes}
		if search.run(0, 0, 0); search.nodes <= 0 {
			continue
		}
		item.Chosen = nil
		for i := range sets {
			if search.chosen>>i&1 != 0 {
				item.Chosen = append(item.Chosen, i)
			}
		}
		if search.best < item.trivial() {
			break
		}
	}
	if item.Chosen == nil {
		return item, errors.New("found no sets with a proven choice")
	}
	return item, nil
}

// draw draws sets of two items to half of all, and costs about in proportion. Every item is in two
// sets or more.
func (s *setCoverItem) draw(sets int, r *rng.Rand) {
	s.Sets, s.Costs = make([][]int, sets), make([]int, sets)
	items := make([]int, s.NumItems)
	for i := range items {
		items[i] = i + 1
	}
	most := min(max(3, s.NumItems/2-1), 7)
	for i := range s.Sets {
		s.Sets[i] = rng.Sample(r, items, r.Between(2, most))
	}
	for _, item := range items {
		holders := 0
		for _, set := range s.Sets {
			holders += task.Bit(slices.Contains(set, item))
		}
		for ; holders < 2; holders++ {
			i := r.Between(0, sets-1)
			for slices.Contains(s.Sets[i], item) {
				i = (i + 1) % sets
			}
			s.Sets[i] = append(s.Sets[i], item)
		}
	}
	for i, set := range s.Sets {
		slices.Sort(set)
		s.Costs[i] = r.Between(2*len(set)+1, 4*len(set)+4)
	}
}

// A cover is a set as bits, with its cost.
type cover struct {
	items uint32
	cost  int
}

// covers returns the sets.
func (s setCoverItem) covers() []cover {
	all := make([]cover, len(s.Sets))
	for i, set := range s.Sets {
		all[i].cost = s.Costs[i]
		for _, item := range set {
			all[i].items |= 1 << (item - 1)
		}
	}
	return all
}

// trivial returns the cost of the greedy choice, which always takes the least cost for each new
// item.
func (s setCoverItem) trivial() int {
	all, total := s.covers(), 0
	for open := uint32(1)<<s.NumItems - 1; open != 0; {
		best, bestNew := -1, 0
		for i, set := range all {
			if n := bits.OnesCount32(set.items & open); n > 0 && (best < 0 || set.cost*bestNew < all[best].cost*n) {
				best, bestNew = i, n
			}
		}
		open &^= all[best].items
		total += all[best].cost
	}
	return total
}

// cost returns the cost of a choice, or the first item that it lacks.
func (s setCoverItem) cost(chosen []int) (cost, lacks int) {
	all, open := s.covers(), uint32(1)<<s.NumItems-1
	for _, i := range chosen {
		open &^= all[i].items
		cost += all[i].cost
	}
	if open != 0 {
		lacks = bits.TrailingZeros32(open) + 1
	}
	return cost, lacks
}

// A coverSearch looks for a cheapest choice by branch and bound.
type coverSearch struct {
	of     []cover
	best   int // cost of chosen; at first, of what must be beaten
	chosen uint32
	nodes  int // what is left to try
}

const (
	coverNodes = 4000
	coverScale = 720720 // a multiple of all numbers to 14
)

// run tries all ways to complete a choice, which covers the items in covered and costs so much.
func (s *coverSearch) run(covered, chosen uint32, cost int) {
	if s.nodes--; s.nodes <= 0 {
		return
	}
	rarest, bound := s.bound(covered)
	if coverScale*cost+bound > coverScale*(s.best-1) {
		return
	}
	if rarest < 0 {
		s.best, s.chosen = cost, chosen
		return
	}
	for i, set := range s.of {
		if set.items>>rarest&1 != 0 {
			s.run(covered|set.items, chosen|1<<i, cost+set.cost)
		}
	}
}

// bound returns the item that the fewest sets have, of those that are not covered; -1: there is
// none. The others cost at least bound, scaled: for each, its share of the cheapest set.
func (s *coverSearch) bound(covered uint32) (rarest, bound int) {
	var share, holders [mostItems]int
	var all uint32
	for _, set := range s.of {
		all |= set.items
		open := set.items &^ covered
		if open == 0 {
			continue
		}
		price := set.cost * (coverScale / bits.OnesCount32(open))
		for ; open != 0; open &= open - 1 {
			i := bits.TrailingZeros32(open)
			if holders[i]++; holders[i] == 1 || price < share[i] {
				share[i] = price
			}
		}
	}
	rarest = -1
	for open := all &^ covered; open != 0; open &= open - 1 {
		i := bits.TrailingZeros32(open)
		bound += share[i]
		if rarest < 0 || holders[i] < holders[rarest] {
			rarest = i
		}
	}
	return rarest, bound
}

// setCoverPhrasings are the wordings of the question: what is asked, and how a set is introduced.
// %n is the number of items.
var setCoverPhrasings = []string{
	"Each of the sets below holds some of the numbers from 1 to %n and has a cost. Choose sets so that every number is in at least one of them, at the least total cost.",
	"A town has %n districts, numbered from 1. A fire station at one of the sites below serves the districts listed there, and costs as much as is given. At which sites should stations be built, so that every district is served and the total cost is as small as possible?",
	"A shop sells bundles of stickers, listed below with their prices. There are %n different stickers, numbered from 1 to %n. You need at least one of each. Which bundles do you buy if you want to spend as little as possible?",
	"There are %n skills, numbered from 1 to %n, and a project needs all of them. The candidates below have the skills listed and ask for the wages given. Which team has every skill and asks for the least in total?",
	"Find a cheapest cover: a selection of the following sets whose union is {1, ..., %n}, with the smallest possible sum of costs.",
	"Every one of %n tests, numbered from 1 to %n, must be run at least once. Each suite below runs the tests listed there and takes as many minutes as its cost says. Which suites run all tests in the least total time?",
}

func (s setCoverItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = task.AppendFilled(b, setCoverPhrasings[s.Phrasing], func(byte) string { return strconv.Itoa(s.NumItems) })
	for i, set := range s.Sets {
		b = append(append(append(b, '\n'), letter(i)...), " (cost "...)
		b = append(strconv.AppendInt(b, int64(s.Costs[i]), 10), "): "...)
		for k, item := range set {
			if k > 0 {
				b = append(b, ", "...)
			}
			b = strconv.AppendInt(b, int64(item), 10)
		}
	}
	return string(append(b, "\nAnswer with the letters of what you choose, separated by spaces, for example: A B C"...))
}

// Canonical implements [task.Canonicalizer]: the sets without their order, the names of the items
// and the unit of the costs.
func (s setCoverItem) Canonical() string {
	unit := 0
	for _, cost := range s.Costs {
		unit = divisor(unit, cost)
	}
	marks, links := make([]int64, s.NumItems+len(s.Sets)), []link(nil)
	for i, set := range s.Sets {
		marks[s.NumItems+i] = int64(s.Costs[i] / unit)
		for _, item := range set {
			links = append(links, link{from: item - 1, to: s.NumItems + i})
		}
	}
	return shape(marks, links, true)
}

// Check refuses a record whose choice is no cover.
func (s setCoverItem) Check() error {
	if slices.ContainsFunc(s.Sets, func(set []int) bool { return len(set) == 0 }) {
		return errors.New("sets has an empty one")
	}
	if _, lacks := s.cost(s.Chosen); lacks > 0 {
		return fmt.Errorf("chosen lacks item %d", lacks)
	}
	return nil
}

func (s setCoverItem) Solve() string { return writeNames(s.Chosen) }

func (s setCoverItem) Score(text string) quintain.Verdict {
	chosen, fault := readNames(text, len(s.Sets))
	if fault != "" {
		return quintain.Malformed(fault)
	}
	cost, lacks := s.cost(chosen)
	if lacks > 0 {
		return quintain.Wrong(fmt.Sprintf("none of these has %d", lacks))
	}
	best, _ := s.cost(s.Chosen)
	return graded("the total cost", cost, best, s.trivial)
}
