package prove

import (
	"context"
	"fmt"
	"math"

	"github.com/quintain-rl/quintain/internal/stats"
)

// lastChecks are those over the episodes of all others.
func lastChecks() []Check {
	return []Check{
		{ID: "decl.range", OpenEnv: []string{"runtime.reward_well_formed", "static.manifest"}, Question: "Are all rewards finite numbers within the declared range?",
			Remedy: "declare reward_range, and keep to it", Quick: true, run: checkRange},
	}
}

func checkRange(_ context.Context, b *bench, r *Result) {
	s := b.seen
	if math.IsInf(s.low, 0) {
		r.not("no episode had a reward")
		return
	}
	r.measure("least", s.low)
	r.measure("most", s.high)
	r.Found = fmt.Sprintf("%s earned %v to %v", stats.Count(s.episodes, "episode"), s.low, s.high)
	switch of := b.subject.Range; {
	case s.odd != nil && of != nil:
		r.fail("a reward is beyond the declared range", s.odd.witness(fmt.Sprintf("%v to %v", of[0], of[1]), "%v", s.odd.sum()))
	case s.odd != nil:
		r.fail("a reward is no number", s.odd.witness("a number from -1,000,000 to 1,000,000", "%v", s.odd.last().Reward))
	case s.high-s.low > 100:
		r.warn(fmt.Sprintf("rewards differ by %v: declare the range, and scale it", s.high-s.low), nil)
	}
}
