package trace

import (
	"reflect"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestCount(t *testing.T) {
	dir := t.TempDir()
	w, err := NewWriter(dir, Head{}, Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Record{
		{Problem: quintain.Problem{Task: "a"}, Scores: []float64{1, 0}},
		{Problem: quintain.Problem{Task: "a"}, Scores: []float64{1}, Drop: "stale"},
		{Problem: quintain.Problem{Task: "b"}, Drop: "failed"},
	} {
		r.Time = epoch
		for i := range 2 {
			outcome := quintain.Scored
			if r.Scores == nil && i > 0 {
				outcome = quintain.InfraFailed
			}
			r.Episodes = append(r.Episodes, quintain.Trajectory{Problem: r.Problem, Outcome: outcome, Turns: []quintain.Turn{{Wrote: make([]quintain.Token, 5)}}})
		}
		if err := w.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why  string
		q    Query
		want Counts
	}{
		{"all, whatever the limit", Query{Limit: 1}, Counts{
			Groups: 3, Tokens: 30, Tasks: map[string]Tally{"a": {2, 2, 1.5}, "b": {Groups: 1}},
			Drops: map[string]int{"": 1, "stale": 1, "failed": 1}, Outcomes: map[quintain.Outcome]int{quintain.Scored: 3, quintain.InfraFailed: 1},
		}},
		{"of a task", Query{Task: "a", Drop: Kept}, Counts{
			Groups: 1, Tokens: 10, Tasks: map[string]Tally{"a": {1, 1, 0.5}}, Drops: map[string]int{"": 1}, Outcomes: map[quintain.Outcome]int{quintain.Scored: 1},
		}},
		{"none", Query{Task: "c"}, Counts{Tasks: map[string]Tally{}, Drops: map[string]int{}, Outcomes: map[quintain.Outcome]int{}}},
	} {
		if got := r.Count(c.q); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
		}
	}
}
