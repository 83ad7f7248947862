package graphs

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// jobScheduling asks for the order of jobs with the least fines for lateness.
var jobScheduling = task.Spec[schedulingParams, schedulingItem]{
	Name:     "job_scheduling",
	Category: "optimization",
	Doc: "Order jobs on one machine so that the fines for lateness are as small as possible; some jobs must come before others. Orders that cost more than " +
		"the best, but less than the simple rules (by deadline, by fine for the time it takes, as listed), earn up to 0.5; none of these rules is ever the best.",
	Source:  "Total weighted tardiness on one machine, E. Lawler (1977).",
	Version: 2,
	List:    " ",
	Default: schedulingParams{MinJobs: 6, MaxJobs: 7, MaxTime: 9, Precedences: 2},
	Levels: []schedulingParams{
		{MinJobs: 5, MaxJobs: 5, MaxTime: 6},
		{MinJobs: 6, MaxJobs: 6, MaxTime: 9, Precedences: 1},
		{MinJobs: 7, MaxJobs: 8, MaxTime: 9, Precedences: 2},
		{MinJobs: 9, MaxJobs: 10, MaxTime: 12, Precedences: 3},
		{MinJobs: 11, MaxJobs: 12, MaxTime: 20, Precedences: 3},
		{MinJobs: 13, MaxJobs: 14, MaxTime: 30, Precedences: 4},
	},
	Make: makeScheduling,
	Many: true,
}

// schedulingParams are the settings of one difficulty.
type schedulingParams struct {
	MinJobs     int `json:"min_jobs" want:"4 to 14"`
	MaxJobs     int `json:"max_jobs" want:"min_jobs to 14"`
	MaxTime     int `json:"max_time" want:"3 to 99"` // the longest that a job takes
	Precedences int `json:"precedences"`             // pairs of jobs whose order is given
}

const (
	mostJobs   = 14
	longestJob = 999
	mostFine   = 999
	latestJob  = 99999
)

// Check refuses what no tag does.
func (p schedulingParams) Check() error {
	return task.Within("precedences", p.Precedences, 0, p.MinJobs/2)
}

// A job takes some time, and costs a fine for every unit of time after its deadline.
type job struct {
	Time int `json:"time" want:"1 to 999"`
	Due  int `json:"due" want:"0 to 99999"`
	Fine int `json:"fine" want:"1 to 999"`
}

// schedulingItem is one list of jobs, with a best order.
type schedulingItem struct {
	Jobs     []job    `json:"jobs" want:"1 to 14"`
	Before   [][2]int `json:"before" want:"at most 196" each:"0 or more and less than jobs"` // the first of each pair comes before the second
	Order    []int    `json:"order" want:"jobs" each:"0 or more and less than jobs"`
	Phrasing int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeScheduling draws jobs until no simple rule gives the best order.
func makeScheduling(p schedulingParams, r *rng.Rand) (schedulingItem, error) {
	item := schedulingItem{Phrasing: r.Between(0, len(schedulingPhrasings)-1)}
	n := r.Between(p.MinJobs, p.MaxJobs)
	for range mostTries {
		item.draw(n, p, r)
		item.Order = bestOrder(item.Jobs, item.needs())
		if item.fines(item.Order) < item.trivial() {
			return item, nil
		}
	}
	return item, errors.New("found no jobs whose best order is not that of a rule")
}

// draw draws jobs with deadlines between none and two thirds of the time that all take.
func (s *schedulingItem) draw(n int, p schedulingParams, r *rng.Rand) {
	s.Jobs, s.Before = make([]job, n), [][2]int{}
	total := 0
	for i := range s.Jobs {
		s.Jobs[i] = job{Time: r.Between(1, p.MaxTime), Fine: r.Between(1, 9)}
		total += s.Jobs[i].Time
	}
	for i, j := range s.Jobs {
		s.Jobs[i].Due = j.Time + r.Between(0, total*2/3)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	for k := range p.Precedences { // the pairs are apart, so that they never make a circle
		s.Before = append(s.Before, [2]int{order[2*k], order[2*k+1]})
	}
}

// needs returns, for each job, the jobs before it, as bits.
func (s schedulingItem) needs() []uint32 {
	needs := make([]uint32, len(s.Jobs))
	for _, pair := range s.Before {
		needs[pair[1]] |= 1 << pair[0]
	}
	return needs
}

// fines returns what an order costs.
func (s schedulingItem) fines(order []int) (sum int) {
	now := 0
	for _, i := range order {
		now += s.Jobs[i].Time
		sum += s.Jobs[i].Fine * max(0, now-s.Jobs[i].Due)
	}
	return sum
}

// bestOrder finds the order with the least fines by dynamic programming over the sets of jobs done
// (M. Held and R. Karp, 1962). It returns nil if needs go in a circle.
func bestOrder(jobs []job, needs []uint32) []int {
	n := len(jobs)
	least, last := make([]int32, 1<<n), make([]int8, 1<<n)
	time := make([]int32, 1<<n)
	for set := uint32(1); set < 1<<n; set++ {
		low := bits.TrailingZeros32(set)
		time[set] = time[set&(set-1)] + int32(jobs[low].Time)
		least[set] = math.MaxInt32
		for rest := set; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			before := set &^ (1 << i)
			if needs[i]&^before != 0 || least[before] == math.MaxInt32 {
				continue
			}
			cost := least[before] + int32(jobs[i].Fine)*max(0, time[set]-int32(jobs[i].Due))
			if cost < least[set] {
				least[set], last[set] = cost, int8(i)
			}
		}
	}
	set := uint32(1)<<n - 1
	if least[set] == math.MaxInt32 {
		return nil
	}
	order := make([]int, n)
	for k := n - 1; k >= 0; k-- {
		order[k] = int(last[set])
		set &^= 1 << order[k]
	}
	return order
}

// trivial returns the fines of the best simple rule: always take, of the jobs that may come next,
// the first listed, the one with the first deadline, or the one with the greatest fine for the time
// it takes.
func (s schedulingItem) trivial() int {
	rules := []func(a, b job) bool{
		func(_, _ job) bool { return false },
		func(a, b job) bool { return a.Due < b.Due },
		func(a, b job) bool { return a.Fine*b.Time > b.Fine*a.Time },
	}
	best := math.MaxInt
	for _, sooner := range rules {
		best = min(best, s.fines(s.byRule(sooner)))
	}
	return best
}

// byRule returns the order in which always the soonest job that may come next is taken.
func (s schedulingItem) byRule(sooner func(a, b job) bool) (order []int) {
	needs, done := s.needs(), uint32(0)
	for range s.Jobs {
		next := -1
		for i, j := range s.Jobs {
			if done>>i&1 == 0 && needs[i]&^done == 0 && (next < 0 || sooner(j, s.Jobs[next])) {
				next = i
			}
		}
		if next < 0 {
			return order
		}
		done |= 1 << next
		order = append(order, next)
	}
	return order
}

// schedulingPhrasings are the wordings of the question.
var schedulingPhrasings = []string{
	"A machine does the jobs below one after the other, without breaks, from time 0. A job that is finished after its deadline costs its fine for every unit of time that it is late. Find the order with the least total of fines.",
	"You have the following tasks, begin at hour 0, and work on one at a time without a pause. Each takes the given time. For every hour that a task is finished after its deadline, you pay its fine. In which order do you pay least in all?",
	"A printer prints the orders below in some order, with no time between them, beginning at time 0. An order that is finished late costs its fine for each unit of time past the deadline. Which order of printing makes the sum of all fines as small as possible?",
	"Schedule these jobs on a single machine so that the total weighted tardiness is least. The first starts at time 0 and there is no idle time. The tardiness of a job is the time from its deadline to its end, or 0 if it is not late; its weight is the fine.",
	"One oven bakes everything on this list, one thing at a time and without gaps from time 0 on. Customers get back the fine for every unit of time that they wait beyond the deadline. Arrange the list so that as little as possible is paid back.",
	"In what order should one worker do the work below to keep the fines down? Work starts at time 0, one piece follows the other at once, and a piece that ends after its deadline costs its fine for each unit of time in between. The sum of the fines should be as small as possible.",
}

func (s schedulingItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = append(b, schedulingPhrasings[s.Phrasing]...)
	for i, j := range s.Jobs {
		b = append(append(append(b, '\n'), letter(i)...), ": time "...)
		b = strconv.AppendInt(b, int64(j.Time), 10)
		b = strconv.AppendInt(append(b, ", deadline "...), int64(j.Due), 10)
		b = strconv.AppendInt(append(b, ", fine "...), int64(j.Fine), 10)
	}
	for _, pair := range s.Before {
		b = append(append(append(append(append(b, '\n'), letter(pair[0])...), " must come before "...), letter(pair[1])...), '.')
	}
	return string(append(b, "\nAnswer with all letters in order, separated by spaces, for example: B A C"...))
}

// Canonical implements [task.Canonicalizer]: the jobs without names and order, and the units of
// time and money.
func (s schedulingItem) Canonical() string {
	hour, unit := 0, 0
	for _, j := range s.Jobs {
		hour, unit = divisor(divisor(hour, j.Time), j.Due), divisor(unit, j.Fine)
	}
	marks, links := make([]int64, len(s.Jobs)), make([]link, len(s.Before))
	for i, j := range s.Jobs {
		marks[i] = (int64(j.Time/hour)*(latestJob+1)+int64(j.Due/hour))*(mostFine+1) + int64(j.Fine/unit)
	}
	for i, pair := range s.Before {
		links[i] = link{from: pair[0], to: pair[1]}
	}
	return shape(marks, links, false)
}

// Check refuses a record without an order.
func (s schedulingItem) Check() error {
	if order := slices.Sorted(slices.Values(s.Order)); len(slices.Compact(order)) != len(s.Jobs) {
		return errors.New("order does not have every job once")
	}
	if fault := s.misplaced(s.Order); fault != "" {
		return fmt.Errorf("order: %s", fault)
	}
	return nil
}

// misplaced describes a pair of jobs in the wrong order; "": there is none.
func (s schedulingItem) misplaced(order []int) string {
	for _, pair := range s.Before {
		if slices.Index(order, pair[0]) >= slices.Index(order, pair[1]) {
			return letter(pair[0]) + " does not come before " + letter(pair[1])
		}
	}
	return ""
}

func (s schedulingItem) Solve() string { return writeNames(s.Order) }

func (s schedulingItem) Score(text string) quintain.Verdict {
	order, fault := readNames(text, len(s.Jobs))
	if fault != "" {
		return quintain.Malformed(fault)
	}
	if len(order) != len(s.Jobs) {
		return quintain.Wrong(fmt.Sprintf("the order has %d jobs, want all %d", len(order), len(s.Jobs)))
	}
	if fault := s.misplaced(order); fault != "" {
		return quintain.Wrong(fault)
	}
	return graded("the total of fines", s.fines(order), s.fines(s.Order), s.trivial)
}
