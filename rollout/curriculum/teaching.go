package curriculum

// The constants of the controller Teaching.
const (
	unknown = 1.0     // spread of an unplayed level: it is tried soon
	doubt   = 0.25    // groups that unknown counts for
	enough  = 1.5     // least count of two groups, unless memory is below 2: see hopeless
	canDo   = 2. / 3. // mean score that puts the next level in play
)

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
func (r *rung) hopeless() bool { return r.Groups >= enough && r.Spread == 0 && r.passRate() < canDo/2 }

// top returns the level after the hardest that the policy can do, or else the first that is
// not hopeless.
func (c *course) top() int {
	for level := c.Levels - 2; level >= 0; level-- {
		if c.rungs[level].passRate() >= canDo {
			return level + 1
		}
	}
	first := 0
	for first < c.Levels-1 && c.rungs[first].hopeless() {
		first++
	}
	return first
}

// played reports whether a level is in play: up to the top, or above it if it has taught.
func (c *course) played(level, top int) bool { return level <= top || c.rungs[level].Spread > 0 }

// odds returns the levels' relative shares of the draws. A level above the top counts no
// more than the top.
func (c *course) odds() []float64 {
	odds, top, factor := make([]float64, c.Levels), c.top(), 1.0
	for level := range odds {
		if c.played(level, top) {
			teaches := factor * c.rungs[level].teaches()
			odds[level] = teaches * teaches * teaches * teaches
		}
		if level < top {
			factor *= 2
		}
	}
	return odds
}

// best returns the estimate of the level in play that teaches most.
func (c *course) best() (most float64) {
	top := c.top()
	for level := range c.rungs {
		if c.played(level, top) {
			most = max(most, c.rungs[level].teaches())
		}
	}
	return most
}
