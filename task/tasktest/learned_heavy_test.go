//go:build heavy

package tasktest

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A narrow task has as many problems as its level says.
type narrowParams struct {
	Most int `json:"most"`
}

func (narrowParams) Check() error { return nil }

type narrowItem struct{ Number int }

func makeNarrow(p narrowParams, r *rng.Rand) (narrowItem, error) {
	return narrowItem{r.Between(1, p.Most)}, nil
}

func (n narrowItem) Prompt() string                     { return fmt.Sprintf("Square %d.", n.Number) }
func (n narrowItem) Solve() string                      { return fmt.Sprint(n.Number * n.Number) }
func (n narrowItem) Score(text string) quintain.Verdict { return task.MatchNumber(text, n.Solve()) }

// The bound is the guess rate and 0.1 at level 0, and 0.02 above.
func TestLearnedByHeart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why          string
		most, level  int
		apart, fault bool
	}{
		{"50 problems, as the tower of Hanoi once had at each level", 50, 0, false, true},
		{"5,000 problems: one in five is known", 5000, 0, false, true},
		{"20,000 problems: one in twenty is known, which level 0 may have", 20_000, 0, false, false},
		{"the same at level 1", 20_000, 1, false, true},
		{"a million", 1_000_000, 1, false, false},
		{"50 problems, of which the asked ones were held out", 50, 1, true, false},
	} {
		of := (&task.Spec[narrowParams, narrowItem]{Name: "narrow", Levels: []narrowParams{{c.most}, {c.most}}, Make: makeNarrow}).Task()
		if fault := byHeart(t, of, c.level, c.apart); (fault != "") != c.fault {
			t.Errorf("%s: fault %q", c.why, fault)
		}
	}
}
