package curriculum_test

import (
	"testing"

	"github.com/quintain-rl/quintain/run/rollout/curriculum"
)

// Levels that can be done are counted wherever they stand, among those with a score.
func TestDone(t *testing.T) {
	scores := map[string]float64{"a:0": 0.5, "a:2": 2. / 3, "b:0": 1}
	if done, of := curriculum.Done([]string{"a:0", "a:1", "a:2"}, scores); done != 1 || of != 2 {
		t.Errorf("%d of %d levels are done, want 1 of 2", done, of)
	}
}
