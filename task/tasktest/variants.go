package tasktest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/rng"
)

// Variant checks a symmetry of a task: problems that differ by the change ask the same, in other
// names, in another order, or seen from another side. They have one key, so that a policy that was
// trained on one is never examined on the other. The function vary draws the change of a record, and
// returns what turns a right answer to the old record into one to the new; nil: it stays right. At
// least one record must really change. I is the task's own record.
func Variant[I any](t *testing.T, of quintain.Task, change string, vary func(record *I, r *rng.Rand) (translate func(string) string)) {
	t.Helper()
	changed := changes(t, of, func(p quintain.Problem) bool {
		var record I
		before := []byte(p.Instance.String())
		if err := strictjson.Unmarshal(before, &record); err != nil {
			t.Fatal(err)
		}
		answer := solve(t, of, p)
		if translate := vary(&record, rng.New(keySeed, "variants", change, p.ID())); translate != nil {
			answer = translate(answer)
		}
		after, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(before, after) {
			return false
		}
		q := p
		q.Instance = quintain.RawRecord(after)
		if keyOf(t, of, p) != keyOf(t, of, q) {
			t.Fatalf("%s has another key after the change (%s)\n%s\n%s", p.ID(), change, p.Instance, q.Instance)
		}
		if v := grade(t, of, q, answer); v != quintain.Right() {
			t.Fatalf("after the change (%s), the answer %q of %s gets %+v\n%s\n%s", change, answer, p.ID(), v, p.Instance, q.Instance)
		}
		if own := solve(t, of, q); grade(t, of, q, own) != quintain.Right() {
			t.Fatalf("after the change (%s), %s refuses its own solution %q\n%s", change, p.ID(), own, q.Instance)
		}
		return true
	})
	if changed == 0 {
		t.Errorf("no record is changed (%s)", change)
	}
}

// changes calls try, which changes a record or not, with the first problems of every level, and
// returns how many it changed.
func changes(t testing.TB, of quintain.Task, try func(quintain.Problem) bool) (all int) {
	t.Helper()
	for level := range of.Info().Levels {
		changed := 0
		for i := 0; i < triedDraws && changed < changedDraws; i++ {
			if try(problem(t, of, quintain.Draw{Seed: 1, Level: level, Index: i})) {
				changed++
			}
		}
		all += changed
	}
	return all
}

// NoVariants says why no change of a task's problems leaves their question as it is, but for the
// wording: why names what was considered.
func NoVariants(t *testing.T, of quintain.Task, why string) {
	t.Helper()
	if why == "" {
		t.Errorf("say why %s has no variants", of.Info().Name)
	}
}
