//go:build heavy

package run_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
)

// The test prints the table of docs/benchmarks-learning.md.
func TestStalenessSelectsByLength(t *testing.T) {
	for _, test := range []struct {
		maxLag, parallel int
		least, most      float64 // share of stale groups
		why              string
	}{
		{2, 4096, 0.1, 1, "long groups outlast two steps"},
		{8, 4096, 0.1, 1, "more episodes run at once, so steps are as much shorter"},
		{2, 192, 0.1, 1, "as many episodes run at once as without the limit"},
		{4, 192, 0.05, 0.14, "steps stay as long, and fewer groups outlast four"},
		{8, 192, 0, 0.04, "hardly any outlasts eight"},
		{10, 192, 0, 0.01, "the advice of the run with four"},
	} {
		r, seen := outrun(t, test.maxLag, test.parallel, run.StaleDrop)
		all := run.Cost{
			Groups: r.Kept.Groups + r.Stale.Groups, Episodes: r.Kept.Episodes + r.Stale.Episodes,
			Tokens: r.Kept.Tokens + r.Stale.Tokens, Seconds: r.Kept.Seconds + r.Stale.Seconds,
		}
		share := float64(r.Stale.Groups) / float64(all.Groups)
		t.Logf("| %d | %d | %.0f s | %.0f | %.0f | %.1f %% | %.0f and %.1f s | %.0f and %.1f s | %+.1f %% |", test.maxLag, test.parallel, r.PlaySeconds/float64(r.Steps), r.Rate(),
			all.Length(), 100*share, r.Stale.Length(), r.Stale.Duration(), r.Kept.Length(), r.Kept.Duration(), 100*(r.Kept.Length()/all.Length()-1))
		if r.Stale.Groups != r.GroupsDropped[rollout.DropStale] || all.Groups != r.GroupsMade || all.Episodes != 8*all.Groups {
			t.Errorf("max_lag %d: costs of %d and %d groups, and the report has %d, %d of them stale",
				test.maxLag, r.Kept.Groups, r.Stale.Groups, r.GroupsMade, r.GroupsDropped[rollout.DropStale])
		}
		if share < test.least || share > test.most {
			t.Errorf("max_lag %d: %.3f of the groups are stale, want %v to %v: %s", test.maxLag, share, test.least, test.most, test.why)
		}
		if r.Stale.Groups > 10 && (r.Stale.Duration() < r.Kept.Duration() || r.Stale.Length() < r.Kept.Length()) {
			t.Errorf("max_lag %d: the stale groups %+v are not longer than the kept %+v", test.maxLag, r.Stale, r.Kept)
		}
		if told := strings.Contains(fmt.Sprint(r.Advice), "--max-lag"); told != (share > 0.05) {
			t.Errorf("max_lag %d: %.3f of the groups are stale, and the advice is %q", test.maxLag, share, r.Advice)
		}
		if r.Trained.Groups != 40*8 || r.Trained.Episodes != 40*64 || r.Trained.Tokens > r.Kept.Tokens {
			t.Errorf("max_lag %d: 40 steps of 8 groups were trained on, and the report has %+v", test.maxLag, r.Trained)
		}
		if need := int(math.Ceil(1 + r.GroupP99/r.StepSeconds)); r.MaxLagNeeded != need || need <= test.maxLag && share > 0.01 {
			t.Errorf("max_lag %d: it takes %d, want %d: 1 + %.1f s / %.1f s", test.maxLag, r.MaxLagNeeded, need, r.GroupP99, r.StepSeconds)
		}
		for _, about := range []string{"raise --max-lag from", "staleness selects by length"} {
			if n := said(seen, about); n > 1 || (n == 1) != (r.Stale.Groups >= 20) {
				t.Errorf("max_lag %d: %q is said %d times, and %d groups are stale", test.maxLag, about, n, r.Stale.Groups)
			}
		}
	}
}
