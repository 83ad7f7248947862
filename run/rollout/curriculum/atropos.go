package curriculum

import (
	"math"
	"slices"
)

// A climb tracks the complexity of a course and the mean scores of its last groups, with
// the rules and constants of Atropos' ReasoningGym environment.
type climb struct {
	Level float64   `json:"level"` // complexity
	Last  []float64 `json:"last"`  // mean scores of the last groups, at most climbWindow
}

// climbWindow is the number of groups that steer the complexity. Atropos keeps ten, and
// reads only the last five.
const climbWindow = 5

// newClimb returns the climb of an unplayed course.
func newClimb() climb { return climb{Level: 0.3} }

// note records the mean score of a group, and moves the complexity so that the mean of the
// last scores approaches target.
func (c *climb) note(score, target float64) {
	c.Last = append(c.Last, score)
	c.Last = slices.Clone(c.Last[max(0, len(c.Last)-climbWindow):])
	if len(c.Last) < 3 {
		return
	}
	mean, deviation := moments(c.Last)
	stability := max(0.5, 1-deviation)
	before := c.Level
	switch step := float64(0.05 * stability); { // Atropos bounds it by 0.2, which it never reaches
	case mean > target+0.05:
		c.Level = min(1, before+step)
	case mean < target-0.05:
		c.Level = max(0, before-step)
	}
	switch { // the fast path: it starts from the old level, and replaces the step
	case mean > 0.9 && before < 0.5 && stability > 0.8:
		c.Level = before + float64(0.1*stability)
	case mean < 0.3 && before > 0.5 && stability > 0.8:
		c.Level = before - float64(0.1*stability)
	}
}

// passRate returns the mean score of the last groups; 0 before the first.
func (c *climb) passRate() float64 { return sum(c.Last) / float64(max(1, len(c.Last))) }

// moments returns the mean and the population standard deviation of values.
func moments(values []float64) (mean, deviation float64) {
	n := float64(len(values))
	mean = sum(values) / n
	square := 0.0
	for _, v := range values {
		d := v - mean
		square += d * d / n
	}
	return mean, math.Sqrt(square)
}
