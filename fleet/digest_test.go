package fleet_test

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/fleet"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// levels returns the streams of tasks.
func levels(t testing.TB, text string) []rollout.Stream {
	t.Helper()
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	var choices catalog.Choices
	if err := choices.Set(text); err != nil {
		t.Fatal(err)
	}
	scenario := catalog.DefaultScenario()
	all, err := choices.Streams(tasks, &scenario, 1)
	if err != nil {
		t.Fatal(err)
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
		if other, is := seen[first]; is {
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
