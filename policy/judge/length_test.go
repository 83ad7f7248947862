package judge

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/script"
)

// spread returns the largest difference between the scores of two results.
func spread(t *testing.T, results []Result) float64 {
	t.Helper()
	list := scores(t, results)
	least, most := list[0], list[0]
	for _, s := range list {
		least, most = min(least, s), max(most, s)
	}
	return most - least
}

// A reward model that likes long replies does so no more, once enough replies have shown it. What
// it says of their contents stays.
func TestLengthControl(t *testing.T) {
	t.Parallel()
	j := newJudge(t, DefaultRubric(), nil, func(c *Config) {
		c.LengthControl = true
		c.Rewards = func(_ context.Context, replies []RewardReply) ([]float64, error) {
			rewards := make([]float64, len(replies))
			for i, r := range replies {
				text := r.Messages[1].Content
				rewards[i] = float64(len(text))/10 + float64(5*strings.Count(text, "!"))
			}
			return rewards, nil
		}
	})
	long := func(n int) string { return strings.Repeat("x", n) }
	for n := range 60 {
		results := j.Group(t.Context(), group(long(10+n), long(20+n), long(30+n), long(50+n)))
		if got := spread(t, results); (n < 49 && got < 3.9) || (n > 50 && got > 1e-9) {
			t.Fatalf("group %d: scores differ by %v", n, got)
		}
		if why := results[3].Verdict.Why; strings.Contains(why, "for its length") != (n >= 49) {
			t.Errorf("group %d: %s", n, why)
		}
	}
	got := scores(t, j.Group(t.Context(), group(long(40), long(39)+"!")))
	if difference := got[1] - got[0]; difference < 4.9 || difference > 5.1 {
		t.Errorf("a better reply earns %v more, want 5", difference)
	}
	if s := j.Stats(); s.Length < 0.9 {
		t.Errorf("the correlation is %v, want that of the scores before", s.Length)
	}
}

// Scores of a rubric stay within their bounds, and what must not be earns nothing. Another ID says
// that lengths are controlled.
func TestLengthControlOfARubric(t *testing.T) {
	t.Parallel()
	control := func(on bool) *Judge {
		r := rubric(func(r *Rubric) { r.Criteria[0].Must = true })
		return newJudge(t, r, script.Say(stronger), func(c *Config) { c.LengthControl = on })
	}
	j := control(true)
	if j.Hash() == control(false).Hash() {
		t.Error("the hash is the same without the control")
	}
	j.slope = slope{n: 1000, xx: 1000, xy: 100}
	best := j.cfg.Rubric.Criteria[0].Choices
	verdict := func(choice string, score float64) Result {
		v := Verdict{Score: score, Choices: map[string]string{}}
		for _, c := range j.cfg.Rubric.Criteria {
			v.Choices[c.Name] = c.Choices[len(c.Choices)-1]
		}
		v.Choices[j.cfg.Rubric.Criteria[0].Name] = choice
		return Result{Verdict: v}
	}
	results := []Result{verdict(best[len(best)-1], 0.9), verdict(best[0], 0), {Verdict: Verdict{Malformed: true}}, {Err: &Ungraded{Kind: CallFailed}}, verdict(best[len(best)-1], 0.2)}
	j.control(group("a", strings.Repeat("b", 500), "", "c", strings.Repeat("d", 300)), results)
	var got []float64
	for _, r := range results {
		got = append(got, r.Verdict.Score)
	}
	if fmt.Sprint(got[1:4]) != "[0 0 0]" || got[0] < 0 || got[0] > 1 || got[4] < 0 || got[4] > 1 || got[0] == 0.9 {
		t.Errorf("scores %v", got)
	}
}
