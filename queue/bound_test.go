package queue_test

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
)

// The age of a group is that of its oldest token, or of its trained tokens in the mean, before it is
// in the queue, in it, and after a restart.
func TestStaleness(t *testing.T) {
	for _, test := range []struct {
		why          string
		versions     []int32
		masks        []int32
		maxLag       int
		oldest, mean int // the first step at which it is stale; 0: never
	}{
		{"one version", []int32{5, 5}, []int32{1, 2}, 2, 8, 8},
		{"a reply that newer weights continued", []int32{3, 7}, []int32{1, 2}, 2, 6, 8},
		{"most of it by the newer ones", []int32{3, 7, 7, 7}, []int32{1, 2, 3, 4}, 2, 6, 9},
		{"an old token that is not trained on", []int32{3, 7}, []int32{quintain.Untrained, 2}, 2, 6, 10},
		{"a prompt, by no weights", []int32{-1, 5}, []int32{quintain.Untrained, 2}, 0, 6, 6},
		{"a trained token of unknown version", []int32{-1, 5}, []int32{1, 2}, 0, 0, 0},
		{"nothing is trained on", []int32{4, 6}, []int32{quintain.Untrained, quintain.Untrained}, 0, 5, 5},
		{"no versions", nil, []int32{1, 2}, 0, 0, 0},
	} {
		tokens := make([]quintain.Token, len(test.masks))
		g := &quintain.Group{ID: "g", Tokens: [][]quintain.Token{tokens}, Masks: [][]int32{test.masks}, Scores: []float64{1}}
		if test.versions != nil {
			g.Versions = [][]int32{test.versions}
		}
		store := queue.NewMemory()
		for _, when := range []string{"put", "restarted"} {
			q, err := queue.Open(t.Context(), store, queue.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if when == "put" {
				if _, err := q.Put(t.Context(), g); err != nil {
					t.Fatal(err)
				}
			}
			var e queue.Entry
			if _, err := q.Lease(t.Context(), queue.Want{Consumer: "c", Raw: true, Pick: func(waiting []queue.Entry) []queue.Entry {
				e = waiting[0]
				return nil
			}}); err != nil {
				t.Fatal(err)
			}
			for _, by := range []struct {
				queue.Bound
				want int
			}{{queue.Bound{MaxLag: test.maxLag}, test.oldest}, {queue.Bound{MaxLag: test.maxLag, Mean: true}, test.mean}} {
				first, before := 0, 0
				for step := 20; step > 0; step-- {
					if e.Stale(step, by.Bound) {
						first = step
					}
					if by.Exceeds(step, g) {
						before = step
					}
				}
				if first != by.want || before != by.want {
					t.Errorf("%s, %s: stale at step %d by %+v, and %d outside of the queue; want %d", test.why, when, first, by.Bound, before, by.want)
				}
			}
			if err := q.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
