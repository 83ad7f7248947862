package registry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// environments are those of a run with batches of 8 sequences.
type environments []*Env

// statusOf computes an environment's status while groups wait: "4" is a group of four
// sequences from no environment, "a2" one of two from environment 0.
func statusOf(r environments, id int32, waiting string) EnvStatus {
	kinds := make(map[queue.Kind]int)
	for word := range strings.FieldsSeq(waiting) {
		k := queue.Kind{EnvID: -1}
		if word[0] >= 'a' {
			k.EnvID = int32(word[0] - 'a')
			word = word[1:]
		}
		fmt.Sscan(word, &k.Sequences)
		kinds[k]++
	}
	alive := make([]bool, len(r))
	for i, e := range r {
		e.ID, alive[i] = int32(i), e.Connected
	}
	st, _ := newAccount(newRoster(Registration{Registered: true, BatchSize: 8}, r, alive), kinds).StatusOf(id)
	return st
}

func TestStatusOf(t *testing.T) {
	half := 0.5
	two := environments{
		{MaxTokens: 10, Weight: 2, Connected: true, GroupSize: 4},
		{MaxTokens: 10, Weight: 1, Connected: true, GroupSize: 4, Minimum: &half},
	}
	gone := environments{{MaxTokens: 10, Weight: 1, GroupSize: 4}, {MaxTokens: 10, Weight: 1, GroupSize: 4, Minimum: &half}}
	none := environments{{MaxTokens: 10, Weight: 0, Connected: true, GroupSize: 4}, {MaxTokens: 10, Weight: -1, Connected: true, GroupSize: 4}}
	for _, test := range []struct {
		why     string
		run     environments
		id      int32
		waiting string
		want    EnvStatus
	}{
		{"nothing waits", two, 0, "", EnvStatus{0, 0, 1, 0.5, 2.0 / 3}},
		{"its own", two, 0, "a4 a4 a4", EnvStatus{3, 3, 4, 0.5, 2.0 / 3}},
		{"others' beyond their minimum, in whole packs", two, 0, "a4 b4 b2", EnvStatus{2, 1, 4, 0.5, 2.0 / 3}},
		{"others' without a minimum", two, 1, "a4 b4", EnvStatus{2, 1, 4, 0.5, 1.0 / 3}},
		{"groups of no environment", two, 0, "4 4 c4", EnvStatus{3, 0, 4, 0.5, 2.0 / 3}},
		{"all of size one: others do not count", two, 0, "a1 a1 a1 a1 b1 1", EnvStatus{1, 1, 1, 0.5, 2.0 / 3}},
		{"it counts in its largest", two, 0, "a4 a8", EnvStatus{1, 1, 8, 0.5, 2.0 / 3}},
		{"all have gone", gone, 0, "", EnvStatus{0, 0, 1, 1, 1}},
		{"no weight at all", none, 0, "", EnvStatus{0, 0, 1, 1, 0.01}},
		{"less than none", none, 1, "", EnvStatus{0, 0, 1, 1, 0.01}},
	} {
		if got := statusOf(test.run, test.id, test.waiting); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.why, got, test.want)
		}
	}
}

// BenchmarkStatusEnv asks for the status of one among a thousand environments with waiting
// groups: unchanged since the last time, and after a new group.
func BenchmarkStatusEnv(b *testing.B) {
	g, stop := open(b, queue.NewMemory(), Options{Timeout: time.Hour, MaxEnvs: 2000})
	defer stop()
	for i := range 1000 {
		one := queuetest.Group(i)
		one.EnvID = &add(b, g, "e").ID
		if _, err := g.queue.Put(b.Context(), one); err != nil {
			b.Fatal(err)
		}
	}
	l := NewLedger(g.queue, g)
	for _, changes := range []bool{false, true} {
		b.Run(map[bool]string{false: "quiet", true: "changing"}[changes], func(b *testing.B) {
			for i := int32(0); b.Loop(); i++ {
				if changes {
					l.turn = 0 // as after a new group
				}
				if st, ok := l.Account(time.Now()).StatusOf(i % 1000); !ok || st.Queue == 0 && st.Largest != 2 {
					b.Fatal(st)
				}
			}
		})
	}
}
