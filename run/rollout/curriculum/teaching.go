package curriculum

import "slices"

// The constants of the controller Teaching.
const (
	unknown = 1.0 // spread of an unplayed level: it is tried soon
	doubt   = 0.5 // groups that unknown counts for
	enough  = 1.5 // least count of two groups, unless memory is below 2: see hopeless
	above   = 0.7 // what a level above the top counts, relative to the one below it
)

// CanDo is the mean score from which a policy can do a level: it puts the next one in play.
const CanDo = 2. / 3

// Done counts the levels that a policy can do, of those whose mean scores are known.
func Done(levels []string, scores map[string]float64) (done, of int) {
	for _, level := range levels {
		if score, ok := scores[level]; ok {
			of++
			if score >= CanDo {
				done++
			}
		}
	}
	return done, of
}

// A rung holds the statistics of a level. Every group of the level discounts the earlier
// ones.
type rung struct {
	Groups float64 `json:"groups"`
	Scores float64 `json:"scores"` // sum of the mean scores of the groups
	Spread float64 `json:"spread"` // sum of their spreads
}

// note records the scores of a group.
func (r *rung) note(scores []float64, memory float64) {
	keep := 1 - 1/memory
	mean, deviation := moments(scores)
	r.Groups = float64(r.Groups*keep) + 1
	r.Scores = float64(r.Scores*keep) + mean
	r.Spread = float64(r.Spread*keep) + min(1, 4*deviation*deviation)
}

// teaches estimates the spread of the next group, between 0 and 1.
func (r *rung) teaches() float64 { return (r.Spread + unknown*doubt) / (r.Groups + doubt) }

// passRate returns the mean score of the groups; 0 if there are none.
func (r *rung) passRate() float64 {
	if r.Groups == 0 {
		return 0
	}
	return r.Scores / r.Groups
}

// hopeless reports whether two or more groups taught nothing, and none was solved.
func (r *rung) hopeless() bool { return r.Groups >= enough && r.Spread == 0 && r.passRate() < CanDo/2 }

// top returns the level after the hardest that the policy can do, or else the easiest.
func (c *course) top() int {
	for level := c.Levels - 2; level >= 0; level-- {
		if c.rungs[level].passRate() >= CanDo {
			return level + 1
		}
	}
	return 0
}

// teaching estimates what each level teaches; 0: it is not in play. In play are the levels up
// to the top, those that have taught, and, if the top is hopeless, those up to the first
// that is not. A level above the top that has never taught counts no more than the one
// below it.
func (c *course) teaching(top int) []float64 {
	all := make([]float64, c.Levels)
	below, search := unknown, true
	for level := range c.rungs {
		r := &c.rungs[level]
		estimate, taught := r.teaches(), r.Spread > 0
		if level > top && !taught {
			estimate = min(estimate, below)
		}
		if level <= top || taught || search {
			all[level] = estimate
		}
		search = search && (level < top || r.hopeless())
		below = estimate
	}
	return all
}

// odds returns the levels' relative shares of the draws. Up to the top, each level counts
// twice as much as the one below; above it, less, once it has two groups.
func (c *course) odds() []float64 {
	top, factor := c.top(), 1.0
	odds := c.teaching(top)
	for level, estimate := range odds {
		if level > top && c.rungs[level].Groups >= enough {
			factor *= above
		}
		counts := factor * estimate
		odds[level] = counts * counts * counts * counts
		if level < top {
			factor *= 2
		}
	}
	return odds
}

// best returns the estimate of the level in play that teaches most.
func (c *course) best() float64 { return slices.Max(c.teaching(c.top())) }
