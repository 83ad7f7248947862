//go:build heavy

package rollout_test

import (
	"math"
	"testing"

	"github.com/quintain-rl/quintain/run/rollout"
)

// Self-play of Kuhn's poker by the plainest policy gradient, with the advantages of the rules, leaves
// less than half of the exploitability of uniform play. That is what the best responses to both seats
// win of the policy, divided by two.
func TestSelfPlayLearnsKuhnsPoker(t *testing.T) {
	t.Parallel()
	const uniform, problems, rate = 11.0 / 24, 1600, 0.03
	if e := (&kuhnTable{}).exploitability(t); math.Abs(e-uniform) > 1e-12 {
		t.Fatalf("uniform play is exploitable by %v, want %v", e, uniform)
	}
	rules := rollout.DefaultRules()
	rules.Size, rules.Baseline, rules.MinTrainable = 8, rollout.BaselineSeat, 0
	curve := selfPlay(t, rules, problems, rate)
	t.Logf("exploitability after each 100 problems: %.3f", curve)
	if last := curve[len(curve)-1]; last > uniform/2 {
		t.Errorf("after %d problems the policy is exploitable by %v, want less than %v", problems, last, uniform/2)
	}
}
