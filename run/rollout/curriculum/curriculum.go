// Package curriculum chooses the task and the level of the next problem, and learns from
// the scores of every group which of them teach.
//
// A [Course] is a task with its levels. Its complexity, from 0 to 1, is a place along them:
// 0 is the easiest, 1 the hardest, and a place between two levels is a mixture of both. In
// mode random every draw has a complexity of its own; in mode curriculum a [Controller]
// moves the complexity of each course.
//
// The default controller, [Teaching], goes where groups teach: where some replies are right
// and others wrong. Its rules:
//
//   - The spread of a group is four times the variance of its scores: 1 if half of the
//     replies are right, 0 if all are equal.
//   - The controller keeps each level's mean score and mean spread. Every group of the level
//     discounts the earlier ones, so that only the last few matter.
//   - An unplayed level has the spread 1.
//   - The top is the level after the hardest with a mean score of two thirds or more, or
//     else the easiest. All levels up to it are in play, and harder ones that have taught. So
//     a course begins at its easiest level, goes up when the policy can do a level, and comes
//     down when it no longer can.
//   - If two groups of the top taught nothing, the search goes on above it, level by level.
//     A level there counts at most with the spread of the one below until it has taught.
//   - Each level counts with its spread: up to the top twice as much as the one below, above
//     it 0.7 times as much. It is drawn in proportion to the fourth power of that: mostly
//     the hardest level that teaches, an easier one if nothing is right there, and the
//     easiest if nothing is right at all.
//   - A course is drawn in proportion to its weight and to the power 1.5 of the largest
//     spread of its levels in play. So share moves from solved or hopeless courses to those
//     that teach.
//   - Three draws in a hundred follow the weights of the courses alone, to any level: the
//     curriculum gives nothing up, and notices when the policy forgets.
//
// The variance of scores as a measure of teaching is from Foster et al., "Learning to
// Reason at the Frontier of Learnability" (2025), and Rutherford et al., "No Regrets"
// (2024); intermediate difficulty from Florensa et al., "Automatic Goal Generation" (2018);
// estimates that forget from Matiisen et al., "Teacher-Student Curriculum Learning" (2017).
package curriculum

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain/task/rng"
)

// A Course is a task with its levels.
type Course struct {
	Name   string  // unique among the courses of a curriculum
	Levels int     // 1 or more; level 0 is the easiest
	Weight float64 // share of the draws, relative to the other courses; above 0
}

// A Curriculum chooses rungs. A rung is a level of a course; rungs are numbered from 0,
// course by course. Equal curricula with equal scores in the same order make equal choices.
// Many goroutines may use it at once.
type Curriculum struct {
	settings Settings
	seed     uint64

	mu      sync.Mutex
	draws   int // made so far
	courses []*course
}

// A course is a Course with its statistics.
type course struct {
	Course
	first int // number of its easiest rung
	rungs []rung
	climb climb // of the controller Atropos

	began float64 // complexity before the first group
}

// New returns a curriculum over courses. The error names the invalid one.
func New(s Settings, seed uint64, courses []Course) (*Curriculum, error) {
	c := &Curriculum{settings: s, seed: seed}
	names, first := map[string]bool{}, 0
	for _, one := range courses {
		switch {
		case names[one.Name]:
			return nil, fmt.Errorf("course %s is listed twice: put its levels next to each other", one.Name)
		case one.Levels < 1:
			return nil, fmt.Errorf("course %s: levels is %d, want 1 or more", one.Name, one.Levels)
		case !(one.Weight > 0):
			return nil, fmt.Errorf("course %s: weight is %v, want more than 0", one.Name, one.Weight)
		}
		names[one.Name] = true
		c.courses = append(c.courses, &course{Course: one, first: first, rungs: make([]rung, one.Levels), climb: newClimb()})
		first += one.Levels
	}
	if len(courses) == 0 {
		return nil, fmt.Errorf("a curriculum has no course")
	}
	for _, one := range c.courses {
		one.began = c.complexity(one)
	}
	return c, nil
}

// chance names the random streams of all curricula, one for each draw.
var chance = rng.Named("curriculum")

// Choose returns the number of the rung of the next problem.
func (c *Curriculum) Choose() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := chance.Stream(c.seed, c.draws)
	c.draws++
	shares, byWeight := c.shares(), c.teaches() && r.Chance(c.settings.Floor)
	if byWeight {
		shares = c.weights()
	}
	one := c.courses[pick(r, shares)]
	switch {
	case byWeight:
		return one.first + r.Between(0, one.Levels-1)
	case c.teaches():
		return one.first + pick(r, one.odds())
	case c.settings.Mode == Random:
		return one.first + Level(r, r.Float(), one.Levels)
	}
	return one.first + Level(r, one.climb.Level, one.Levels)
}

// teaches reports whether the controller is Teaching.
func (c *Curriculum) teaches() bool {
	return c.settings.Mode == Adaptive && c.settings.Controller == Teaching
}

// weights returns the weights of the courses.
func (c *Curriculum) weights() []float64 {
	all := make([]float64, len(c.courses))
	for i, one := range c.courses {
		all[i] = one.Weight
	}
	return all
}

// shares returns the courses' relative shares of the draws that do not follow the weights
// alone.
func (c *Curriculum) shares() []float64 {
	all := c.weights()
	if c.teaches() {
		for i, one := range c.courses {
			best := one.best()
			all[i] *= best * math.Sqrt(best)
		}
	}
	return all
}

// pick returns a random index of weights, in proportion to its weight.
func pick(r *rng.Rand, weights []float64) int {
	left := r.Float() * sum(weights)
	for i, w := range weights {
		if left -= w; left < 0 {
			return i
		}
	}
	return len(weights) - 1 // a rounding error remains
}

// sum adds up numbers.
func sum(all []float64) (total float64) {
	for _, one := range all {
		total += one
	}
	return total
}

// Level draws a level of n for a complexity from 0 to 1: one of the two levels around its
// place along all of them, the nearer one more often, so that the mean is the place itself.
func Level(r *rng.Rand, complexity float64, n int) int {
	place := complexity * float64(n-1)
	level := int(place)
	if level < n-1 && r.Chance(place-float64(level)) {
		level++
	}
	return level
}

// Note records the scores of a group from a rung. Without scores it does nothing. It panics
// if there is no such rung.
func (c *Curriculum) Note(number int, scores []float64) {
	if len(scores) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.courses, func(one *course) bool { return number < one.first+one.Levels })
	one := c.courses[at]
	one.rungs[number-one.first].note(scores, c.settings.Memory)
	one.climb.note(sum(scores)/float64(len(scores)), c.settings.Target)
}

// A Standing is the state of a course in a curriculum.
type Standing struct {
	Name       string  `json:"name"`
	Complexity float64 `json:"complexity"`       // mean of the next draw, 0 to 1
	Share      float64 `json:"share"`            // of the draws
	PassRate   float64 `json:"pass_rate"`        // mean score of the last five groups, at any levels; 0 before the first
	Moved      bool    `json:"moved"`            // the complexity has left its initial value
	Target     float64 `json:"target,omitempty"` // mean score that the controller Atropos aims at; 0: another controller
}

// Standings returns the standings of the courses, in their order.
func (c *Curriculum) Standings() []Standing {
	c.mu.Lock()
	defer c.mu.Unlock()
	weights, shares := c.weights(), c.shares()
	byWeight, byShare := sum(weights), sum(shares)
	all := make([]Standing, len(c.courses))
	for i, one := range c.courses {
		at := c.complexity(one)
		all[i] = Standing{Name: one.Name, Complexity: at, Share: shares[i] / byShare, PassRate: one.climb.passRate(), Moved: at != one.began}
		switch {
		case c.teaches():
			all[i].Share += c.settings.Floor * (weights[i]/byWeight - all[i].Share)
		case c.settings.Mode == Adaptive:
			all[i].Target = c.settings.Target
		}
	}
	return all
}

// complexity returns the mean complexity of a course's next draw.
func (c *Curriculum) complexity(one *course) float64 {
	switch {
	case c.settings.Mode == Random:
		return 0.5
	case !c.teaches():
		return one.climb.Level
	case one.Levels == 1:
		return 0
	}
	odds := one.odds()
	mean := 0.0
	for level, odd := range odds {
		mean += float64(level) * odd
	}
	mean /= sum(odds)
	mean += c.settings.Floor * (float64(one.Levels-1)/2 - mean)
	return mean / float64(one.Levels-1)
}
