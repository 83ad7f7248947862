package fleet_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/tasks/words"
)

// levels returns the streams of tasks.
func levels(t testing.TB, text string) []rollout.Stream {
	t.Helper()
	tasks, err := task.NewSet(slices.Concat(arithmetic.Tasks(), words.Tasks()))
	if err != nil {
		t.Fatal(err)
	}
	gym, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		t.Fatal(err)
	}
	var all []rollout.Stream
	for _, one := range strings.Split(text, ",") {
		name, level, _ := strings.Cut(one, ":")
		of, err := tasks.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := gym.Over(of, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(level)
		all = append(all, rollout.Stream{Scenario: s, Seed: 1, Level: n, Weight: 1})
	}
	return all
}

func TestDigestsTellProblemsApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, text := range []string{"chain_sum:0", "chain_sum:1", "spell_backward:0", "chain_sum:0,spell_backward:0", "spell_backward:0,chain_sum:0"} {
		first, err := fleet.Digest(levels(t, text))
		again, err2 := fleet.Digest(levels(t, text))
		if err != nil || err2 != nil || first != again || len(first) != 32 {
			t.Errorf("%s: digests %q and %q, errors %v, %v", text, first, again, err, err2)
		}
		if other, ok := seen[first]; ok {
			t.Errorf("%s and %s have the digest %s", text, other, first)
		}
		seen[first] = text
	}
	other := levels(t, "chain_sum:0")
	other[0].Seed = 2
	if sum, err := fleet.Digest(other); err != nil || seen[sum] != "" {
		t.Errorf("another seed has the digest of %s, error %v", seen[sum], err)
	}
	other[0].Scenario = changed{other[0].Scenario}
	if sum, err := fleet.Digest(other); err != nil || seen[sum] != "" {
		t.Errorf("another text has the digest of %s, error %v", seen[sum], err)
	}
}

// changed makes problems of the same name with another text.
type changed struct{ quintain.Scenario }

func (c changed) Problem(d quintain.Draw) (quintain.Problem, error) {
	p, err := c.Scenario.Problem(quintain.Draw{Seed: 1, Level: d.Level, Index: d.Index})
	p.Prompt += "."
	return p, err
}
