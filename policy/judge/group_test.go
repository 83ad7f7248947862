package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
)

// group returns items with these replies.
func group(replies ...string) []Item {
	items := make([]Item, len(replies))
	for i, reply := range replies {
		items[i] = Item{Key: "p", Question: "q", Reply: reply}
	}
	return items
}

// scores returns the scores of results, and fails if one has none.
func scores(t *testing.T, results []Result) []float64 {
	t.Helper()
	list := make([]float64, len(results))
	for i, r := range results {
		if r.Err != nil {
			t.Fatalf("%d: %v", i, r.Err)
		}
		list[i] = r.Verdict.Score
	}
	return list
}

// stronger judges pairs by the digit in "size N".
func stronger(r quintain.Request, _ int) (string, quintain.Finish) {
	size := func(i int) byte {
		text := r.Messages[0].Parts[i].Text
		return text[strings.Index(text, "size ")+5]
	}
	winner := tie
	if a, b := size(1), size(2); a > b {
		winner = first
	} else if a < b {
		winner = second
	}
	return says(winner, winner), ""
}

func TestEqualRepliesAreJudgedOnce(t *testing.T) {
	t.Parallel()
	p := say(says("yes", "no"))
	j := newJudge(t, rubric(nil), p, nil)
	got := scores(t, j.Group(t.Context(), group("a", "b", "a", "", "a", "b")))
	if fmt.Sprint(got) != "[0.75 0.75 0.75 0 0.75 0.75]" || len(p.asked) != 2 {
		t.Errorf("%v after %d calls", got, len(p.asked))
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		replies []string
		want    string
		calls   int64
	}{
		{"three", []string{"size 1", "size 3", "size 2"}, "[0 1 0.5]", 6},
		{"a tie", []string{"size 1", "size 1."}, "[0.5 0.5]", 2},
		{"equal ones", []string{"size 1", "size 2", "size 1"}, "[0 1 0]", 2},
		{"all equal", []string{"size 1", "size 1"}, "[0.5 0.5]", 0},
		{"an empty one", []string{"size 1", "", "size 2"}, "[0.5 0 1]", 2},
		{"one with something", []string{"", "size 1", ":"}, "[0 1 0]", 0},
		{"nothing", []string{"", " "}, "[0 0]", 0},
	} {
		j := newJudge(t, rubric(func(r *Rubric) { r.Mode = Pairs }), script.Say(stronger), nil)
		results := j.Group(t.Context(), group(test.replies...))
		if got := fmt.Sprint(scores(t, results)); got != test.want || j.Stats().Calls != test.calls {
			t.Errorf("%s: %s after %d calls, want %s after %d", test.why, got, j.Stats().Calls, test.want, test.calls)
		}
		for i, reply := range test.replies {
			if results[i].Verdict.Malformed != !strings.Contains(reply, "size") {
				t.Errorf("%s: %q: %+v", test.why, reply, results[i].Verdict)
			}
		}
	}
}

// A judge that favours a place does not move the scores, and is told on.
func TestOrderBiasIsATie(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]string{Both: "[0.5 0.5 0.5]", Forward: "[1 0.5 0]"} {
		j := newJudge(t, rubric(func(r *Rubric) { r.Mode, r.Order = Pairs, order }), say(says(first, first)), nil)
		for range 7 {
			if got := fmt.Sprint(scores(t, j.Group(t.Context(), group("a", "b", "c")))); got != want {
				t.Errorf("order %s: %s, want %s", order, got, want)
			}
		}
		s := j.Stats()
		if order == Both && (s.Pairs != 21 || s.Swapped != 21 || !strings.Contains(s.Warning(), "21 of 21")) || order == Forward && s.Swapped != 0 {
			t.Errorf("order %s: stats %+v, warning %q", order, s, s.Warning())
		}
	}
}

func TestShareOfCriteria(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		correct, concise string
		must             bool
		want             float64
	}{
		{first, second, false, 0.75}, {second, first, false, 0.25}, {tie, first, false, 0.625}, {first, second, true, 1}, {second, first, true, 0}, {tie, first, true, 0.625},
	} {
		j := newJudge(t, rubric(func(r *Rubric) { r.Criteria[0].Must = test.must }), say(""), nil)
		if got := j.share(map[string]string{"correct": test.correct, "concise": test.concise}); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 5, 9} {
		replies := make([]string, n)
		for i := range replies {
			replies[i] = fmt.Sprintf("size %d", (i*2)%n+1)
		}
		j := newJudge(t, rubric(func(r *Rubric) { r.Mode = Rank }), script.Say(stronger), nil)
		got := scores(t, j.Group(t.Context(), group(replies...)))
		mean := 0.0
		for i := range got {
			mean += got[i] / float64(n)
			if !(got[i] > 0 && got[i] < 1) {
				t.Errorf("%d replies: scores %v", n, got)
			}
			for k := range got {
				if (n <= mostAll && replies[i] < replies[k] || replies[i] == "size 1" && replies[k] == fmt.Sprint("size ", n)) && got[i] >= got[k] {
					t.Errorf("%d replies: %s has %v, and %s has %v", n, replies[i], got[i], replies[k], got[k])
				}
			}
		}
		if math.Abs(mean-0.5) > 1e-9 {
			t.Errorf("%d replies: the mean is %v", n, mean)
		}
		calls := int64(n * (n - 1))
		if n > mostAll {
			calls = int64(4 * n)
		}
		if j.Stats().Calls != calls {
			t.Errorf("%d replies: %d calls, want %d", n, j.Stats().Calls, calls)
		}
	}
}

// The strengths solve the equations of the model.
func TestStrengthsFitTheMatches(t *testing.T) {
	t.Parallel()
	// One game: with the draw against strength 1, p·(1/(p+q) + 1/(p+1)) = 1.5 and the same for q
	// with 0.5, so p·q = 1.
	got := strengths(2, []match{{0, 1, 1}}, false)
	x := math.Sqrt(got[0] / got[1]) // p = x, q = 1/x
	if miss := x/(x+1/x) + x/(x+1) - 1.5; math.Abs(miss) > 1e-6 || math.Abs(got[0]+got[1]-1) > 1e-12 {
		t.Errorf("strengths %v miss the equation by %v", got, miss)
	}
	if got := strengths(3, []match{{0, 1, 0.5}, {1, 2, 0.5}, {2, 0, 0.5}}, false); math.Abs(got[0]-0.5) > 1e-9 || math.Abs(got[2]-0.5) > 1e-9 {
		t.Errorf("draws: %v", got)
	}
	if got := strengths(1, nil, false); got[0] != even {
		t.Errorf("alone: %v", got)
	}
	if got := strengths(1, nil, true); got[0] != 1 {
		t.Errorf("against nothing: %v", got)
	}
}

// One comparison without a verdict leaves its group without scores.
func TestComparisonsMustAllBeJudged(t *testing.T) {
	t.Parallel()
	p := script.Say(func(r quintain.Request, k int) (string, quintain.Finish) {
		if text := r.Messages[0].Text(); strings.Contains(text, "size 1") && strings.Contains(text, "size 3") {
			return "both are fine", ""
		}
		return stronger(r, k)
	})
	j := newJudge(t, rubric(func(r *Rubric) { r.Mode = Rank }), p, nil)
	results := j.Group(t.Context(), group("size 1", "size 2", "size 3", ""))
	for i, r := range results {
		if (i < 3) != errors.Is(r.Err, quintain.ErrUngraded) || r.Verdict.Score != 0 {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

func TestGroupsAreRefused(t *testing.T) {
	t.Parallel()
	j := newJudge(t, rubric(func(r *Rubric) { r.Mode = Pairs }), say(""), nil)
	other := group("a", "b")
	other[1].Question = "another"
	for says, items := range map[string][]Item{"want 2 or more": group("a"), "different questions": other} {
		results := j.Group(t.Context(), items)
		if err := results[0].Err; err == nil || !strings.Contains(err.Error(), says) || errors.Is(err, quintain.ErrUngraded) {
			t.Errorf("%+v, want %s", results, says)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the run stops")
	cancel(stop)
	for _, mode := range []string{Absolute, Pairs} {
		j := newJudge(t, rubric(func(r *Rubric) { r.Mode = mode }), say(says("no", "no")), nil)
		for _, r := range j.Group(ctx, group("a", "b")) {
			if !errors.Is(r.Err, stop) || errors.Is(r.Err, quintain.ErrUngraded) {
				t.Errorf("%s: %+v", mode, r)
			}
		}
	}
}
