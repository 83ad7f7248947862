package queue

import (
	"maps"
	"testing"

	"github.com/quintain-rl/quintain"
)

// TestKinds checks the counts after every kind of change.
func TestKinds(t *testing.T) {
	ctx := t.Context()
	q, err := Open(ctx, NewMemory(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	turn := ^uint64(0) // no turn yet
	want := func(why string, waits map[Kind]int) {
		t.Helper()
		kinds, now := q.Kinds(turn)
		if kinds == nil || now == turn || !maps.Equal(kinds, waits) {
			t.Errorf("%s: %v at turn %d after %d, want %v", why, kinds, now, turn, waits)
		}
		if again, still := q.Kinds(now); again != nil || still != now {
			t.Errorf("%s: asked again, %v at turn %d, want nothing new at %d", why, again, still, now)
		}
		groups := 0
		for _, n := range waits {
			groups += n
		}
		if n := q.Waiting().Groups; n != groups {
			t.Errorf("%s: %d groups wait, want %d", why, n, groups)
		}
		turn = now
	}
	put := func(env int32, sequences int) {
		t.Helper()
		g := &quintain.Group{EnvID: &env, Scores: make([]float64, sequences)}
		for range sequences {
			g.Tokens = append(g.Tokens, []quintain.Token{1})
			g.Masks = append(g.Masks, []int32{1})
		}
		if _, err := q.Put(ctx, g); err != nil {
			t.Fatal(err)
		}
	}
	want("at the start", map[Kind]int{})
	put(0, 2)
	put(0, 2)
	put(1, 4)
	want("put", map[Kind]int{{0, 2, false}: 2, {1, 4, false}: 1})
	all, err := q.Lease(ctx, Want{Consumer: "c", Max: 3})
	if err != nil {
		t.Fatal(err)
	}
	want("leased", map[Kind]int{})
	q.Release("c", all[0].Seq, all[2].Seq)
	want("released", map[Kind]int{{0, 2, false}: 1, {1, 4, false}: 1})
	if err := q.Ack(ctx, "c", all[1].Seq); err != nil {
		t.Fatal(err)
	}
	if kinds, _ := q.Kinds(turn); kinds != nil {
		t.Errorf("acknowledged: %v, want nothing new", kinds)
	}
	if _, err := q.Drop(ctx, all[0].Seq); err != nil {
		t.Fatal(err)
	}
	want("dropped", map[Kind]int{{1, 4, false}: 1})
	if err := q.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	want("reset", map[Kind]int{})
}
